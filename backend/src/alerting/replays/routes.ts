import { Ref, Replay, ReplayBody } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import { createConcurrencyBound } from '../../platform/concurrency/concurrency-bound.ts'
import type { App } from '../../platform/http/index.ts'
import { type ReplayDeps, runReplay } from './service.ts'

export function replayRoutes(app: App, { principalOf, ...deps }: ReplayDeps & RouteDeps): void {
  const bound = createConcurrencyBound('replays', 'organization', 1)
  app.post(
    '/v1/replays',
    {
      schema: {
        operationId: 'createReplay',
        summary: 'Replay alert rules over what happened',
        description:
          'Returns who would have been notified in a period of up to 90 days, and when, with what is configured and with changes. Stores nothing and notifies nobody.',
        tags: ['alerts'],
        body: Ref(ReplayBody),
        response: { 200: Ref(Replay) },
      },
      config: { access: 'monitors:update', idempotent: false },
    },
    async (request) => {
      const tenant = tenantOf(principalOf(request))
      return bound.run(tenant.number, () => runReplay(deps, tenant, request.body))
    },
  )
}
