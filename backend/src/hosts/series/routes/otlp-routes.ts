import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type App, decodeText, inflateBody, toApiError } from '../../../platform/http/index.ts'
import {
  DEFAULT_BOUNDS,
  decodeOtlpJson,
  decodeOtlpProtobuf,
  encodeOtlpResponse,
  encodeRpcStatus,
  type OtlpEncoding,
} from '../decoding/index.ts'
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

const JSON_TYPE = 'application/json'
/** Codes of gRPC by status of HTTP. */
const RPC_CODES: Readonly<Record<number, number>> = { 404: 5, 413: 8 }
const INVALID_ARGUMENT = 3

/** Metrics of OTLP over HTTP, in protobuf and JSON. */
export function otlpRoutes(app: App, deps: SeriesRouteDeps): void {
  app.register(async (scope) => {
    takeBytes(scope, [PROTOBUF_TYPE, JSON_TYPE], (request, body) => inflateBody(request, body) ?? body)
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      const { status, message } = toApiError(error)
      // Who may not send, and what may be sent again, is answered as everywhere: senders go by the status.
      if (!request.principal || status >= 500) throw error
      const code = RPC_CODES[status] ?? INVALID_ARGUMENT
      return answer(reply.code(status), encodingOf(request), (encoding) => encodeRpcStatus({ code, message }, encoding))
    })
    scope.post(
      '/v1/otlp/v1/metrics',
      {
        // Described by OpenTelemetry, and not again in the OpenAPI document.
        schema: { hide: true, body: {}, response: { 200: {} } },
        config: {
          access: 'series:write',
          takesKeyAsBearer: true,
          idempotent: false,
          checksOwnBody: true,
          inflatedLimit: MAX_INFLATED_BYTES,
        },
        bodyLimit: MAX_REQUEST_BYTES,
      },
      async (request, reply) => {
        const encoding = encodingOf(request)
        const body = bytesOf(request)
        const principal = deps.principalOf(request)
        const dropped = new Set(principal.kind === 'api_key' ? principal.series.dropLabels : [])
        const received = decoded(() =>
          encoding === 'json'
            ? decodeOtlpJson(JSON.parse(decodeText(body)), DEFAULT_BOUNDS, dropped)
            : decodeOtlpProtobuf(body, DEFAULT_BOUNDS, dropped),
        )
        const { outcome, refusedHosts } = await take(deps, request, received)
        const short = shortOf(outcome, outcome.refused)
        const words = [...(short ? [short.words] : []), ...refusedHosts]
        const partial = words.length === 0 ? undefined : { rejectedDataPoints: short?.points ?? 0, errorMessage: words.join(' ') }
        return answer(reply, encoding, (form) => encodeOtlpResponse(partial, form))
      },
    )
  })
}

const encodingOf = ({ headers }: FastifyRequest): OtlpEncoding =>
  headers['content-type']?.startsWith(JSON_TYPE) === true ? 'json' : 'protobuf'

const answer = (reply: FastifyReply, encoding: OtlpEncoding, encode: (encoding: OtlpEncoding) => Buffer): FastifyReply =>
  reply.type(encoding === 'json' ? JSON_TYPE : PROTOBUF_TYPE).send(encode(encoding))
