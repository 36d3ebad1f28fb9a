import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type RouteOptions,
} from 'fastify'
import type { TSchema } from 'typebox'
import type { Clock } from '../time/clock.ts'
import { createWaitingBudget, MANY_STEPS, type WaitingBudget, withBudget } from '../db/index.ts'
import { ApiError, invalid } from '../errors.ts'
import { languageOf, translateAnswer } from '../language/index.ts'
import { newRandomId } from '../ids.ts'
import type { Log } from '../logging/log.ts'
import type { App } from './app.ts'
import { answerClientError } from './client-error.ts'
import { compressAnswers } from './compression.ts'
import { createCors } from './cors.ts'
import { toApiError, toEnvelope } from './envelope.ts'
import { type OwnFaults, withOwnFaults } from './own-faults.ts'
import { addJsonParser } from './json-body.ts'
import { takeMissingBodies } from './missing-body.ts'
import { limitGroup, limitHeaders, limitKeyOfAddress, type RateLimiter } from './rate-limit.ts'
import { allowedMethods, type KnownRoute, routeOf } from './route-methods.ts'
import { buildLazySerializer } from './lazy-serializer.ts'
import { createValidatorCompiler, findUnstorable, isExplained } from './validation.ts'

function speak(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const language = routeOf(request).config.speaks === true ? languageOf(request.headers['accept-language']) : 'en'
  if (language === 'en' || reply.statusCode >= 300) return done(null, payload)
  reply.header('content-language', language)
  done(null, translateAnswer(payload, language))
}

/** Bodies of all routes but the pushes of agents, which state their own. */
const BODY_LIMIT_BYTES = 1_048_576
const HEADER_LIMIT_BYTES = 16_384
const URL_LIMIT = 8_192

/** How long a client may take for its headers, and for the whole request: a push of 1 MiB fits at 0.6 Mbit/s. */
export const TIMEOUTS = { headersMs: 10_000, requestMs: 15_000, checkEveryMs: 2_000 }

/**
 * Defaults that forbid sniffing, active content and embedding; pages relax some of them. Names are in lower case, which saves the
 * framework a conversion per response.
 */
const GUARDING_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
}
/** One year for this host only; subdomains may belong to others. */
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000' }

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request may still wait for the database. */
    waiting: WaitingBudget | undefined
  }
}

export interface ServerOptions {
  log: Log
  clock: Clock
  limiter: RateLimiter
  /** How many proxies in front are trusted for the client address. */
  trustedProxies: number
  /** Origins whose pages may call the API under /v1; default none. */
  corsOrigins?: readonly string[]
  tls: { cert: Buffer; key: Buffer } | undefined
  /** Leads requests of other hosts to other paths. */
  rewriteUrl?: (request: IncomingMessage) => string
  /** Named schemas, to which routes refer. */
  schemas: TSchema[]
  /** How long a request may wait for the database in all; without it, as long as its statements may. */
  databaseLimitMs?: number
  /** Replaces TIMEOUTS in tests. */
  timeouts?: typeof TIMEOUTS
}

const budgetOf = ({ routeOptions }: FastifyRequest, limitMs: number): WaitingBudget =>
  createWaitingBudget(limitMs, limitMs * (routeOptions.config.hasManySteps ? MANY_STEPS : 1))

/** A server without routes. Every response, also to malformed requests, has the envelope, the request id and the limits. */
export function createServer(options: ServerOptions): App {
  const { log, limiter, tls } = options
  const cors = createCors(options.corsOrigins ?? [])
  const guarding = tls ? { ...GUARDING_HEADERS, ...HTTPS_ONLY } : GUARDING_HEADERS
  const guardAnswer = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(guarding)
    // The registered URL where there is one: other spellings of the path reach the same route.
    if (!isApi(routeOf(request).url ?? pathOf(request.url))) return
    // Responses of the API are private to the caller.
    reply.header('cache-control', 'no-store')
    cors.allow(request, reply)
  }
  const refuse = (code: string | undefined, socket: Socket) => {
    const limits = limitHeaders(limiter.record(limitKeyOfAddress(socket.remoteAddress, 'read'), 'read'))
    answerClientError(code, socket, newRandomId(), limits)
  }
  const app = fastify({
    ...settingsOf(options),
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      guardAnswer(request, reply)
      void answerError(error, request, reply, log, limiter)
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => refuse(error.code, socket),
  } as FastifyServerOptions).withTypeProvider<TypeBoxTypeProvider>()

  // Without these listeners Node closes CONNECT requests and answers unknown expectations without an envelope.
  app.server.on('connect', (_request, socket: Socket) => refuse('CONNECT', socket))
  // No response is possible before the handshake, and a write would keep the connection open.
  app.server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))

  app.decorateRequest('route', undefined)
  app.decorateRequest('waiting', undefined)
  for (const schema of options.schemas) app.addSchema(schema)
  app.setValidatorCompiler(createValidatorCompiler(options.schemas))
  addJsonParser(app)
  takeMissingBodies(app, options.schemas)
  compressAnswers(app)
  const routes: KnownRoute[] = []
  app.addHook('onRoute', (route) => {
    completeRoute(route)
    routes.push({ methods: [route.method].flat(), url: route.url })
  })
  // Both with callbacks: a promise per hook and request costs more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // First, because error responses need it too.
    guardAnswer(request, reply)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw invalid(NO_HOST)
    // A proxy may have read another one than we do.
    if (hasTwoHosts(request.raw.rawHeaders)) throw invalid(TWO_HOSTS)
    if (request.url.length > URL_LIMIT) throw new ApiError('uri_too_long', `The URL is longer than ${URL_LIMIT} characters.`)
    if (options.databaseLimitMs === undefined) return done()
    withBudget((request.waiting = budgetOf(request, options.databaseLimitMs)), done)
  })
  // A body arrives by events of the connection, which are outside of what the first hook began.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.waiting) withBudget(request.waiting, done)
    else done()
  })
  app.addHook('preHandler', (request, _reply, done) => {
    refuseStrayContent(request)
    done()
  })
  app.addHook('preSerialization', speak)
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, log, limiter))
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const allowed = allowedMethods(routes, path)
    // A file that is missing is one of a path that is served.
    if (allowed.length === 0 || allowed.includes(request.method))
      throw new ApiError('not_found', 'There is nothing here under this name.')
    // Here the limits are counted already: a browser's question is a request like any other.
    const permission = isApi(path) ? cors.preflight(request, allowed) : undefined
    if (permission) return reply.code(204).headers(permission).send()
    throw new MethodNotAllowed(allowed)
  })
  return app
}

/** The settings of the framework and of Node. */
const settingsOf = ({ tls, trustedProxies, rewriteUrl, timeouts = TIMEOUTS }: ServerOptions) => ({
  // Typed as HTTP/1: HTTPS differs only in the socket, which is not used here.
  // Node waits two minutes for a handshake, twelve times as long as for a request.
  ...(tls ? ({ https: { ...tls, handshakeTimeout: timeouts.headersMs } } as object) : {}),
  http: {
    maxHeaderSize: HEADER_LIMIT_BYTES,
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkEveryMs,
    // Refused by a hook, in the envelope: Node's own answer has neither a body nor our headers.
    requireHostHeader: false,
  },
  requestTimeout: timeouts.requestMs,
  // Above the push interval of 60 s, so that an agent keeps its connection.
  keepAliveTimeout: 75_000,
  bodyLimit: BODY_LIMIT_BYTES,
  forceCloseConnections: 'idle',
  // A function: the framework takes a bare number of hops for "none".
  trustProxy: trustedProxies > 0 && ((_address: string, hop: number) => hop < trustedProxies),
  routerOptions: { maxParamLength: URL_LIMIT, caseSensitive: true, ignoreTrailingSlash: false },
  ...(rewriteUrl && { rewriteUrl }),
  genReqId: newRandomId,
  logger: false,
  ajv: { customOptions: { removeAdditional: false } },
  schemaController: { bucket: createSchemaBucket, compilersFactory: { buildSerializer: buildLazySerializer } },
})

type CreateBucket = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['bucket']>

/** The framework's own copies all schemas for each route, which is a quarter of the time in which the app gets ready. */
const createSchemaBucket: CreateBucket = (inherited) => {
  const schemas: Record<string, unknown> = { ...(inherited as object | undefined) }
  const bucket = {
    add: (schema: { $id: string }) => (schemas[schema.$id] = schema),
    getSchema: (id: string) => schemas[id],
    getSchemas: () => schemas,
  }
  // Typed as if `add` returned the app, whose own method does.
  return bucket as unknown as ReturnType<CreateBucket>
}

const NO_HOST = { path: '', message: 'The request has no Host header.' }
const TWO_HOSTS = { path: '', message: 'The request has more than one Host header.' }

/** Names and values in turn. Node keeps the first of several and says nothing. */
function hasTwoHosts(headers: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

class MethodNotAllowed extends ApiError {
  readonly allowed: string[]
  constructor(allowed: string[]) {
    super('method_not_allowed', `This path takes ${allowed.join(', ')} only.`)
    this.allowed = allowed
  }
}

/** The token of a subscription to a status page ends it. */
const maskToken = (path: string): string =>
  path.replace(/(\/(?:subscriptions|in(?:\/(?:alertmanager|opsgenie|pagerduty))?)\/)[^/]+/, '$1…')

export const pathOf = (url: string): string => url.split('?', 1)[0] as string
const isApi = (path: string): boolean => path.startsWith('/v1/')

/** A route that names no query takes none: a typo in a parameter must not pass silently. */
function completeRoute(route: Pick<RouteOptions, 'url' | 'method' | 'schema'>): void {
  if (!route.url.startsWith('/v1')) return
  if (!route.schema?.response) throw new Error(`${String(route.method)} ${route.url} declares no response schema`)
  if (!route.schema.querystring) route.schema.querystring = { type: 'object', properties: {}, additionalProperties: false }
}

/** Refuses a body where none is taken, and text that the database cannot keep, before anything is done. */
function refuseStrayContent(request: FastifyRequest): void {
  const { schema, config } = routeOf(request)
  if (schema && !schema.body && request.body && typeof request.body === 'object') {
    const [name] = Object.keys(request.body)
    if (name !== undefined) throw invalid({ path: name, message: 'is unknown' })
  }
  if (!isDecodable(request.url)) throw invalid({ path: '', message: 'The query is not UTF-8 in percent-encoding.' })
  if (config.checksOwnBody) return
  const path = findUnstorable(request.body) ?? findUnstorable(request.query)
  if (path !== undefined) throw invalid({ path, message: 'must not contain NUL or half a surrogate pair' })
}

/** The framework's parser keeps what it cannot decode as it is. */
function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/** Faults of a body that its schema refuses, together with those that the handler would have found. */
async function withAllFaults(thrown: unknown, request: FastifyRequest): Promise<ApiError> {
  const error = toApiError(thrown)
  if ((thrown as { validationContext?: string }).validationContext !== 'body') return error
  const { ownFaults } = request.routeOptions.config
  if (!ownFaults || !error.details || !isExplained(request.body)) return error
  try {
    const own = (...given: Parameters<OwnFaults>) => ownFaults(...given, request)
    return new ApiError(error.code, error.message, { details: await withOwnFaults(error.details, request.body, own) })
  } catch {
    return error // what is stored is away, or the id is none: the body is refused as it is
  }
}

async function answerError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
  limiter: RateLimiter,
): Promise<FastifyReply> {
  const error = await withAllFaults(thrown, request)
  if (error.status >= 500) {
    const facts = {
      err: error.cause ?? error,
      request_id: request.id,
      method: request.method,
      path: maskToken(pathOf(request.url)),
    }
    log.error(facts, 'a request failed')
  }
  reply.header('X-Request-Id', request.id)
  // Errors that come before the gate have not met the limiter yet.
  if (!reply.hasHeader('X-RateLimit-Limit')) {
    const group = limitGroup(request.method, pathOf(request.url))
    reply.headers(limitHeaders(limiter.record(limitKeyOfAddress(request.ip, group), group)))
  }
  // Of the limit that refused, where the gate has counted another one: a login has those of its address and of its e-mail.
  if (error.limit) {
    const { max, resetAtSeconds } = error.limit
    reply.headers(limitHeaders({ limit: max, remaining: 0, resetAtSeconds }))
  }
  if (error.retryAfterSeconds !== undefined) reply.header('Retry-After', String(error.retryAfterSeconds))
  // Node reads what is left of a body and throws it away, within the time of a request. A connection that is closed while more
  // arrives is reset, and the answer is lost with it: a proxy answers 502 in its place.
  reply.removeHeader('Connection')
  if (error.status === 401) reply.header('WWW-Authenticate', 'Bearer')
  if (error instanceof MethodNotAllowed) reply.header('Allow', error.allowed.join(', '))
  const own = request.routeOptions.config?.errorAnswer?.(error, request)
  return reply
    .code(own?.status ?? error.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(own?.body ?? toEnvelope(error, request.id))
}
