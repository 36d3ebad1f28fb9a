import {
  Accepted,
  ChangePasswordBody,
  SessionParams,
  LoginBody,
  Me,
  PasswordResetBody,
  PatchMeBody,
  PasswordResetConfirmBody,
  Ref,
  RefreshQuery,
  Session,
  SessionList,
  SessionListQuery,
  TotpBody,
  TotpSetup,
  TotpState,
} from '@vedette/shared'
import type { Outbox } from '../../notifying/mail/index.ts'
import { type App, noContent, NoContent, originOf, pageOf } from '../../platform/http/index.ts'
import { unauthorized } from '../../platform/errors.ts'
import { decodeId } from '../../platform/ids.ts'
import { changePassword, patchMe, readMe } from './account.ts'
import { emailRoutes } from './email-routes.ts'
import type { EmailDeps } from './email.ts'
import { confirmReset, requestReset, type ResetDeps } from './password-reset.ts'
import { type Principal, userOf } from './principal.ts'
import { clearRefreshCookie, readRefreshCookie, requireOwnPage, sendSession } from './refresh-cookie.ts'
import { findRefreshingUser, refreshSession } from './refresh.ts'
import { login, normalizeEmail } from './service.ts'
import { endSession, listSessions } from './sessions.ts'
import { confirmTotp, readTotp, removeTotp, startTotp } from './totp.ts'

export interface AuthRouteDeps extends ResetDeps, EmailDeps {
  outbox: Outbox
  /** Counts one login of this e-mail, in addition to the limit of the client's address. Throws rate_limited. */
  limitEmail(email: string): Promise<void> | void
  principalOf(request: object): Principal
}

export function authRoutes(app: App, deps: AuthRouteDeps): void {
  openRoutes(app, deps)
  resetRoutes(app, deps)
  meRoutes(app, deps)
  accountRoutes(app, deps)
  sessionRoutes(app, deps)
  totpRoutes(app, deps)
  emailRoutes(app, deps)
}

/** Routes without credentials. */
function openRoutes(app: App, { limitEmail, ...deps }: AuthRouteDeps): void {
  app.post(
    '/v1/auth/login',
    {
      schema: {
        operationId: 'createSession',
        summary: 'Sign in',
        description: 'A user with a second factor also sends `totp_code`; without it the response is 401 `totp_required`.',
        tags: ['auth'],
        body: Ref(LoginBody),
        response: { 200: Ref(Session) },
      },
      config: {
        access: 'open',
        idempotent: false,
        refuses: { 401: 'The e-mail, the password or the code is wrong; `totp_required` where a code is missing' },
      },
    },
    async (request, reply) => {
      await limitEmail(normalizeEmail(request.body.email))
      return sendSession(request, reply, await login(deps, request.body, originOf(request, reply)))
    },
  )

  app.post(
    '/v1/auth/refresh',
    {
      schema: {
        operationId: 'refreshSession',
        summary: 'Continue the session of this device',
        description:
          'For sign-ins with `remember`, whose response set the cookie `vedette_refresh`: returns a new token for the same session and ' +
          'replaces the cookie. A cookie that was replaced more than 30 s ago ends the session. Requires `X-Requested-With: vedette`.',
        tags: ['auth'],
        querystring: RefreshQuery,
        response: { 200: Ref(Session) },
      },
      config: {
        access: 'open',
        idempotent: false,
        countsAs: (request) => findRefreshingUser(deps.db, readRefreshCookie(request) ?? ''),
        refuses: {
          401: 'There is no cookie, or its session has ended',
          403: '`X-Requested-With: vedette` is missing, or a page of another origin sent the request',
        },
      },
    },
    async (request, reply) => {
      requireOwnPage(request, deps.publicUrl())
      const { wall = false } = request.query
      const opened = await refreshSession(deps, readRefreshCookie(request) ?? '', originOf(request, reply), wall)
      if (opened) return sendSession(request, reply, opened)
      clearRefreshCookie(request, reply)
      throw unauthorized('This device is not signed in any more.')
    },
  )
}

function resetRoutes(app: App, { limitEmail, ...deps }: AuthRouteDeps): void {
  app.post(
    '/v1/auth/password-reset',
    {
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Request a password reset',
        description:
          'The response is the same for known and unknown e-mails. If mail is configured, a link is mailed, which is valid once and for one hour.',
        tags: ['auth'],
        body: Ref(PasswordResetBody),
        response: { 202: Ref(Accepted) },
      },
      config: { access: 'open', idempotent: false },
    },
    async (request, reply) => {
      await limitEmail(normalizeEmail(request.body.email))
      await requestReset(deps, request.body.email, originOf(request, reply))
      return reply.code(202).send({})
    },
  )

  app.post(
    '/v1/auth/password-reset/confirm',
    {
      schema: {
        operationId: 'confirmPasswordReset',
        summary: 'Complete a password reset',
        description: 'Ends all sessions of the user and returns a new one. A user with a second factor also sends `totp_code`.',
        tags: ['auth'],
        body: Ref(PasswordResetConfirmBody),
        response: { 200: Ref(Session) },
      },
      config: {
        access: 'open',
        idempotent: false,
        refuses: { 401: 'The code is wrong; `totp_required` where it is missing', 404: 'The token is unknown, used or expired' },
      },
    },
    async (request, reply) =>
      sendSession(request, reply, await confirmReset(deps, request.body, originOf(request, reply), limitEmail)),
  )
}

function meRoutes(app: App, { principalOf, ...deps }: AuthRouteDeps): void {
  app.get(
    '/v1/auth/me',
    {
      schema: {
        operationId: 'getCurrentUser',
        summary: 'Get the signed-in user',
        description:
          'With the role and the permissions in each organization. They are read for each request, so a change takes effect at once.',
        tags: ['auth'],
        response: { 200: Ref(Me) },
      },
      config: { access: 'session' },
    },
    (request) => readMe(deps, userOf(principalOf(request))),
  )

  app.get(
    '/v1/me',
    {
      schema: {
        operationId: 'getMe',
        summary: 'Get the signed-in user (read limit)',
        description: 'As `/v1/auth/me`, but counted against the limit of reads instead of that of authentication.',
        tags: ['auth'],
        response: { 200: Ref(Me) },
      },
      config: { access: 'session' },
    },
    (request) => readMe(deps, userOf(principalOf(request))),
  )

  app.patch(
    '/v1/me',
    {
      schema: {
        operationId: 'updateMe',
        summary: 'Update the signed-in user',
        description: 'The name that others see next to the e-mail; null: none.',
        tags: ['auth'],
        body: Ref(PatchMeBody),
        response: { 200: Ref(Me) },
      },
      config: { access: 'session' },
    },
    (request) => patchMe(deps, userOf(principalOf(request)), request.body, request.ip),
  )
}

function accountRoutes(app: App, { principalOf, ...deps }: AuthRouteDeps): void {
  app.post(
    '/v1/auth/logout',
    {
      schema: {
        operationId: 'endCurrentSession',
        summary: 'Sign out',
        description: 'Every instance refuses the session from the moment of the response.',
        tags: ['auth'],
        response: { 204: NoContent },
      },
      config: { access: 'session', idempotent: false, refuses: { 404: 'Another request ended the session at the same moment' } },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request))
      await endSession(deps, user, user.sessionId, request.ip)
      clearRefreshCookie(request, reply)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/auth/password',
    {
      schema: {
        operationId: 'changePassword',
        summary: 'Change the password',
        description: 'Ends all sessions of the user, including the present one, and returns a new one.',
        tags: ['auth'],
        body: Ref(ChangePasswordBody),
        response: { 200: Ref(Session) },
      },
      config: { access: 'session', idempotent: false, refuses: { 401: 'No valid session, or the current password is wrong' } },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request))
      return sendSession(request, reply, await changePassword(deps, user, request.body, originOf(request, reply)))
    },
  )
}

function sessionRoutes(app: App, { principalOf, ...deps }: AuthRouteDeps): void {
  app.get(
    '/v1/auth/sessions',
    {
      schema: {
        operationId: 'listSessions',
        summary: 'List your sessions',
        description: 'Newest first, without sessions that ended or expired.',
        tags: ['auth'],
        querystring: SessionListQuery,
        response: { 200: Ref(SessionList) },
      },
      config: { access: 'session' },
    },
    (request) => listSessions(deps, userOf(principalOf(request)), pageOf(request.query)),
  )

  app.delete(
    '/v1/auth/sessions/:id',
    {
      schema: {
        operationId: 'endSession',
        summary: 'End one of your sessions',
        description: 'Every instance refuses it from the moment of the response. It may be the present session.',
        tags: ['auth'],
        params: SessionParams,
        response: { 204: NoContent },
      },
      config: { access: 'session' },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request))
      const id = decodeId('session', request.params.id)
      await endSession(deps, user, id, request.ip)
      if (id === user.sessionId) clearRefreshCookie(request, reply)
      return reply.code(204).send(null)
    },
  )
}

function totpRoutes(app: App, { principalOf, ...deps }: AuthRouteDeps): void {
  app.get(
    '/v1/auth/totp',
    {
      schema: {
        operationId: 'getTotpState',
        summary: 'Get the state of the second factor',
        description: 'Whether it is enabled, and how many recovery codes are left.',
        tags: ['auth'],
        response: { 200: Ref(TotpState) },
      },
      config: { access: 'session' },
    },
    (request) => readTotp(deps.db, userOf(principalOf(request))),
  )

  app.post(
    '/v1/auth/totp',
    {
      schema: {
        operationId: 'setUpTotp',
        summary: 'Set up or confirm a second factor',
        description:
          'Without a `code` it creates a secret and recovery codes, which are shown only once (201); a session that is older than 5 minutes ' +
          'also sends the `password`. With a `code` of the authenticator it enables the second factor (200).',
        tags: ['auth'],
        body: Ref(TotpBody),
        response: { 200: Ref(TotpState), 201: Ref(TotpSetup) },
      },
      config: {
        access: 'session',
        idempotent: false,
        refuses: {
          401: 'No valid session, or the password is wrong',
          409: 'A second factor is already enabled, or there is no secret to confirm yet',
        },
      },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request))
      const { code, password } = request.body
      if (code !== undefined) return reply.code(200).send(await confirmTotp(deps, user, code, request.ip))
      return reply.code(201).send(await startTotp(deps, user, password, originOf(request, reply)))
    },
  )

  app.delete(
    '/v1/auth/totp',
    {
      schema: {
        operationId: 'removeTotp',
        summary: 'Remove the second factor',
        description: 'Requires a code, a recovery code or the password.',
        tags: ['auth'],
        body: Ref(TotpBody),
        response: { 204: NoContent },
      },
      config: {
        access: 'session',
        refuses: {
          401: 'No valid session, or the code or the password is wrong',
          404: 'No second factor is enabled',
          409: 'An organization of the user demands one',
        },
      },
    },
    async (request, reply) =>
      noContent(reply, removeTotp(deps, userOf(principalOf(request)), request.body, originOf(request, reply))),
  )
}
