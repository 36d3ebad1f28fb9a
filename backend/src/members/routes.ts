import { OrganizationParams, Member, MemberList, MemberParams, PatchMemberBody, Ref, WholeListQuery } from '@vedette/shared'
import { Type } from 'typebox'
import { type Caller, type Principal, tenantOf } from '../auth/index.ts'
import type { App } from '../platform/http/index.ts'
import { parseId } from '../platform/ids.ts'
import { changeRole, listMembers, type MemberDeps, removeMember } from './service.ts'

export interface MemberRouteDeps extends MemberDeps {
  principalOf(request: object): Principal
}

export function memberRoutes(app: App, { principalOf, ...deps }: MemberRouteDeps): void {
  const caller = (request: { ip: string }): Caller => ({ principal: principalOf(request), ip: request.ip })

  app.get(
    '/v1/organizations/:id/members',
    {
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Who joined last stands first.',
        tags: ['organizations'],
        params: OrganizationParams,
        querystring: WholeListQuery,
        response: { 200: Ref(MemberList) },
      },
      config: { access: 'org:read', organizationFromPath: true },
    },
    async (request) => {
      const { page = 1, limit = 100 } = request.query
      return listMembers(deps, tenantOf(principalOf(request)), { page, limit })
    },
  )

  app.patch(
    '/v1/organizations/:id/members/:memberId',
    {
      schema: {
        operationId: 'updateMember',
        summary: "Change a member's role",
        description: 'Nobody gives a role above their own or changes somebody above it; the last owner stays one (409).',
        tags: ['organizations'],
        params: MemberParams,
        body: Ref(PatchMemberBody),
        response: { 200: Ref(Member) },
      },
      config: {
        access: 'members:update',
        organizationFromPath: true,
        refuses: {
          403: 'The caller may not do this, or the role or the member stands above them',
          409: 'The last owner stays one',
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
        description:
          'Everybody may remove themselves, except the last owner (409). What a removed member invited to is taken back.',
        tags: ['organizations'],
        params: MemberParams,
        response: { 204: Type.Null({ description: 'Done' }) },
      },
      config: {
        access: 'members:remove',
        alsoOneself: 'memberId',
        organizationFromPath: true,
        refuses: { 403: 'The caller may not do this, or the member stands above them', 409: 'The last owner cannot go' },
      },
    },
    async (request, reply) => {
      await removeMember(deps, caller(request), parseId('user', request.params.memberId))
      return reply.code(204).send(null)
    },
  )
}
