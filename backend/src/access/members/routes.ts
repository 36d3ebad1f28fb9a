import {
  DeleteAccountBody,
  OrganizationParams,
  Member,
  MemberList,
  MemberParams,
  PatchMemberBody,
  Ref,
  WholeListQuery,
} from '@vedette/shared'
import { callerOf, clearRefreshCookie, type RouteDeps, tenantOf, userOf } from '../auth/index.ts'
import { type App, noContent, NoContent, originOf, pageOf } from '../../platform/http/index.ts'
import { parseId } from '../../platform/ids.ts'
import { deleteAccount, type DeleteAccountDeps } from './delete-account.ts'
import { changeRole, listMembers, removeMember } from './service.ts'

export function memberRoutes(app: App, deps: DeleteAccountDeps & RouteDeps): void {
  const { principalOf } = deps
  accountRoute(app, deps)

  app.get(
    '/v1/organizations/:id/members',
    {
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'The newest members first.',
        tags: ['organizations'],
        params: OrganizationParams,
        querystring: WholeListQuery,
        response: { 200: Ref(MemberList) },
      },
      config: { access: 'org:read', organizationFromPath: true },
    },
    async (request) => listMembers(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.patch(
    '/v1/organizations/:id/members/:memberId',
    {
      schema: {
        operationId: 'updateMember',
        summary: "Change a member's role",
        description: 'You cannot grant a role above your own or change a member above it. The last owner keeps the role (409).',
        tags: ['organizations'],
        params: MemberParams,
        body: Ref(PatchMemberBody),
        response: { 200: Ref(Member) },
      },
      config: {
        access: 'members:update',
        organizationFromPath: true,
        refuses: {
          403: 'The caller may not change roles, or the role or the member is above their own',
          409: 'It is the last owner',
        },
      },
    },
    async (request) => changeRole(deps, callerOf(deps, request), parseId('user', request.params.memberId), request.body.role),
  )

  app.delete(
    '/v1/organizations/:id/members/:memberId',
    {
      schema: {
        operationId: 'removeMember',
        summary: 'Remove a member, or leave',
        description: 'Every member except the last owner (409) can leave. Pending invitations by a removed member are revoked.',
        tags: ['organizations'],
        params: MemberParams,
        response: { 204: NoContent },
      },
      config: {
        access: 'members:remove',
        alsoOneself: 'memberId',
        organizationFromPath: true,
        refuses: { 403: 'The caller may not remove members, or the member is above their own role', 409: 'It is the last owner' },
      },
    },
    async (request, reply) =>
      noContent(reply, removeMember(deps, callerOf(deps, request), parseId('user', request.params.memberId))),
  )
}

function accountRoute(app: App, deps: DeleteAccountDeps & RouteDeps): void {
  app.delete(
    '/v1/auth/me',
    {
      schema: {
        operationId: 'deleteCurrentUser',
        summary: 'Delete your account',
        description:
          'Ends your sessions and memberships and deletes your e-mail, password and second factor. What you made in organizations stays. ' +
          'Logs keep your id.',
        tags: ['auth'],
        body: Ref(DeleteAccountBody),
        response: { 204: NoContent },
      },
      config: {
        access: 'session',
        refuses: { 401: 'No valid session, or the password is wrong', 409: 'An organization has no other owner' },
      },
    },
    async (request, reply) => {
      await deleteAccount(deps, userOf(deps.principalOf(request)), request.body, originOf(request, reply))
      clearRefreshCookie(request, reply)
      return reply.code(204).send(null)
    },
  )
}
