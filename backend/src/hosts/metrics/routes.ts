import {
  ServerParams,
  MAX_INFLATED_PUSH_BYTES,
  MAX_PUSH_BYTES,
  MetricsQuery,
  PushAnswer,
  PushBody,
  Ref,
  ServerMetrics,
} from '@vedette/shared'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BINARY_PUSH_TYPE } from '@vedette/shared/metrics/binary-push'
import { type Principal, tenantOf } from '../../access/auth/index.ts'
import type { Reader } from '../../platform/db/index.ts'
import { type App, createPlainBodyHook, decodeText, inflateBody, writeWithoutSchema } from '../../platform/http/index.ts'
import { decodeId } from '../../platform/ids.ts'
import { createServerCache } from './query/server-cache.ts'
import { readMetrics } from './query/read-metrics.ts'
import { createSampleReader } from './query/sample-reader.ts'
import { type SubmitDeps, submitPush } from './ingest/submit.ts'

export interface MetricRouteDeps extends SubmitDeps {
  reader: Reader
  principalOf(request: object): Principal
}

export function metricRoutes(app: App, { principalOf, reader, ...deps }: MetricRouteDeps): void {
  const reading = { ...deps, samples: createSampleReader(), servers: createServerCache(deps.db) }
  // Of its own, so that no other route takes the binary form.
  app.register(async (pushes: App) => pushRoute(pushes, { principalOf, ...deps }))

  app.get(
    '/v1/servers/:id/metrics',
    {
      schema: {
        operationId: 'getServerMetrics',
        summary: 'Get metrics of a server over a period',
        description:
          'Gauges are the newest value in the period, rates the mean over it. With `points`, series over the whole period are added. ' +
          'Instead of `period`, `from` (inclusive) and `to` (exclusive) select a range of up to 400 days. Single samples are kept for ' +
          '8 days or more, and the plan limits how far back they can be read: a range that begins earlier has steps of at least ' +
          '5 minutes. A range that begins before the oldest kept sample is widened to whole UTC days.',
        tags: ['servers'],
        params: ServerParams,
        querystring: MetricsQuery,
        response: { 200: Ref(ServerMetrics) },
      },
      config: { access: 'read' },
      serializerCompiler: writeWithoutSchema,
    },
    async (request) => {
      const [tenant, id] = [tenantOf(principalOf(request)), decodeId('server', request.params.id)]
      return reader((from) => readMetrics({ ...reading, db: from.db, from }, tenant, id, request.query))
    },
  )
}

function pushRoute(app: App, { principalOf, ...deps }: Omit<MetricRouteDeps, 'reader'>): void {
  const compile = app.validatorCompiler as NonNullable<App['validatorCompiler']>
  app.addContentTypeParser(BINARY_PUSH_TYPE, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const inflated = inflateBody(request, body)
    if (inflated) return inflated
    done(null, body)
    return undefined
  })

  app.post(
    '/v1/agent/metrics',
    {
      onRequest: createPlainBodyHook({
        limitBytes: MAX_PUSH_BYTES,
        status: 202,
        parsers: {
          'application/json': (bytes) => JSON.parse(decodeText(bytes)) as unknown,
          [BINARY_PUSH_TYPE]: (bytes) => bytes,
        },
        answer: async (request, reply, takeBody) => {
          offerBinaryForm(request, reply)
          return JSON.stringify(await submitPush(deps, principalOf(request), takeBody))
        },
      }),
      schema: {
        operationId: 'submitMetrics',
        summary: 'Submit samples',
        description:
          'A batch by rows or by columns, or several under `batches`; gzip is accepted. The answer comes only after the samples are durable, ' +
          'and the same push again stores nothing twice. Unknown fields are ignored: an agent may be newer than its backend.',
        tags: ['agent'],
        body: Ref(PushBody),
        response: { 202: Ref(PushAnswer) },
      },
      config: {
        access: 'metrics:write',
        // A batch has an id of its own.
        idempotent: false,
        provesToken: true,
        checksOwnBody: true,
        inflatedLimit: MAX_INFLATED_PUSH_BYTES,
        refuses: {
          403: "The key may not do this, or a server's token names another server",
          409: 'Another machine pushes with this token: one is a copy of the other',
        },
      },
      bodyLimit: MAX_PUSH_BYTES,
      // parsePush validates by the same schema and reports all faults.
      validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : compile(part)),
    },
    async (request, reply) => {
      reply.code(202)
      offerBinaryForm(request, reply)
      return submitPush(deps, principalOf(request), () => {
        const given: { body: unknown } = request
        const { body } = given
        // Parsed it is ten times its samples, which is what may have to wait.
        given.body = undefined
        return body
      })
    },
  )
}

/** Says to an agent that its next push may be in the binary form (RFC 9110, 12.5.1: Accept in an answer). */
function offerBinaryForm({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers['content-type'] !== BINARY_PUSH_TYPE) reply.header('accept', `${BINARY_PUSH_TYPE}, application/json`)
}
