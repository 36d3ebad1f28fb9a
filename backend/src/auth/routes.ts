import {
  ChangePasswordBody,
  IdParams,
  LoginBody,
  Me,
  PasswordResetBody,
  PasswordResetConfirmBody,
  Ref,
  RemoveTotpBody,
  Session,
  SessionList,
  SessionListQuery,
  TotpBody,
  TotpSetup,
  TotpState,
} from '@vedette/shared'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../platform/http/index.ts'
import { decodeId } from '../platform/ids.ts'
import { changePassword, readMe } from './account.ts'
import { confirmReset, requestReset, type ResetDeps } from './password-reset.ts'
import { type Principal, userOf } from './principal.ts'
import { login, normalizeEmail, type Origin } from './service.ts'
import { endSession, listSessions } from './sessions.ts'
import { confirmTotp, readTotp, removeTotp, startTotp } from './totp.ts'

const NoContent = Type.Null({ description: 'no content' })
const Accepted = Type.Object({}, { additionalProperties: false, description: 'taken, whoever it is for' })

export interface AuthRouteDeps extends ResetDeps {
  errorResponses: object
  /** Counts one login of this e-mail; throws rate_limited. Beside the limit of the address that asks. */
  limitEmail(email: string): Promise<void> | void
  principalOf(request: object): Principal
}

export function authRoutes(app: App, deps: AuthRouteDeps): void {
  openRoutes(app, deps)
  accountRoutes(app, deps)
  sessionRoutes(app, deps)
  totpRoutes(app, deps)
}

const originOf = ({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Origin => ({
  ip,
  userAgent: headers['user-agent'] ?? '',
})

/** For who is not signed in. */
function openRoutes(app: App, { errorResponses, limitEmail, ...deps }: AuthRouteDeps): void {
  app.post(
    '/v1/auth/login',
    {
      schema: {
        summary: 'Sign in',
        description: 'A user with a second factor sends `totp_code` too; without it the answer is 401 `totp_required`.',
        tags: ['auth'],
        body: LoginBody,
        response: { 200: Ref(Session), ...errorResponses },
      },
      config: { access: 'open', idempotent: false },
    },
    async (request) => {
      await limitEmail(normalizeEmail(request.body.email))
      return login(deps, request.body, originOf(request))
    },
  )

  app.post(
    '/v1/auth/password-reset',
    {
      schema: {
        summary: 'Ask for a link to choose a new password',
        description: 'The answer is the same whether the e-mail is known or not. The link works once and for one hour.',
        tags: ['auth'],
        body: PasswordResetBody,
        response: { 202: Accepted, ...errorResponses },
      },
      config: { access: 'open', idempotent: false },
    },
    async (request, reply) => {
      await limitEmail(normalizeEmail(request.body.email))
      await requestReset(deps, request.body.email)
      return reply.code(202).send({})
    },
  )

  app.post(
    '/v1/auth/password-reset/confirm',
    {
      schema: {
        summary: 'Choose a new password with a link',
        description: 'All sessions of the user end; the answer is a new one. A used, expired or unknown token is a 404.',
        tags: ['auth'],
        body: PasswordResetConfirmBody,
        response: { 200: Ref(Session), ...errorResponses },
      },
      config: { access: 'open', idempotent: false },
    },
    (request) => confirmReset(deps, request.body, originOf(request), limitEmail),
  )
}

function accountRoutes(app: App, { errorResponses, principalOf, ...deps }: AuthRouteDeps): void {
  app.get(
    '/v1/auth/me',
    {
      schema: {
        summary: 'Who is signed in, and what they may where',
        tags: ['auth'],
        response: { 200: Ref(Me), ...errorResponses },
      },
      config: { access: 'session' },
    },
    (request) => readMe(deps.db, userOf(principalOf(request))),
  )

  app.post(
    '/v1/auth/logout',
    {
      schema: {
        summary: 'Sign out',
        description: 'The session is refused from the moment of the answer, on every instance.',
        tags: ['auth'],
        response: { 204: NoContent, ...errorResponses },
      },
      config: { access: 'session', idempotent: false },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request))
      await endSession(deps, user, user.sessionId, request.ip)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/auth/password',
    {
      schema: {
        summary: 'Change the password',
        description: 'All sessions of the user end, the one that asks too; the answer is a new one.',
        tags: ['auth'],
        body: ChangePasswordBody,
        response: { 200: Ref(Session), ...errorResponses },
      },
      config: { access: 'session', idempotent: false },
    },
    (request) => changePassword(deps, userOf(principalOf(request)), request.body, originOf(request)),
  )
}

function sessionRoutes(app: App, { errorResponses, principalOf, ...deps }: AuthRouteDeps): void {
  app.get(
    '/v1/auth/sessions',
    {
      schema: {
        summary: "List one's own living sessions, newest first",
        tags: ['auth'],
        querystring: SessionListQuery,
        response: { 200: Ref(SessionList), ...errorResponses },
      },
      config: { access: 'session' },
    },
    (request) => listSessions(deps, userOf(principalOf(request)), request.query),
  )

  app.delete(
    '/v1/auth/sessions/:id',
    {
      schema: {
        summary: "End one of one's own sessions",
        tags: ['auth'],
        params: IdParams,
        response: { 204: NoContent, ...errorResponses },
      },
      config: { access: 'session' },
    },
    async (request, reply) => {
      await endSession(deps, userOf(principalOf(request)), decodeId('session', request.params.id), request.ip)
      return reply.code(204).send(null)
    },
  )
}

function totpRoutes(app: App, { errorResponses, principalOf, ...deps }: AuthRouteDeps): void {
  app.get(
    '/v1/auth/totp',
    {
      schema: {
        summary: 'Whether a second factor is enabled',
        tags: ['auth'],
        response: { 200: Ref(TotpState), ...errorResponses },
      },
      config: { access: 'session' },
    },
    (request) => readTotp(deps.db, userOf(principalOf(request))),
  )

  app.post(
    '/v1/auth/totp',
    {
      schema: {
        summary: 'Set up or confirm a second factor',
        description:
          'With an empty object: a secret for an authenticator and recovery codes, shown this once (201). With `code`, which the authenticator shows: enabled (200).',
        tags: ['auth'],
        body: TotpBody,
        response: { 200: Ref(TotpState), 201: Ref(TotpSetup), ...errorResponses },
      },
      config: { access: 'session', idempotent: false },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request))
      const { code } = request.body
      if (code !== undefined) return reply.code(200).send(await confirmTotp(deps, user, code, request.ip))
      return reply.code(201).send(await startTotp(deps, user))
    },
  )

  app.delete(
    '/v1/auth/totp',
    {
      schema: {
        summary: 'Remove the second factor',
        description: 'Takes a code (also a recovery code) or the password.',
        tags: ['auth'],
        body: RemoveTotpBody,
        response: { 204: NoContent, ...errorResponses },
      },
      config: { access: 'session' },
    },
    async (request, reply) => {
      await removeTotp(deps, userOf(principalOf(request)), request.body, request.ip)
      return reply.code(204).send(null)
    },
  )
}
