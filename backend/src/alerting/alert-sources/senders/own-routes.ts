import { Ref, SentAlerts, TakenAlerts } from '@vedette/shared'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../platform/http/index.ts'
import { countedBy, MAX_BODY_BYTES, SENDER_CONFIG, type SenderDeps, takeJson, takeRequest } from './sender-routes.ts'

const PARAMS = Type.Object({
  token: Type.String({ maxLength: 8_192, description: 'Token of the alert source: `vdt_in_…`' }),
})

const DESCRIPTION =
  'What an alert source posts, as its type says: JSON up to 1 MiB, of any content type, also as gzip or zstd. The answer comes after the commit; a repeat changes nothing. `POST /v1/in` takes the same with the token as Bearer token or as the password of HTTP Basic. Each source may send as many requests a minute as pings may come, and those of five minutes at once.'

/** The addresses to which senders of every type post their alerts. */
export function ownRoutes(app: App, deps: SenderDeps): void {
  const common = { bodyLimit: MAX_BODY_BYTES, ...countedBy(deps) }
  const take = (request: FastifyRequest) => takeRequest(deps, request)
  app.register(async (scope) => {
    takeJson(scope)
    inPath(scope)
    // Published with the other one.
    scope.post(
      '/v1/in',
      { ...common, schema: { hide: true, body: {}, response: { 200: Ref(TakenAlerts) } }, config: SENDER_CONFIG },
      take,
    )
  })

  function inPath(app: App): void {
    app.post(
      '/v1/in/:token',
      {
        ...common,
        schema: {
          operationId: 'takeAlerts',
          summary: 'Take alerts of a sender',
          description: DESCRIPTION,
          tags: ['alerts'],
          params: PARAMS,
          body: Ref(SentAlerts),
          response: { 200: Ref(TakenAlerts) },
        },
        config: {
          ...SENDER_CONFIG,
          refuses: { 404: 'The token is unknown, or its source is disabled or deleted' },
        },
      },
      take,
    )
  }
}
