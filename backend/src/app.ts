import fastifyJwt from '@fastify/jwt'
import {
  ApiKey,
  ApiKeyList,
  AuditEvent,
  AuditList,
  ErrorEnvelope,
  Invitation,
  InvitationList,
  Me,
  Member,
  MemberList,
  MetricSnapshot,
  NewApiKey,
  NewInvitation,
  Organization,
  OrganizationItem,
  OrganizationList,
  PushAnswer,
  RegeneratedToken,
  RegisterAnswer,
  Sample,
  SampleColumns,
  Batch,
  PushBody,
  ServerDetails,
  ServerItem,
  ServerList,
  ServerMetrics,
  Session,
  SessionItem,
  SessionList,
  SetupState,
  Ref,
  TotpSetup,
  TotpState,
} from '@vedette/shared'
import { apiKeyRoutes, createKeyUsage, noteKeyUse } from './api-keys/index.ts'
import { auditRoutes } from './audit/index.ts'
import {
  type Access,
  type AccessRule,
  admit,
  authRoutes,
  type Authenticator,
  createAuthenticator,
  createSessionTokens,
  deleteExpired,
  limitKeyOf,
  type Principal,
  sendResets,
  type SessionTokens,
  tenantOf,
} from './auth/index.ts'
import { dashboardRoutes } from './dashboard/index.ts'
import { healthRoutes } from './health/index.ts'
import { publicUrl } from './listen.ts'
import { invitationRoutes, memberRoutes } from './members/index.ts'
import { createIngester, createStateBuffer, deleteOrganizationSamples, metricRoutes, sampleSource } from './metrics/index.ts'
import { organizationRoutes } from './organizations/index.ts'
import type { Clock } from './platform/clock.ts'
import type { Pool } from './platform/db/index.ts'
import { ApiError, notFound, unavailable } from './platform/errors.ts'
import {
  type App,
  createCreating,
  createServer,
  createUnlimited,
  type LimitGroup,
  type LimitState,
  limitGroup,
  limitHeaders,
  limitKeyOfAddress,
  pathOf,
  publishOpenApi,
  type RateLimiter,
  requireIdempotency,
} from './platform/http/index.ts'
import { forgetOldAnswers } from './platform/idempotency/index.ts'
import { createLimitStore, type DatabaseClock, type SharedLimiter, startSharedLimiter } from './platform/limits/index.ts'
import type { Log } from './platform/log.ts'
import type { Mailer } from './platform/mail.ts'
import { createSealer } from './platform/sealer.ts'
import type { InstallationSecrets } from './platform/secrets.ts'
import { createMailer } from './platform/smtp.ts'
import { type Uptime, serverRoutes } from './servers/index.ts'
import { setupRoutes } from './setup/index.ts'
import type { RateLimits, Settings } from './settings.ts'

declare module 'fastify' {
  /** A route under /v1 that does not say who may call it stops the start-up. */
  interface FastifyContextConfig extends Partial<AccessRule> {
    /** The handler's own statement proves the server token; a token seen a moment ago is presumed until then. */
    provesToken?: boolean
  }
  interface FastifyRequest {
    /** Who asks; undefined on routes that are open. */
    principal: Principal | undefined
  }
}

/** Named parts of the published description. */
const SCHEMAS = [
  ErrorEnvelope,
  Session,
  SessionItem,
  SessionList,
  Me,
  TotpState,
  TotpSetup,
  SetupState,
  Sample,
  SampleColumns,
  Batch,
  PushBody,
  PushAnswer,
  RegisterAnswer,
  MetricSnapshot,
  ServerItem,
  ServerList,
  ServerDetails,
  RegeneratedToken,
  ServerMetrics,
  ApiKey,
  NewApiKey,
  ApiKeyList,
  AuditEvent,
  AuditList,
  OrganizationItem,
  OrganizationList,
  Organization,
  Member,
  MemberList,
  Invitation,
  NewInvitation,
  InvitationList,
]

/** Every route may answer these; the success is the route's own. */
const errorResponses = Object.fromEntries(
  [400, 401, 402, 403, 404, 405, 408, 409, 413, 414, 415, 429, 431, 500, 503].map((status) => [status, Ref(ErrorEnvelope)]),
)

export interface AppDeps {
  settings: Settings
  pool: Pool
  clock: Clock
  /** The clock of the limits' windows, the same for all instances. */
  databaseClock: DatabaseClock
  log: Log
  secrets: InstallationSecrets
  uptime: Uptime
  tls: { cert: Buffer; key: Buffer } | undefined
  version: string
  /** Where mail goes instead of the server that the settings name. */
  mailer?: Mailer | undefined
}

/** One method of one path, HEAD included. */
export interface RouteAccess {
  method: string
  /** As registered: `/v1/servers/:id`. */
  url: string
  access: Access
}

export interface VedetteApp {
  app: App
  /** Every route below /v1 with who may call it: what the tests of access are made of. */
  routes: readonly RouteAccess[]
  tokens: SessionTokens
  /** Stores what is due of what is kept in memory for the moment; called every few seconds. */
  flush(): Promise<void>
  /** Stores all of it; called at the end. */
  flushAll(): Promise<void>
  /** Resolves when every push that was taken is stored. */
  drain(): Promise<void>
  /** Sends the links to reset passwords that were asked for; called every few seconds where mail is set up. */
  sendResets(): Promise<void>
  /** Deletes sessions and links that are past their time; called every hour. */
  deleteExpired(): Promise<void>
  /** Keeps the limits in step with the other instances; called every few seconds. */
  keepLimits(): Promise<void>
  /** Forgets answers to repeats that are no longer kept; called every hour or so. */
  forgetOldAnswers(): Promise<void>
}

const UNLIMITED: RateLimits = { auth: 10, read: 100, write: 30, agent: 1_000 }

/** The whole HTTP side: every route, who may call it, and the limits. Listens nowhere yet. */
export async function createApp(deps: AppDeps): Promise<VedetteApp> {
  const { settings, pool, clock, log, secrets, uptime } = deps
  const { db } = pool
  const limiter = await startLimiter(deps)
  const app = createServer({ log, clock, limiter, trustedProxies: settings.trustedProxies, tls: deps.tls, schemas: SCHEMAS })
  await app.register(fastifyJwt, { secret: secrets.derive('session token')[0] })
  const tokens = createSessionTokens(app.jwt, secrets)
  const keyUsage = createKeyUsage(db, clock)
  const authenticator = noteKeyUse(createAuthenticator(db, clock, tokens), keyUsage)
  const routes: RouteAccess[] = []
  guard(app, authenticator, limiter, routes)
  requireIdempotency(app)
  await publishOpenApi(app, deps.version)

  const intervals = { sampleIntervalSeconds: settings.sampleIntervalSeconds, pushIntervalSeconds: settings.pushIntervalSeconds }
  const principalOf = (request: object) => (request as { principal: Principal }).principal
  const organizationOf = (request: object) => tenantOf(principalOf(request)).number
  const states = createStateBuffer(db, clock)
  const ingester = createIngester(pool, clock, log)
  const auth = { db, clock, tokens, sealer: createSealer(secrets.derive('totp')) }
  const ending = new AbortController()
  app.addHook('onClose', async () => ending.abort())
  const mailer = deps.mailer ?? createMailer(settings.smtpUrl, settings.mailFrom, { ending: ending.signal })
  const resets = { ...auth, log, mailer, publicUrl: () => publicUrl(settings, portOf(app) ?? settings.port) }
  const creating = createCreating({ db, clock, senderOf: (request) => senderOf(principalOf(request)) })
  const samples = sampleSource({ db, clock, states })

  const limitEmail = (email: string) => refuseOver(limiter, `email:${email}`, 'auth')
  authRoutes(app, { ...resets, errorResponses, principalOf, limitEmail })
  setupRoutes(app, { ...auth, secrets, errorResponses })
  organizationRoutes(app, { db, clock, log, deleteSamples: deleteOrganizationSamples, errorResponses, principalOf, creating })
  memberRoutes(app, { db, clock, errorResponses, principalOf })
  invitationRoutes(app, { ...resets, errorResponses, principalOf, limitEmail })
  serverRoutes(app, { db, clock, uptime, samples, ...intervals, errorResponses, principalOf, creating })
  metricRoutes(app, { db, clock, ingester, states, authenticator, ...intervals, errorResponses, principalOf })
  apiKeyRoutes(app, { db, clock, errorResponses, principalOf, creating })
  auditRoutes(app, { db, errorResponses, organizationOf })
  healthRoutes(app, { db })
  await dashboardRoutes(app, { version: deps.version, https: settings.tls !== undefined })
  app.addHook('onClose', () => limiter.leave())
  const flushing = (...parts: Promise<void>[]) => Promise.all(parts).then(() => undefined)
  return {
    app,
    routes,
    tokens,
    flush: () => flushing(states.flush(), keyUsage.flush()),
    flushAll: () => flushing(states.flushAll(), keyUsage.flush()),
    drain: () => ingester.drain(),
    sendResets: () => sendResets(resets),
    deleteExpired: () => deleteExpired(auth),
    keepLimits: () => limiter.keep(),
    forgetOldAnswers: () => forgetOldAnswers(db, clock.now()),
  }
}

/** The port that was taken; undefined while nothing listens. */
function portOf(app: App): number | undefined {
  const address = app.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

const senderOf = (principal: Principal) => ({ credential: limitKeyOf(principal), organization: principal.tenant?.id })

async function startLimiter({ settings, pool, clock, databaseClock, log }: AppDeps): Promise<SharedLimiter> {
  const { rateLimits: limits } = settings
  if (limits) return startSharedLimiter({ store: createLimitStore(pool), limits, databaseClock, clock, log })
  const nothing = () => Promise.resolve()
  return { ...createUnlimited(UNLIMITED, databaseClock), keep: nothing, leave: nothing }
}

async function refuseOver(limiter: RateLimiter, key: string, group: LimitGroup): Promise<void> {
  refuse(await limiter.take(key, group), limiter)
}

/** Throws rate_limited, or unavailable where nobody can say whether the limit is reached. */
function refuse({ verdict, resetAtSeconds }: LimitState, { now }: { now(): number }): void {
  if (verdict === 'admitted') return
  if (verdict === 'unknown') throw unavailable()
  const retryAfterSeconds = Math.max(1, Math.ceil(resetAtSeconds - now() / 1000))
  throw new ApiError('rate_limited', `Too many requests. Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}

/**
 * The gate before every handler: who asks, then the limit of that credential (of the address where there is none that is
 * valid), then whether the route lets them. Its headers are on every response, whatever becomes of the request. Notes each
 * route that it guards.
 */
function guard(app: App, authenticator: Authenticator, limiter: RateLimiter, routes: RouteAccess[]): void {
  app.decorateRequest('principal', undefined)
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!url.startsWith('/v1')) return
    const access = config?.access
    if (!access) throw new Error(`${String(method)} ${url} does not say who may call it`)
    if (url.startsWith('/v1/organizations/:id') !== (config.organizationFromPath === true))
      throw new Error(`${String(method)} ${url}: organizationFromPath goes with /v1/organizations/:id`)
    if (access === 'open' && config.idempotent)
      throw new Error(`${String(method)} ${url} is open: a repeat is known by the credential that sends it`)
    routes.push(...[method].flat().map((one) => ({ method: one, url, access })))
  })
  // With a callback: a push, whose token is presumed and whose limit is counted in memory, passes without a promise.
  app.addHook('onRequest', (request, reply, done) => {
    // As registered: the router also knows a route by `/%76%31/…` and `http://host/v1/…`, which must meet the same gate.
    const path = request.routeOptions.url ?? pathOf(request.url)
    const group = limitGroup(request.method, path)
    if (!path.startsWith('/v1/')) {
      reply.headers(limitHeaders(limiter.peek(limitKeyOfAddress(request.ip), group)))
      done()
      return
    }
    reply.headers(API_HEADERS)
    const { config } = request.routeOptions
    const { access = 'open', provesToken = false } = config
    const take = (asked: Principal | ApiError | undefined): void | Promise<void> => {
      const principal = asked instanceof ApiError ? undefined : asked
      const decide = (state: LimitState): void | Promise<void> => {
        reply.headers(limitHeaders(state))
        refuse(state, limiter)
        if (asked instanceof ApiError) throw asked
        if (!principal) return
        const admitted = admit(authenticator, principal, config as AccessRule, request.params as Record<string, string>)
        if (admitted instanceof Promise) return admitted.then((placed) => void (request.principal = placed))
        request.principal = admitted
      }
      const state = limiter.take(principal ? limitKeyOf(principal) : limitKeyOfAddress(request.ip), group)
      return state instanceof Promise ? state.then(decide) : decide(state)
    }
    const asked = access === 'open' ? undefined : identify(authenticator, request.headers, provesToken)
    const taken = asked instanceof Promise ? asked.then(take) : take(asked)
    if (taken instanceof Promise) {
      // oxlint-disable-next-line promise/no-callback-in-promise -- the framework's hook takes either form, not both
      taken.then(() => done(), done)
      return
    }
    done()
  })
  // After the body was judged: whether the organization of the path is there is the last question.
  app.addHook('preHandler', (request, _reply, done) => {
    const { access = 'open' } = request.routeOptions.config
    done(access === 'open' || request.principal ? undefined : notFound())
  })
}

/** Answers are for the one who asked, and are what they say they are. */
const API_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

/** Who asks, or why that is not known: the limit of the address is counted before the refusal. */
function identify(
  authenticator: Authenticator,
  headers: Record<string, string | string[] | undefined>,
  provesToken: boolean,
): Principal | Promise<Principal | ApiError> {
  const one = (name: string) => headers[name] as string | undefined
  const given = { authorization: one('authorization'), apiKey: one('x-api-key'), organizationId: one('x-organization-id') }
  const found = provesToken ? authenticator.presume(given) : authenticator.authenticate(given)
  if (!(found instanceof Promise)) return found
  return found.catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  })
}
