import fastifyJwt from '@fastify/jwt'
import {
  alertRuleRoutes,
  CHANNEL_KINDS,
  channelRoutes,
  channelSealer,
  createRequester,
  deleteOrganizationIncidents,
  deleteRulesOf,
  deleteWindowsOf,
  incidentRoutes,
  maintenanceWindowRoutes,
  resolveIncidentsOf,
  tellOfRefusedToken,
} from './alerts/index.ts'
import { apiKeyRoutes, createKeyUsage, noteKeyUse } from './api-keys/index.ts'
import { auditRoutes } from './audit/index.ts'
import {
  admit,
  type Authenticator,
  authRoutes,
  createAuthenticator,
  createSessionTokens,
  limitKeyOf,
  type Principal,
  type SessionTokens,
  tenantOf,
} from './auth/index.ts'
import { checkRoutes, createPolicyConnect, deleteOrganizationChecks } from './checks/index.ts'
import { dashboardRoutes } from './dashboard/index.ts'
import { SCHEMAS, traitsOf, WORDS } from './description/index.ts'
import { credentialsIn, guard, refuseOver, type RouteAccess } from './gate.ts'
import { createFeed, createStreams, deleteOrganizationEvents, eventRoutes } from './events/index.ts'
import { expositionRoutes } from './exposition/index.ts'
import { healthRoutes } from './health/index.ts'
import { publicUrl } from './listen.ts'
import { readInstallation } from './maintenance.ts'
import { createOutbox, mailSealer } from './mail/index.ts'
import { invitationRoutes, memberRoutes } from './members/index.ts'
import {
  createDimensions,
  createIngester,
  createProcessBuffer,
  createStateBuffer,
  deleteOrganizationSamples,
  metricRoutes,
  sampleSource,
} from './metrics/index.ts'
import { forgetServer, monitorHistoryRoutes, monitorRoutes, monitorSealer, type Prober } from './monitors/index.ts'
import { organizationRoutes } from './organizations/index.ts'
import { overviewRoutes } from './overview/index.ts'
import type { Clock } from './platform/clock.ts'
import { type Db, type Pool, readFrom, type Reader } from './platform/db/index.ts'
import { ApiError } from './platform/errors.ts'
import {
  type App,
  createCreating,
  createServer,
  createUnlimited,
  limitKeyOfAddress,
  publishOpenApi,
  requireIdempotency,
} from './platform/http/index.ts'
import { createLimitStore, type DatabaseClock, type SharedLimiter, startSharedLimiter } from './platform/limits/index.ts'
import type { Log } from './platform/log.ts'
import { createSealer } from './platform/sealer.ts'
import type { InstallationSecrets } from './platform/secrets.ts'
import { probeRoutes } from './probes/index.ts'
import { regionRoutes } from './regions/index.ts'
import { createReleases, isOutdated, releaseRoutes } from './releases/index.ts'
import { deleteProcessLists, type Uptime, serverRoutes } from './servers/index.ts'
import { setupRoutes } from './setup/index.ts'
import type { RateLimits, Settings } from './settings.ts'

export interface AppDeps {
  settings: Settings
  pool: Pool
  /** For what only reads; without it everything is read from the pool. */
  reader?: Reader
  clock: Clock
  /** The clock of the limits' windows, the same for all instances. */
  databaseClock: DatabaseClock
  log: Log
  secrets: InstallationSecrets
  uptime: Uptime
  tls: { cert: Buffer; key: Buffer } | undefined
  version: string
  /** Makes the checks of definitions that are tried; without it they are answered as unavailable. */
  prober?: Prober | undefined
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
  /** Tells whoever listens what is new; done each quarter of a second while somebody does. */
  look(): Promise<void>
  /** Keeps the limits in step with the other instances; called every few seconds. */
  keepLimits(): Promise<void>
}

const UNLIMITED: RateLimits = { auth: 10, read: 100, write: 30, agent: 1_000, probe: 1_000 }

/** The whole HTTP side: every route, who may call it, and the limits. Listens nowhere yet. */
export async function createApp(deps: AppDeps): Promise<VedetteApp> {
  const { settings, pool, clock, log, secrets, uptime } = deps
  const { db } = pool
  const reader = deps.reader ?? readFrom(pool)
  const limiter = await startLimiter(deps)
  const { trustedProxies, corsOrigins } = settings
  const app = createServer({ log, clock, limiter, trustedProxies, corsOrigins, tls: deps.tls, schemas: SCHEMAS })
  await app.register(fastifyJwt, { secret: secrets.derive('session token')[0] })
  const tokens = createSessionTokens(app.jwt, secrets)
  const keyUsage = createKeyUsage(db, clock)
  // The refusal stands, told or not.
  const refused = (hash: Buffer) =>
    tellOfRefusedToken({ db, clock }, hash).catch((error: unknown) =>
      log.error({ err: error }, 'a refused token could not be told'),
    )
  const authenticator = noteKeyUse(createAuthenticator(pool, clock, tokens, refused), keyUsage)
  const routes: RouteAccess[] = []
  guard(app, authenticator, limiter, routes)
  requireIdempotency(app)
  await publishOpenApi(app, deps.version, WORDS, traitsOf)

  const intervals = { sampleIntervalSeconds: settings.sampleIntervalSeconds, pushIntervalSeconds: settings.pushIntervalSeconds }
  const principalOf = (request: object) => (request as { principal: Principal }).principal
  const organizationOf = (request: object) => tenantOf(principalOf(request)).number
  const states = createStateBuffer(db, clock)
  const processes = createProcessBuffer(db, clock)
  const ingester = createIngester(pool, clock, log)
  const auth = { db, clock, tokens, sealer: createSealer(secrets.derive('totp')) }
  const sendsMail = settings.smtpUrl !== undefined
  const outbox = createOutbox(mailSealer(secrets), sendsMail)
  const linksLeadTo = () => publicUrl(settings, portOf(app) ?? settings.port)
  const { folder, keysFile } = settings.releases ?? {}
  const releases = createReleases({ folder, keysFile, ownVersion: deps.version, clock, log })
  const answers = createSealer(secrets.derive('kept answer'))
  const creating = createCreating({ db, clock, sealer: answers, senderOf: (request) => senderOf(principalOf(request)) })
  const samples = sampleSource({ reader, clock, states, processes })
  const monitors = { db, reader, clock, sealer: monitorSealer(secrets), region: settings.region, prober: deps.prober }

  const limitEmail = (email: string) => refuseOver(limiter, `email:${email}`, 'auth')
  authRoutes(app, { ...auth, sendsMail, principalOf, limitEmail })
  setupRoutes(app, { ...auth, secrets })
  organizationRoutes(app, { db, clock, log, deleteMeasured, principalOf, creating })
  memberRoutes(app, { db, clock, principalOf })
  invitationRoutes(app, { ...auth, outbox, publicUrl: linksLeadTo, principalOf, limitEmail, creating })
  serverRoutes(app, {
    db,
    pool,
    clock,
    uptime,
    samples,
    forgetServer: letGoOfServer,
    isOutdated: (agentVersion) => isOutdated(agentVersion, releases.newestAgent()),
    ...intervals,
    principalOf,
    creating,
  })
  const dimensions = createDimensions(pool)
  const rawRetentionMs = settings.retention.rawMs
  metricRoutes(app, {
    db,
    reader,
    clock,
    ingester,
    states,
    dimensions,
    processes,
    authenticator,
    ...intervals,
    rawRetentionMs,
    principalOf,
  })
  monitorRoutes(app, { ...monitors, principalOf, creating })
  monitorHistoryRoutes(app, { ...monitors, principalOf })
  alertRuleRoutes(app, { db, reader, clock, ...intervals, principalOf, creating })
  maintenanceWindowRoutes(app, { db, clock, principalOf, creating })
  incidentRoutes(app, { db, clock, principalOf })
  const ending = new AbortController()
  const send = createRequester(createPolicyConnect({ db, clock }, settings.allowPrivateTargets), ending.signal)
  channelRoutes(app, {
    kinds: CHANNEL_KINDS,
    send,
    outbox,
    sendsMail,
    publicUrl: linksLeadTo,
    db,
    clock,
    sealer: channelSealer(secrets),
    principalOf,
    creating,
  })
  const feed = createFeed({ db, clock, log })
  const streams = createStreams({ feed, clock })
  const isLetIn = (headers: Headers) => mayStillRead(authenticator, headers)
  eventRoutes(app, { db, streams, principalOf, isLetIn })
  overviewRoutes(app, { db, clock, uptime, ...intervals, newestAgent: () => releases.newestAgent(), principalOf })
  apiKeyRoutes(app, { db, clock, principalOf, creating })
  checkRoutes(app, { reader, clock, principalOf })
  auditRoutes(app, { db, organizationOf })
  probeRoutes(app, { ...monitors, pool, now: () => deps.databaseClock.now(), principalOf })
  regionRoutes(app, { db, clock })
  healthRoutes(app, { db })
  expositionRoutes(app, {
    token: settings.metricsToken,
    version: deps.version,
    read: async () => ({ ...(await readInstallation(db, clock.now())), ingest: ingester.counts() }),
    limitAttempt: (ip) => refuseOver(limiter, limitKeyOfAddress(ip), 'auth'),
  })
  await releaseRoutes(app, {
    releases,
    folder: settings.releases?.folder,
    place: () => ({ url: linksLeadTo(), releasesUrl: settings.releases?.url ?? `${linksLeadTo()}/releases` }),
    log,
  })
  await dashboardRoutes(app, { log })
  app.addHook('onClose', () => limiter.leave())
  app.addHook('preClose', async () => {
    ending.abort()
    streams.close()
    await feed.stop()
  })
  const flushing = (...parts: Promise<void>[]) => Promise.all(parts).then(() => undefined)
  return {
    app,
    routes,
    tokens,
    flush: () => flushing(states.flush(), processes.flush(), keyUsage.flush()),
    flushAll: () => flushing(states.flushAll(), processes.flush(), keyUsage.flush()),
    drain: () => ingester.drain(),
    keepLimits: () => limiter.keep(),
    look: () => feed.look(),
  }
}

type Headers = Record<string, string | string[] | undefined>

/** Whether the credentials of a request that goes on and on are good still; while the database is away they are taken for it. */
async function mayStillRead(authenticator: Authenticator, headers: Headers): Promise<boolean> {
  try {
    return Boolean(await admit(authenticator, await authenticator.authenticate(credentialsIn(headers)), { access: 'read' }, {}))
  } catch (error) {
    return !(error instanceof ApiError) || error.status >= 500
  }
}

/** What was measured of an organization that is deleted hangs on no foreign key. */
async function deleteMeasured(db: Db, organization: number): Promise<void> {
  await deleteOrganizationSamples(db, organization)
  await deleteProcessLists(db, organization)
  await deleteOrganizationChecks(db, organization)
  await deleteOrganizationIncidents(db, organization)
  await deleteOrganizationEvents(db, organization)
}

/** What refers to a server that is deleted: monitors lose it, rules and windows of it alone go, its incidents are over. */
async function letGoOfServer(db: Db, organization: number, serverId: string, at: Date): Promise<void> {
  await forgetServer(db, organization, serverId)
  await deleteRulesOf(db, organization, 'server', [serverId])
  await deleteWindowsOf(db, organization, 'server', [serverId])
  await resolveIncidentsOf(db, organization, [serverId], 'the server was deleted', at)
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
