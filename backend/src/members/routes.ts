import { OrganizationParams, Member, MemberList, MemberParams, PatchMemberBody, Ref, WholeListQuery } from '@vedette/shared'
import { Type } from 'typebox'
import { type Caller, type RouteDeps, tenantOf } from '../auth/index.ts'
import { type App, pageOf } from '../platform/http/index.ts'
import { parseId } from '../platform/ids.ts'
import { changeRole, listMembers, type MemberDeps, removeMember } from './service.ts'

export function memberRoutes(app: App, { principalOf, ...deps }: MemberDeps & RouteDeps): void {
  const caller = (request: { ip: string }): Caller => ({ principal: principalOf(request), ip: request.ip })

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
    async (request) => changeRole(deps, caller(request), parseId('user', request.params.memberId), request.body.role),
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
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: {
        access: 'members:remove',
        alsoOneself: 'memberId',
        organizationFromPath: true,
        refuses: { 403: 'The caller may not remove members, or the member is above their own role', 409: 'It is the last owner' },
      },
    },
    async (request, reply) => {
      await removeMember(deps, caller(request), parseId('user', request.params.memberId))
      return reply.code(204).send(null)
    },
  )
}
