import { Accepted, ChangeEmailBody, Me, Ref, VerifiedEmail, VerifyEmailBody } from '@vedette/shared'
import { type App, originOf } from '../../platform/http/index.ts'
import { changeEmail, type EmailDeps, requestVerification, verifyEmail } from './email.ts'
import { type Principal, userOf } from './principal.ts'
import { normalizeEmail } from './service.ts'

export interface EmailRouteDeps extends EmailDeps {
  /** Counts one request about this e-mail. Throws rate_limited. */
  limitEmail(email: string): Promise<void> | void
  principalOf(request: object): Principal
}

export function emailRoutes(app: App, { principalOf, limitEmail, ...deps }: EmailRouteDeps): void {
  app.post(
    '/v1/auth/email',
    {
      schema: {
        operationId: 'changeEmail',
        summary: 'Change your e-mail',
        description:
          'With a mail server, a link is mailed to the new e-mail, which is valid once and for 24 hours; the e-mail changes when it is ' +
          'opened, and `pending_email` is the new one until then. Without a mail server it changes at once, unverified.',
        tags: ['auth'],
        body: Ref(ChangeEmailBody),
        response: { 200: Ref(Me) },
      },
      config: {
        access: 'session',
        idempotent: false,
        refuses: {
          401: 'No valid session, or the password is wrong',
          409: 'Another account has the e-mail; only without a mail server',
        },
      },
    },
    async (request, reply) => {
      await limitEmail(normalizeEmail(request.body.email))
      return changeEmail(deps, userOf(principalOf(request)), request.body, originOf(request, reply))
    },
  )

  app.post(
    '/v1/auth/email/verification',
    {
      schema: {
        operationId: 'requestEmailVerification',
        summary: 'Request a link to verify your e-mail',
        description: 'It is valid once and for 24 hours. The previous link becomes invalid.',
        tags: ['auth'],
        response: { 202: Ref(Accepted) },
      },
      config: {
        access: 'session',
        idempotent: false,
        refuses: { 409: 'The e-mail is verified already, or no mail server is configured' },
      },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request))
      await limitEmail(user.userId)
      await requestVerification(deps, user)
      return reply.code(202).send({})
    },
  )

  app.post(
    '/v1/auth/email/verify',
    {
      schema: {
        operationId: 'verifyEmail',
        summary: 'Verify an e-mail',
        description: 'With the token of the mailed link. The e-mail becomes that of the account.',
        tags: ['auth'],
        body: Ref(VerifyEmailBody),
        response: { 200: Ref(VerifiedEmail) },
      },
      config: {
        access: 'open',
        idempotent: false,
        refuses: {
          404: 'The token is unknown, used, replaced or expired',
          409: 'Another account has the e-mail by now',
        },
      },
    },
    async (request, reply) => ({ email: await verifyEmail(deps, request.body.token, originOf(request, reply)) }),
  )
}
