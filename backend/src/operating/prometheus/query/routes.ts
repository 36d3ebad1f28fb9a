import type { FastifyReply, FastifyRequest } from 'fastify'
import { type RouteDeps, tenantOf } from '../../../access/auth/index.ts'
import type { Reader } from '../../../platform/db/index.ts'
import { type App, compress } from '../../../platform/http/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type EvaluatorPool, PromqlError, type PromqlErrorKind } from '../../../querying/promql/index.ts'
import type { Parameters } from './parameters.ts'
import { type ApiPath, pathsOf } from './paths.ts'
import { createSources, type SourceDeps } from './queries.ts'

export interface PrometheusQueryDeps extends RouteDeps, SourceDeps {
  reader: Reader
  clock: Clock
  version: string
  evaluators: EvaluatorPool
}

const PREFIX = '/v1/prometheus/api/v1'
const STATUS: Readonly<Record<PromqlErrorKind, number>> = { bad_data: 400, execution: 422, timeout: 503, canceled: 503 }
const FORM_BYTES = 131_072

/** The query API of Prometheus over everything that is stored of an organization. */
export async function prometheusQueryRoutes(app: App, deps: PrometheusQueryDeps): Promise<void> {
  const paths = pathsOf({ ...deps, pool: deps.evaluators, catalogue: createSources(deps) })
  await app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request: unknown, body: string, parsed: (error: null, body: string) => void) => parsed(null, body),
    )
    for (const path of paths) register(scope, deps, path)
  })
}

function register(app: Pick<App, 'get' | 'post'>, { principalOf }: RouteDeps, { path, takesForms, answer }: ApiPath): void {
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const organization = tenantOf(principalOf(request)).number
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    try {
      const found = await answer({ organization, parameters: parametersOf(request), name: labelOf(request), signal: gone.signal })
      return reply.send('bytes' in found ? found.bytes : JSON.stringify({ status: 'success', ...found }))
    } catch (error) {
      if (!(error instanceof PromqlError)) throw error
      const { kind, message } = error
      return reply.code(STATUS[kind]).send(JSON.stringify({ status: 'error', errorType: kind, error: message }))
    }
  }
  // Described by Prometheus, and not again in the OpenAPI document.
  const anything = { type: 'object', additionalProperties: true }
  const schema = { hide: true, querystring: anything, response: { '2xx': anything } }
  const config = { access: 'read', takesKeyAsBearer: true, idempotent: false } as const
  app.get(PREFIX + path, { schema, config }, handle)
  if (takesForms) app.post(PREFIX + path, { schema, config, onSend: compress }, handle)
}

/** Of `/label/<name>/values`; empty for other paths. */
function labelOf({ params }: FastifyRequest): string {
  const { '*': rest } = params as { '*'?: string }
  if (rest === undefined) return ''
  const name = /^([^/]+)\/values$/.exec(rest)?.[1]
  if (name === undefined) throw new PromqlError('bad_data', 'the path is label/<name>/values')
  return name
}

/** Those of the address, then those of a form. */
function parametersOf(request: FastifyRequest): Parameters {
  const { search } = new URL(request.url, 'http://localhost')
  const parameters = new URLSearchParams(search)
  if (typeof request.body === 'string')
    for (const [name, value] of new URLSearchParams(request.body)) parameters.append(name, value)
  return parameters
}
