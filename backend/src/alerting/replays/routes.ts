import { Ref, Replay, ReplayBody, type ReplaySetResult } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import { createConcurrencyBound } from '../../platform/concurrency/concurrency-bound.ts'
import { type App, readerLanguage } from '../../platform/http/index.ts'
import { type Language, translate } from '../../platform/language/index.ts'
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
      config: { access: 'monitors:update', speaks: 'itself', idempotent: false },
    },
    async (request, reply) => {
      const tenant = tenantOf(principalOf(request))
      const language = readerLanguage(request)
      const replay = await bound.run(tenant.number, () => runReplay(deps, tenant, request.body))
      if (language !== 'en') reply.header('content-language', language)
      return { ...replay, sets: replay.sets.map((set) => limitsInLanguage(set, language)) }
    },
  )
}

/** A list of notifications is long, and says nothing but names and codes. */
const limitsInLanguage = (set: ReplaySetResult, language: Language): ReplaySetResult => ({
  ...set,
  not_replayed: set.not_replayed.map((limit) => ({ ...limit, reason: translate(limit.reason, language) })),
})
