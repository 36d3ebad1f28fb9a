import { LoginBody, Ref, Session } from '@vedette/shared'
import type { App } from '../platform/http/index.ts'
import { type AuthDeps, login, normalizeEmail } from './service.ts'

export interface AuthRouteDeps extends AuthDeps {
  errorResponses: object
  /** Counts one login of this e-mail; throws rate_limited. Beside the limit of the address that asks. */
  limitEmail(email: string): void
}

export function authRoutes(app: App, { errorResponses, limitEmail, ...deps }: AuthRouteDeps): void {
  app.post(
    '/v1/auth/login',
    {
      schema: { summary: 'Sign in', tags: ['auth'], body: LoginBody, response: { 200: Ref(Session), ...errorResponses } },
      config: { access: 'open' },
    },
    async (request) => {
      limitEmail(normalizeEmail(request.body.email))
      return login(deps, request.body, request.ip)
    },
  )
}
