import fastifyJwt from '@fastify/jwt'
import { type AppContext, type AppDeps, createAppContext, createCallers } from './app-context.ts'
import { authorizeRequests, type RouteAccess, type SessionTokens } from './access/auth/index.ts'
import { FEATURES } from './features.ts'
import { OPENAPI_INFO, SCHEMAS, traitsOf } from './operating/openapi/index.ts'
import { readAllPartitions } from './partitions.ts'
import type { Db } from './platform/db/index.ts'
import { type App, addEtags, createServer, createUnlimited, publishOpenApi, requireIdempotency } from './platform/http/index.ts'
import { createLimitStore, type SharedLimiter, startSharedLimiter } from './platform/limits/index.ts'
import { RATE_LIMITS } from './operating/settings/index.ts'
import { createPageCopies, type PageCopies, rewriteOwnDomain } from './pages/status-pages/index.ts'

export type { AppDeps } from './app-context.ts'

export interface VedetteApp {
  app: App
  /** Every route below /v1 with who may call it: what the tests of access are made of. */
  routes: readonly RouteAccess[]
  /** Every other route: the test of limits walks over them. */
  pages: readonly { method: string; url: string }[]
  tokens: SessionTokens
  /** Stores the buffered values that are due; called every second. Of what pushes bring only where that is at least so many. */
  flush(least?: number): Promise<void>
  /** Stores all buffered values; called at the stop. */
  flushAll(): Promise<void>
  /** Resolves when every accepted push is stored. */
  drain(): Promise<void>
  /** Takes the alert of a mail. */
  deliverMail: AppContext['deliverMail']
  /** Reads new events and sends them to the open event streams; runs every 250 ms while there are any. */
  pollEvents(): Promise<void>
  /** Stores the results of missed pings that are due; resolves with the ms until the next ones. */
  watchHeartbeats(): Promise<number>
  /** The copies of published status pages, which are read again in the background. */
  copies: PageCopies
  /** Calls back when a missed ping may be due before the next planned look. */
  onHeartbeatDue(wake: () => void): void
  /** Keeps the limits in step with the other instances; called every few seconds. */
  keepLimits(): Promise<void>
}

/** The HTTP application: all routes with their access rules and limits. It does not listen yet. */
export async function createApp(deps: AppDeps): Promise<VedetteApp> {
  const { settings, pool, clock, log, secrets, tls } = deps
  const { db, requestLimitMs: databaseLimitMs } = pool
  const limiter = await startLimiter(deps)
  const copies = createPageCopies({ db, clock, log, changes: deps.changes, folder: deps.pagesFolder })
  const { trustProxy: trustedProxies, corsOrigins } = settings
  const rewriteDomain = rewriteOwnDomain((domain) => copies.slugOf(domain))
  // Where senders of OpenTelemetry look for it, below an address that ends in `/otlp`.
  const rewriteUrl: typeof rewriteDomain = (request) => rewriteDomain(request).replace(/^\/otlp\/v1\//, '/v1/otlp/v1/')
  const app = createServer({
    log,
    clock,
    limiter,
    trustedProxies,
    corsOrigins,
    tls,
    rewriteUrl,
    schemas: SCHEMAS,
    databaseLimitMs,
  })
  await app.register(fastifyJwt, { secret: secrets.derive('session token')[0] })
  const pages: { method: string; url: string }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if (!url.startsWith('/v1')) pages.push(...[method].flat().map((one) => ({ method: one, url })))
  })
  const callers = createCallers(deps, app)
  const { authenticator, routes, origins, refusals } = callers
  authorizeRequests(app, authenticator, limiter, routes, { used: origins.record, refused: refusals.record })
  requireIdempotency(app)
  const etags = addEtags(app, SCHEMAS)
  await publishOpenApi(app, deps.version, OPENAPI_INFO, traitsOf)
  const context = createAppContext(deps, app, { limiter, copies, callers, etags }, installationOf(db))
  for (const { routes = [] } of FEATURES) for (const register of routes) await register(app, context)
  app.addHook('onClose', () => limiter.leave())
  const { watchHeartbeats, onHeartbeatDue, feed, tokens, deliverMail } = context
  return {
    app,
    routes,
    pages,
    tokens,
    copies,
    ...buffersOf(context, callers),
    watchHeartbeats,
    onHeartbeatDue,
    deliverMail,
    keepLimits: () => limiter.keep(),
    pollEvents: () => feed.poll(),
  }
}

function buffersOf(
  { db, states, processes, ingester, pings, receipts }: AppContext,
  { keyUsage, origins, refusals }: ReturnType<typeof createCallers>,
): Pick<VedetteApp, 'flush' | 'flushAll' | 'drain'> {
  const logs = () => [keyUsage.flush(), origins.flush(), refusals.flush()]
  const all = (...parts: Promise<void>[]) => Promise.all(parts).then(() => undefined)
  return {
    flush: (least = 1) => all(states.flush(least), processes.flush(least), ...logs()),
    flushAll: () => all(states.flushAll(), processes.flush(1), receipts.flush(db), ...logs()),
    drain: () => all(ingester.drain(), pings.drain()),
  }
}

/** Runs one step of each feature after another. */
const installationOf = (db: Db) => ({
  readPartitions: (nowMs: number) => readAllPartitions(db, nowMs),
  deleteMeasured: async (on: Db, organization: number) => {
    for (const { deleteOrganization } of FEATURES) await deleteOrganization?.(on, organization)
  },
  deleteServerReferences: async (on: Db, organization: number, serverId: string, at: Date) => {
    for (const { deleteServer } of FEATURES) await deleteServer?.(on, organization, serverId, at)
  },
})

async function startLimiter({ settings, pool, clock, databaseClock, log }: AppDeps): Promise<SharedLimiter> {
  const { rateLimits: limits } = settings
  if (limits) return startSharedLimiter({ store: createLimitStore(pool), limits, databaseClock, clock, log })
  const nothing = () => Promise.resolve()
  return { ...createUnlimited(RATE_LIMITS, databaseClock), keep: nothing, leave: nothing }
}
