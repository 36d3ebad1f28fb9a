import { Ref, Session, SetupBody, SetupState } from '@vedette/shared'
import type { AuthDeps } from '../auth/index.ts'
import type { App } from '../platform/http/index.ts'
import type { InstallationSecrets } from '../platform/secrets.ts'
import { isSetupRequired, setUp } from './service.ts'

export interface SetupRouteDeps extends AuthDeps {
  secrets: InstallationSecrets
  errorResponses: object
}

export function setupRoutes(app: App, { errorResponses, secrets, ...deps }: SetupRouteDeps): void {
  app.get(
    '/v1/setup',
    {
      schema: {
        summary: 'Whether the first owner is still to be made',
        tags: ['setup'],
        response: { 200: Ref(SetupState), ...errorResponses },
      },
      config: { access: 'open' },
    },
    async () => ({ required: await isSetupRequired(deps.db) }),
  )

  app.post(
    '/v1/setup',
    {
      schema: {
        summary: 'Make the first owner and organization',
        description: 'Takes the one-time code that the start prints while no user exists; afterwards 409.',
        tags: ['setup'],
        body: SetupBody,
        response: { 201: Ref(Session), ...errorResponses },
      },
      config: { access: 'open', idempotent: false },
    },
    async (request, reply) => reply.code(201).send(await setUp(deps, secrets, request.body, request.ip)),
  )
}
