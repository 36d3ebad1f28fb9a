import fastifyJwt from '@fastify/jwt'
import {
  alertRulePreviewRoutes,
  alertRuleRoutes,
  deleteOrganizationSignals,
  deleteRulesAndWindowsOf,
  maintenanceWindowRoutes,
  publishRefusedToken,
} from './alerts/index.ts'
import {
  deleteOrganizationIncidents,
  incidentActionRoutes,
  incidentRoutes,
  readIncidentItem,
  resolveIncidentsOf,
} from './incidents/index.ts'
import {
  actionEncrypter,
  browserRoutes,
  CHANNEL_KINDS,
  channelRoutes,
  channelEncrypter,
  channelTestRoutes,
  contactMethodRoutes,
  createRequester,
  pushCredentials,
} from './notifications/index.ts'
import { chatAccountRoutes, chatActionRoutes } from './chat-actions/index.ts'
import { escalationRoutes } from './escalation/index.ts'
import { scheduleCalendarRoutes, scheduleRoutes } from './on-call/index.ts'
import { apiKeyRoutes, createKeyUsage, recordKeyUse } from './api-keys/index.ts'
import { auditRoutes } from './audit/index.ts'
import {
  authRoutes,
  createAuthenticator,
  createSessionTokens,
  limitKeyOf,
  type Principal,
  type SessionTokens,
  type Tenant,
  tenantOf,
  totpEncrypter,
} from './auth/index.ts'
import { checkRoutes, createPolicyConnect, deleteOrganizationChecks } from './checks/index.ts'
import { dashboardRoutes } from './dashboard/index.ts'
import { SCHEMAS, traitsOf, OPENAPI_INFO } from './openapi/index.ts'
import { authorizeRequests, enforceLimit, type RouteAccess } from './authorization.ts'
import { createEntityRecorder, deleteEntities, entityRoutes } from './entities/index.ts'
import { createFeed, createStreams, deleteOrganizationEvents, eventRoutes } from './event-stream/index.ts'
import { prometheusExportRoutes, prometheusRoutes } from './prometheus/index.ts'
import { forecastRoutes } from './forecast/index.ts'
import { healthRoutes } from './health/index.ts'
import {
  createPingStore,
  createWatch,
  deleteOrganizationPings,
  heartbeatRoutes,
  pingKeyEncrypter,
  pingRoutes,
} from './heartbeats/index.ts'
import { publicUrl } from './public-url.ts'
import { readInstallation } from './jobs/index.ts'
import { enrollmentTokenRoutes } from './enrollment-tokens/index.ts'
import { createOutbox, mailEncrypter } from './mail/index.ts'
import { invitationRoutes, memberRoutes } from './members/index.ts'
import {
  createBoots,
  createDimensions,
  createIngester,
  createProcessBuffer,
  createStateBuffer,
  deleteOrganizationSamples,
  metricRoutes,
  sampleSource,
} from './metrics/index.ts'
import {
  clearServer,
  findMonitorNumber,
  monitorHistoryRoutes,
  monitorRoutes,
  monitorEncrypter,
  type Prober,
  provisionHeartbeat,
} from './monitors/index.ts'
import { organizationRoutes } from './organizations/index.ts'
import { overviewRoutes } from './overview/index.ts'
import type { Clock } from './platform/time/clock.ts'
import { type Changes, type Db, type Pool, readFrom, type Reader } from './platform/db/index.ts'
import { notFound } from './platform/errors.ts'
import {
  type App,
  addEtags,
  createCreating,
  createServer,
  createUnlimited,
  limitKeyOfAddress,
  publishOpenApi,
  requireIdempotency,
} from './platform/http/index.ts'
import { createLimitStore, type DatabaseClock, type SharedLimiter, startSharedLimiter } from './platform/limits/index.ts'
import type { Log } from './platform/logging/log.ts'
import { answerEncrypter } from './platform/idempotency/index.ts'
import type { InstallationSecrets } from './platform/crypto/installation-secrets.ts'
import {
  createProviderClients,
  createProviderFetch,
  identityEncrypter,
  identityProviderRoutes,
  PROVIDER_LIMITS,
  signInRoutes,
} from './identity-providers/index.ts'
import { probeRoutes } from './probes/index.ts'
import { regionRoutes } from './regions/index.ts'
import { createReleases, isOutdated, releaseRoutes } from './releases/index.ts'
import { absenceOf, deleteProcessLists, type SampleSource, type Uptime, serverRoutes } from './servers/index.ts'
import {
  createPageCopies,
  createPageKeys,
  createTxtLookup,
  type PageCopies,
  pageDomainRoutes,
  publicPageRoutes,
  rewriteOwnDomain,
  statusPagePreviewRoutes,
  statusPageRoutes,
  statusPostRoutes,
  type TxtLookup,
  createSubscriberTokens,
  subscriberRoutes,
} from './status-pages/index.ts'
import { createOriginRecorder, createRefusalCounter, securityLogRoutes } from './security-log/index.ts'
import { replayRoutes } from './replays/index.ts'
import { reportRoutes } from './reports/index.ts'
import { challengeEncrypter, passkeyRoutes } from './passkeys/index.ts'
import { setupRoutes } from './setup/index.ts'
import { RATE_LIMITS, type Settings } from './settings/index.ts'
import { sloRoutes } from './slos/index.ts'
import { summaryEncrypter, weeklySummaryRoutes } from './weekly-summary/index.ts'

export interface AppDeps {
  settings: Settings
  pool: Pool
  /** For what only reads; without it everything is read from the pool. */
  reader?: Reader
  clock: Clock
  /** The clock of the limits' windows, the same for all instances. */
  databaseClock: DatabaseClock
  changes: Pick<Changes, 'on' | 'isHeard'>
  log: Log
  secrets: InstallationSecrets
  uptime: Uptime
  tls: { cert: Buffer; key: Buffer } | undefined
  version: string
  /** Reads TXT records, which prove the domains of status pages; without it from the name servers of the system. */
  txtLookup?: TxtLookup
  /** Where copies of status pages are kept over a restart; without it nowhere. */
  pagesFolder?: string
  /** Makes the checks of definitions that are tried; without it they are answered as unavailable. */
  prober?: Prober | undefined
}

export interface VedetteApp {
  app: App
  /** Every route below /v1 with who may call it: what the tests of access are made of. */
  routes: readonly RouteAccess[]
  tokens: SessionTokens
  /** Stores the buffered values that are due; called every second. Of what pushes bring only where that is at least so many. */
  flush(least?: number): Promise<void>
  /** Stores all buffered values; called at the stop. */
  flushAll(): Promise<void>
  /** Resolves when every accepted push is stored. */
  drain(): Promise<void>
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
  const { settings, pool, clock, log, secrets, uptime } = deps
  const { db } = pool
  const reader = deps.reader ?? readFrom(pool)
  const limiter = await startLimiter(deps)
  const { trustProxy: trustedProxies, corsOrigins } = settings
  const { requestLimitMs: databaseLimitMs } = pool
  const copies = createPageCopies({ db, clock, log, changes: deps.changes, folder: deps.pagesFolder })
  const rewriteUrl = rewriteOwnDomain((domain) => copies.slugOf(domain))
  const { tls } = deps
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
  const tokens = createSessionTokens(app.jwt, secrets)
  const keyUsage = createKeyUsage(db, clock)
  // The token is refused even if the event cannot be published.
  const refused = (hash: Buffer) =>
    publishRefusedToken({ db, clock }, hash).catch((error: unknown) =>
      log.error({ err: error }, 'could not publish the event of a refused token'),
    )
  const authenticator = recordKeyUse(createAuthenticator(pool, clock, tokens, refused), keyUsage)
  const routes: RouteAccess[] = []
  const origins = createOriginRecorder({ db, clock })
  const refusals = createRefusalCounter({ db, clock })
  authorizeRequests(app, authenticator, limiter, routes, { used: origins.record, refused: refusals.record })
  requireIdempotency(app)
  const etags = addEtags(app, SCHEMAS)
  await publishOpenApi(app, deps.version, OPENAPI_INFO, traitsOf)

  const intervals = { sampleIntervalSeconds: settings.sampleIntervalSeconds, pushIntervalSeconds: settings.pushIntervalSeconds }
  const principalOf = (request: object) => (request as { principal: Principal }).principal
  const organizationOf = (request: object) => tenantOf(principalOf(request)).number
  const states = createStateBuffer(db, clock, settings.pushIntervalSeconds)
  const processes = createProcessBuffer(db, clock)
  const ingester = createIngester(pool, clock, log)
  const sendsMail = settings.smtpUrl !== undefined
  const outbox = createOutbox(mailEncrypter(secrets), sendsMail)
  const auth = { db, clock, tokens, encrypter: totpEncrypter(secrets), outbox }
  const linksLeadTo = () => publicUrl(settings, portOf(app) ?? settings.port)
  const { folder, keysFile } = settings.releases ?? {}
  const releases = createReleases({ folder, keysFile, ownVersion: deps.version, clock, log })
  const changing = etags.changing(db)
  const answers = answerEncrypter(secrets)
  const creating = createCreating({ db, clock, encrypter: answers, senderOf: (request) => senderOf(principalOf(request)) })
  const source = sampleSource({ reader, clock, states, processes })
  const samples: SampleSource = {
    ...source,
    deleteSamples: async (on, organization, server) => {
      await source.deleteSamples(on, organization, server)
      await deleteEntities(on, organization, server)
    },
  }
  const monitors = {
    db,
    reader,
    clock,
    encrypter: monitorEncrypter(secrets),
    region: settings.region,
    prober: deps.prober,
    publicUrl: linksLeadTo,
  }

  const limitEmail = (email: string) => enforceLimit(limiter, `email:${email}`, 'auth')
  authRoutes(app, { ...auth, sendsMail, outbox, publicUrl: linksLeadTo, principalOf, limitEmail })
  setupRoutes(app, { ...auth, secrets })
  passkeyRoutes(app, { ...auth, log, challengeEncrypter: challengeEncrypter(secrets), publicUrl: linksLeadTo, principalOf })
  const { organizationsPerUser, invitationsPerDay, registrationsPerHour } = settings
  organizationRoutes(app, { db, clock, log, organizationsPerUser, deleteMeasured, principalOf, creating, changing })
  memberRoutes(app, { db, clock, outbox, principalOf })
  invitationRoutes(app, { ...auth, outbox, invitationsPerDay, publicUrl: linksLeadTo, principalOf, limitEmail, creating })
  await weeklySummaryRoutes(app, { db, clock, encrypter: summaryEncrypter(secrets), principalOf })
  serverRoutes(app, {
    db,
    pool,
    clock,
    uptime,
    samples,
    deleteServerReferences: deleteReferencesTo,
    isOutdated: (agentVersion) => isOutdated(agentVersion, releases.newestAgent()),
    ...intervals,
    registrationsPerHour,
    principalOf,
    creating,
    changing,
  })
  const boots = createBoots({ db, clock })
  const { rawMs: rawRetentionMs, rollupMs } = settings.retention
  const dimensions = createDimensions({ pool, clock, retentionMs: Math.max(rawRetentionMs, rollupMs) })
  metricRoutes(app, {
    db,
    reader,
    clock,
    ingester,
    states,
    boots,
    dimensions,
    processes,
    entities: createEntityRecorder(pool, clock),
    authenticator,
    ...intervals,
    rawRetentionMs,
    principalOf,
  })
  forecastRoutes(app, { reader, clock, principalOf })
  entityRoutes(app, { reader, clock, pushIntervalSeconds: settings.pushIntervalSeconds, rawRetentionMs, principalOf })
  monitorRoutes(app, { ...monitors, principalOf, creating, changing })
  monitorHistoryRoutes(app, { ...monitors, principalOf })
  alertRuleRoutes(app, { db, clock, principalOf, creating, changing })
  alertRulePreviewRoutes(app, { db, reader, clock, ...intervals, principalOf })
  replayRoutes(app, { db, reader, clock, ...intervals, principalOf })
  maintenanceWindowRoutes(app, { db, clock, principalOf, creating, changing })
  incidentRoutes(app, { db, clock, principalOf, creating })
  await incidentActionRoutes(app, { db, clock, actionEncrypter: actionEncrypter(secrets) })
  const ending = new AbortController()
  const send = createRequester(createPolicyConnect({ db, clock }, settings.allowPrivateTargets), ending.signal)
  const channels = { db, clock, encrypter: channelEncrypter(secrets), principalOf }
  channelRoutes(app, { ...channels, creating, changing })
  const readIncident = (tenant: Tenant, id: string | undefined) => readIncidentItem(db, tenant, id)
  const sending = { kinds: CHANNEL_KINDS, send, outbox, sendsMail, publicUrl: linksLeadTo }
  channelTestRoutes(app, { ...channels, ...sending, readIncident })
  await chatActionRoutes(app, { ...channels, send, log, publicUrl: linksLeadTo })
  chatAccountRoutes(app, { db, clock, principalOf })
  contactMethodRoutes(app, { ...channels, ...sending })
  browserRoutes(app, { db, clock, ...pushCredentials(secrets), send, publicUrl: linksLeadTo, principalOf })
  const feed = createFeed({ db, clock, log, changes: deps.changes, authenticator })
  const streams = createStreams({ feed, clock })
  eventRoutes(app, { db, streams, principalOf })
  overviewRoutes(app, { db, pool, clock, uptime, ...intervals, newestAgent: () => releases.newestAgent(), principalOf })
  enrollmentTokenRoutes(app, { db, clock, principalOf, creating })
  apiKeyRoutes(app, { db, clock, outbox, principalOf, creating })
  checkRoutes(app, { reader, clock, principalOf })
  reportRoutes(app, { reader, clock, principalOf })
  const providers = { db, clock, encrypter: identityEncrypter(secrets), publicUrl: linksLeadTo }
  identityProviderRoutes(app, { ...providers, principalOf, creating, changing })
  const providerConnect = createPolicyConnect({ db, clock }, settings.allowPrivateTargets)
  const fetch = createProviderFetch(createRequester(providerConnect, ending.signal, PROVIDER_LIMITS))
  await signInRoutes(app, { ...auth, ...providers, log, fetch, clients: createProviderClients({ fetch, clock }) })
  scheduleRoutes(app, { db, clock, principalOf, creating, changing })
  escalationRoutes(app, { db, clock, principalOf, creating, changing })
  scheduleCalendarRoutes(app, { db, clock, publicUrl: linksLeadTo, principalOf, creating })
  sloRoutes(app, { db, clock, principalOf, creating, changing })
  auditRoutes(app, { db, organizationOf })
  securityLogRoutes(app, { db, organizationOf })
  const watch = createWatch(db, clock, () => absenceOf(uptime, clock.now()))
  let [nextEvaluationMs, wakeWatch] = [0, () => {}]
  const planned = (deadlineMs: number) => {
    if (deadlineMs < nextEvaluationMs) wakeWatch()
  }
  const pings = createPingStore({ pool, clock, log, planned })
  const provision = (organization: Tenant, slug: string, ip: string) => provisionHeartbeat(monitors, organization, slug, ip)
  pingRoutes(app, { db, clock, limiter, pings, provision })
  const monitorNumber = async (on: Db, organization: number, id: string) => {
    const number = await findMonitorNumber(on, organization, id)
    if (number === undefined) throw notFound()
    return number
  }
  heartbeatRoutes(app, { db, clock, encrypter: pingKeyEncrypter(secrets), publicUrl: linksLeadTo, principalOf, monitorNumber })
  probeRoutes(app, { ...monitors, pool, now: () => deps.databaseClock.now(), principalOf })
  regionRoutes(app, { db, clock })
  const pageKeys = createPageKeys(secrets)
  const pages = { db, clock, keys: pageKeys, publicUrl: linksLeadTo, principalOf }
  statusPageRoutes(app, { ...pages, creating, changing })
  pageDomainRoutes(app, { ...pages, lookup: deps.txtLookup ?? createTxtLookup() })
  statusPagePreviewRoutes(app, pages)
  statusPostRoutes(app, { db, clock, principalOf, creating, changing })
  subscriberRoutes(app, { ...channels, creating })
  await publicPageRoutes(app, {
    copies,
    keys: pageKeys,
    takesSubscribers: sendsMail,
    publicUrl: linksLeadTo,
    forms: {
      limiter,
      copies,
      db,
      clock,
      outbox,
      keys: pageKeys,
      tokens: createSubscriberTokens(secrets),
      publicUrl: linksLeadTo,
    },
  })
  healthRoutes(app, { db, clock, securityContact: settings.securityContact })
  prometheusRoutes(app, {
    token: settings.metricsToken,
    version: deps.version,
    read: async () => ({ ...(await readInstallation(db, clock.now())), ingest: ingester.counts() }),
    limitAttempt: (ip) => enforceLimit(limiter, limitKeyOfAddress(ip, 'auth'), 'auth'),
  })
  prometheusExportRoutes(app, { reader, clock, uptime, pushIntervalSeconds: settings.pushIntervalSeconds, principalOf })
  await releaseRoutes(app, {
    releases,
    folder: settings.releases?.folder,
    addresses: () => ({ url: linksLeadTo(), releasesUrl: settings.releases?.url ?? `${linksLeadTo()}/releases` }),
    log,
  })
  await dashboardRoutes(app, { log })
  app.addHook('onClose', () => limiter.leave())
  app.addHook('preClose', async () => {
    ending.abort()
    streams.close()
    await feed.stop()
  })
  const logs = () => [keyUsage.flush(), origins.flush(), refusals.flush()]
  const flushing = (...parts: Promise<void>[]) => Promise.all(parts).then(() => undefined)
  return {
    app,
    routes,
    tokens,
    flush: (least = 1) => flushing(states.flush(least), processes.flush(least), ...logs()),
    flushAll: () => flushing(states.flushAll(), processes.flush(1), ...logs()),
    drain: async () => {
      await Promise.all([ingester.drain(), pings.drain()])
    },
    watchHeartbeats: async () => {
      const pauseMs = await watch.run()
      nextEvaluationMs = clock.now() + pauseMs
      return pauseMs
    },
    onHeartbeatDue: (wake) => {
      wakeWatch = wake
    },
    copies,
    keepLimits: () => limiter.keep(),
    pollEvents: () => feed.poll(),
  }
}

/** Deletes the measurements of an organization, which have no foreign key. */
async function deleteMeasured(db: Db, organization: number): Promise<void> {
  await deleteOrganizationSamples(db, organization)
  await deleteEntities(db, organization)
  await deleteProcessLists(db, organization)
  await deleteOrganizationChecks(db, organization)
  await deleteOrganizationPings(db, organization)
  await deleteOrganizationIncidents(db, organization)
  await deleteOrganizationSignals(db, organization)
  await deleteOrganizationEvents(db, organization)
}

/** Removes the references to a deleted server: monitors lose it, its own rules and windows are deleted, its incidents resolve. */
async function deleteReferencesTo(db: Db, organization: number, serverId: string, at: Date): Promise<void> {
  await clearServer(db, organization, serverId)
  await deleteRulesAndWindowsOf(db, organization, 'server', [serverId])
  await resolveIncidentsOf(db, organization, [serverId], 'the server was deleted', at)
}

/** The port in use; undefined before the application listens. */
function portOf(app: App): number | undefined {
  const address = app.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

const senderOf = (principal: Principal) => ({ credential: limitKeyOf(principal), organization: principal.tenant?.id })

async function startLimiter({ settings, pool, clock, databaseClock, log }: AppDeps): Promise<SharedLimiter> {
  const { rateLimits: limits } = settings
  if (limits) return startSharedLimiter({ store: createLimitStore(pool), limits, databaseClock, clock, log })
  const nothing = () => Promise.resolve()
  return { ...createUnlimited(RATE_LIMITS, databaseClock), keep: nothing, leave: nothing }
}
