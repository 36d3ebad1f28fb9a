import { Ref, Session, SetupBody, SetupState } from '@vedette/shared'
import type { AuthDeps } from '../auth/index.ts'
import type { App } from '../platform/http/index.ts'
import type { InstallationSecrets } from '../platform/secrets.ts'
import { isSetupRequired, setUp } from './service.ts'

export interface SetupRouteDeps extends AuthDeps {
  secrets: InstallationSecrets
}

export function setupRoutes(app: App, { secrets, ...deps }: SetupRouteDeps): void {
  app.get(
    '/v1/setup',
    {
      schema: {
        operationId: 'getSetupState',
        summary: 'Whether the first owner is still to be made',
        description: 'True only while no user exists.',
        tags: ['setup'],
        response: { 200: Ref(SetupState) },
      },
      config: { access: 'open' },
    },
    async () => ({ required: await isSetupRequired(deps.db) }),
  )

  app.post(
    '/v1/setup',
    {
      schema: {
        operationId: 'completeSetup',
        summary: 'Make the first owner and organization',
        description: 'Takes the one-time code that the start prints while no user exists; afterwards 409.',
        tags: ['setup'],
        body: Ref(SetupBody),
        response: { 201: Ref(Session) },
      },
      config: { access: 'open', idempotent: false, refuses: { 401: 'The code is wrong', 409: 'A user exists already' } },
    },
    async (request, reply) => reply.code(201).send(await setUp(deps, secrets, request.body, request.ip)),
  )
}
