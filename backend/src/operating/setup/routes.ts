import { Ref, Session, SetupBody, SetupState } from '@vedette/shared'
import { type AuthDeps, sendSession } from '../../access/auth/index.ts'
import { type App, originOf } from '../../platform/http/index.ts'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
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
        summary: 'Get the state of the set-up',
        description: '`required` is true while no user exists.',
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
        summary: 'Create the first owner and organization',
        description: 'Requires the one-time code that Vedette prints at its start while no user exists. Afterwards it is a 409.',
        tags: ['setup'],
        body: Ref(SetupBody),
        response: { 201: Ref(Session) },
      },
      config: { access: 'open', idempotent: false, refuses: { 401: 'The code is wrong', 409: 'A user exists already' } },
    },
    async (request, reply) => {
      const opened = await setUp(deps, secrets, request.body, originOf(request, reply))
      return reply.code(201).send(sendSession(request, reply, opened))
    },
  )
}
