import {
  AcceptInvitationBody,
  OrganizationParams,
  InvitationList,
  InvitationListQuery,
  InvitationOffer,
  InvitationParams,
  InviteBody,
  NewInvitation,
  ReadInvitationBody,
  Ref,
  Session,
} from '@vedette/shared'
import { callerOf, type CreatingRouteDeps, sendSession, tenantOf } from '../auth/index.ts'
import { type App, noContent, NoContent, originOf, pageOf } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { type AcceptDeps, acceptInvitation, readInvitation } from './accept.ts'
import { type InvitationDeps, inviteMember, listInvitations, revokeInvitation } from './invite.ts'

const MEMBERS_FULL = 'The plan allows no more members'

export function invitationRoutes(app: App, deps: InvitationDeps & AcceptDeps & CreatingRouteDeps): void {
  const { principalOf, creating } = deps

  app.post(
    '/v1/organizations/:id/members/invite',
    {
      schema: {
        operationId: 'inviteMember',
        summary: 'Invite a member',
        description:
          'The link is mailed; only if no mail is configured, it is shown in this response. Inviting the same e-mail again renews the ' +
          'invitation under its id and invalidates the previous link. An e-mail of a member is a 409.',
        tags: ['organizations'],
        params: OrganizationParams,
        body: Ref(InviteBody),
        response: { 201: Ref(NewInvitation) },
      },
      config: {
        access: 'members:invite',
        organizationFromPath: true,
        idempotent: 'secret',
        refuses: {
          402: MEMBERS_FULL,
          403: 'The caller may not invite members, or the role, or that of the pending invitation, is above their own',
          409: 'The e-mail belongs to a member, or the request was sent before with its Idempotency-Key',
        },
      },
    },
    async (request, reply) =>
      creating(request, reply, async (db) => {
        const answer = await inviteMember({ ...deps, db }, callerOf(deps, request), request.body)
        return { status: 201, id: answer.id, body: answer }
      }),
  )

  app.get(
    '/v1/organizations/:id/invitations',
    {
      schema: {
        operationId: 'listInvitations',
        summary: 'List pending invitations',
        description: 'Newest first, without invitations that were accepted, revoked or expired.',
        tags: ['organizations'],
        params: OrganizationParams,
        querystring: InvitationListQuery,
        response: { 200: Ref(InvitationList) },
      },
      config: { access: 'members:invite', organizationFromPath: true },
    },
    async (request) => listInvitations(deps, tenantOf(principalOf(request)), pageOf(request.query)),
  )

  app.delete(
    '/v1/organizations/:id/invitations/:invitationId',
    {
      schema: {
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation',
        description: 'Its link is invalid from the moment of the response.',
        tags: ['organizations'],
        params: InvitationParams,
        response: { 204: NoContent },
      },
      config: {
        access: 'members:invite',
        organizationFromPath: true,
        refuses: { 403: 'The caller may not invite members, or the role of the invitation is above their own' },
      },
    },
    async (request, reply) =>
      noContent(reply, revokeInvitation(deps, callerOf(deps, request), decodeId('invitation', request.params.invitationId))),
  )
  acceptRoute(app, deps)
}

function acceptRoute(app: App, deps: AcceptDeps): void {
  app.post(
    '/v1/auth/invitations/read',
    {
      schema: {
        operationId: 'readInvitation',
        summary: 'Read an invitation',
        description: 'Who invites to which organization, for who has the token of the link. Changes nothing.',
        tags: ['auth'],
        body: Ref(ReadInvitationBody),
        response: { 200: Ref(InvitationOffer) },
      },
      config: {
        access: 'open',
        idempotent: false,
        refuses: { 404: 'The token is unknown, used, renewed, revoked or expired' },
      },
    },
    async (request) => readInvitation(deps, request.body),
  )

  app.post(
    '/v1/auth/invitations/accept',
    {
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description:
          'Signs in like a login. For a new e-mail it creates a user with this password; an existing user sends their own password, and a ' +
          'code if they have a second factor. Where the account of the e-mail was never verified and is not yours, `replace_unverified` takes ' +
          'the e-mail from it and creates a new one; only with a mailed token. A token that was used, renewed, revoked or has expired is a 404.',
        tags: ['auth'],
        body: Ref(AcceptInvitationBody),
        response: { 200: Ref(Session) },
      },
      config: {
        access: 'open',
        idempotent: false,
        refuses: {
          401: 'The user exists, and the password or the code is wrong; `totp_required` where a code is missing',
          402: MEMBERS_FULL,
          404: 'The token is unknown, used, renewed, revoked or expired',
          409: 'The account that was to be replaced is verified',
        },
      },
    },
    async (request, reply) => sendSession(request, reply, await acceptInvitation(deps, request.body, originOf(request, reply))),
  )
}
