import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/index.ts'
import {
  decodeRemoteWrite1,
  decodeRemoteWrite2,
  DEFAULT_BOUNDS,
  LabelSetCache,
  type Received,
  unsnappy,
} from '../decoding/index.ts'
import type { Outcome } from '../ingest/submit.ts'
import {
  bytesOf,
  decoded,
  MAX_INFLATED_BYTES,
  MAX_REQUEST_BYTES,
  PROTOBUF_TYPE,
  type SeriesRouteDeps,
  take,
  takeBytes,
} from './common.ts'
import { shortOf } from './outcome.ts'

/** Remote write of Prometheus, versions 1.0 and 2.0. */
export function remoteWriteRoutes(app: App, deps: SeriesRouteDeps): void {
  const known = new LabelSetCache({ sets: 200_000, bytes: 64 * 1024 * 1024 })
  const decoders: Readonly<Record<Message, (body: Uint8Array) => Received>> = {
    'prometheus.WriteRequest': (body) => decodeRemoteWrite1(body, DEFAULT_BOUNDS, known),
    'io.prometheus.write.v2.Request': (body) => decodeRemoteWrite2(body, DEFAULT_BOUNDS, known),
  }

  app.register(async (scope) => {
    takeBytes(scope, [PROTOBUF_TYPE], (_request, body) => body)
    scope.post(
      '/v1/prometheus/api/v1/write',
      {
        // Described by Prometheus, and not again in the OpenAPI document.
        schema: { hide: true, body: {}, response: { 204: { type: 'null' } } },
        config: { access: 'series:write', takesKeyAsBearer: true, idempotent: false, checksOwnBody: true },
        bodyLimit: MAX_REQUEST_BYTES,
      },
      async (request, reply) => {
        const message = messageOf(request)
        const received = decoded(() => decoders[message](unsnappy(bytesOf(request), MAX_INFLATED_BYTES)))
        const { outcome, refusedHosts } = await take(deps, request, received)
        // A sender of version 1.0 takes these headers for an error.
        if (message === 'io.prometheus.write.v2.Request') reply.headers(countsOf(outcome))
        requireComplete(outcome, refusedHosts)
        return reply.code(204).send()
      },
    )
  })
}

type Message = 'prometheus.WriteRequest' | 'io.prometheus.write.v2.Request'

/** The message that the headers name. Throws unsupported_media_type. */
function messageOf({ headers }: FastifyRequest): Message {
  const proto = /;\s*proto="?([^";\s]+)"?/.exec(headers['content-type'] ?? '')?.[1] ?? 'prometheus.WriteRequest'
  if (proto !== 'prometheus.WriteRequest' && proto !== 'io.prometheus.write.v2.Request')
    throw new ApiError(
      'unsupported_media_type',
      `The message ${JSON.stringify(proto)} is not taken: send prometheus.WriteRequest or io.prometheus.write.v2.Request.`,
    )
  const encoding = headers['content-encoding'] ?? 'snappy'
  if (encoding !== 'snappy')
    throw new ApiError('unsupported_media_type', `The content encoding ${JSON.stringify(encoding)} is not taken: send snappy.`)
  return proto
}

const countsOf = ({ written }: Outcome): Parameters<FastifyReply['headers']>[0] => ({
  'x-prometheus-remote-write-samples-written': String(written),
  'x-prometheus-remote-write-histograms-written': '0',
  'x-prometheus-remote-write-exemplars-written': '0',
})

/**
 * What is not taken now can never be: the sender goes on with what is next, and says in its log what this says. What it should not
 * send at all, as native histograms, is no error for ever.
 */
function requireComplete(outcome: Outcome, refusedHosts: readonly string[]): void {
  const short = shortOf(
    outcome,
    outcome.refused.filter(({ isFault }) => isFault),
  )
  const words = [...(short ? [short.words] : []), ...refusedHosts]
  if (words.length > 0) throw new ApiError(outcome.overLimit ? 'series_limit' : 'validation_error', words.join(' '))
}
