import {
  AcceptInvitationBody,
  IdParams,
  InvitationList,
  InvitationListQuery,
  InvitationParams,
  InviteBody,
  NewInvitation,
  Ref,
  Session,
} from '@vedette/shared'
import { Type } from 'typebox'
import { type Caller, type Principal, tenantOf } from '../auth/index.ts'
import type { App, Creating } from '../platform/http/index.ts'
import { decodeId } from '../platform/ids.ts'
import { type AcceptDeps, acceptInvitation } from './accept.ts'
import { type InvitationDeps, inviteMember, listInvitations, revokeInvitation } from './invite.ts'

export interface InvitationRouteDeps extends InvitationDeps, AcceptDeps {
  errorResponses: object
  principalOf(request: object): Principal
  creating: Creating
}

export function invitationRoutes(app: App, { errorResponses, principalOf, creating, ...deps }: InvitationRouteDeps): void {
  const caller = (request: { ip: string }): Caller => ({ principal: principalOf(request), ip: request.ip })

  app.post(
    '/v1/organizations/:id/members/invite',
    {
      schema: {
        summary: 'Invite somebody',
        description:
          'The link is in this answer only, and in the mail where mail is set up. Inviting the same e-mail again renews the ' +
          'invitation under its id: the link before is dead. A member already: 409.',
        tags: ['organizations'],
        params: IdParams,
        body: InviteBody,
        response: { 201: Ref(NewInvitation), ...errorResponses },
      },
      config: { access: 'members:invite', organizationFromPath: true, idempotent: 'secret' },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const answer = await inviteMember({ ...deps, db }, caller(request), request.body)
        return { status: 201, id: answer.id, body: answer }
      }),
  )

  app.get(
    '/v1/organizations/:id/invitations',
    {
      schema: {
        summary: 'List pending invitations',
        tags: ['organizations'],
        params: IdParams,
        querystring: InvitationListQuery,
        response: { 200: Ref(InvitationList), ...errorResponses },
      },
      config: { access: 'members:invite', organizationFromPath: true },
    },
    async (request) => {
      const { page = 1, limit = 20 } = request.query
      return listInvitations(deps, tenantOf(principalOf(request)), { page, limit })
    },
  )

  app.delete(
    '/v1/organizations/:id/invitations/:invitationId',
    {
      schema: {
        summary: 'Take an invitation back',
        tags: ['organizations'],
        params: InvitationParams,
        response: { 204: Type.Null({ description: 'no content' }), ...errorResponses },
      },
      config: { access: 'members:invite', organizationFromPath: true },
    },
    async (request, reply) => {
      await revokeInvitation(deps, caller(request), decodeId('invitation', request.params.invitationId))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/auth/invitations/accept',
    {
      schema: {
        summary: 'Accept an invitation',
        description:
          'Signs in, as a login does. A new e-mail becomes a user with this password; a known one gives theirs, with a code where they have a second factor. A token that was ' +
          'used, renewed, revoked or has expired: 404.',
        tags: ['auth'],
        body: AcceptInvitationBody,
        response: { 200: Ref(Session), ...errorResponses },
      },
      config: { access: 'open' },
    },
    async (request) => acceptInvitation(deps, request.body, { ip: request.ip, userAgent: request.headers['user-agent'] ?? '' }),
  )
}
