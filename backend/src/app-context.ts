import { join } from 'node:path'
import type { Clock } from './platform/time/clock.ts'
import { createKeyUsage, recordKeyUse } from './access/api-keys/index.ts'
import {
  createIntake,
  createIntakeLimits,
  createMailDelivery,
  createReceipts,
  createSnsReader,
  MAX_CERTIFICATE_BYTES,
} from './alerting/alert-sources/index.ts'
import { publishRefusedToken } from './alerting/alerts/index.ts'
import {
  createAuthenticator,
  createSessionTokens,
  limitKeyOf,
  type Principal,
  type Tenant,
  tenantOf,
  enforceLimit,
  type RecordHandChange,
  type RouteAccess,
} from './access/auth/index.ts'
import { createPolicyConnect } from './monitoring/checks/index.ts'
import { recordHostCertificates } from './monitoring/certificates/index.ts'
import { createEntityRecorder, deleteEntities } from './hosts/entities/index.ts'
import { createFeed } from './notifying/event-stream/index.ts'
import { createPingStore, createWatch } from './monitoring/heartbeats/index.ts'
import { readIncidentItem } from './alerting/incidents/index.ts'
import { createConfirmLinks, createOutbox, mailEncrypter } from './notifying/mail/index.ts'
import { createIngester, createProcessBuffer, createStateBuffer, sampleSource } from './hosts/metrics/index.ts'
import { findMonitorNumber, monitorEncrypter, type Prober, provisionHeartbeat } from './monitoring/monitors/index.ts'
import { createRequester } from './notifying/notifications/index.ts'
import type { InstallationSecrets } from './platform/crypto/installation-secrets.ts'
import { type Changes, type Db, type PartitionState, type Pool, readFrom, type Reader } from './platform/db/index.ts'
import { notFound } from './platform/errors.ts'
import { type App, type addEtags, createCreating, limitKeyOfAddress } from './platform/http/index.ts'
import { answerEncrypter } from './platform/idempotency/index.ts'
import type { DatabaseClock, SharedLimiter } from './platform/limits/index.ts'
import type { Log } from './platform/logging/log.ts'
import { changeSetEncrypter, createKinds, recordHandChanges } from './operating/change-sets/index.ts'
import { createSeriesQueries } from './operating/prometheus/index.ts'
import { createAgents, createReleases, isOutdated } from './operating/releases/index.ts'
import { createOriginRecorder, createRefusalCounter } from './access/security-log/index.ts'
import { absenceOf, type SampleSource, type Uptime } from './hosts/servers/index.ts'
import { publicUrl, type Settings } from './operating/settings/index.ts'
import type { PageCopies } from './pages/status-pages/index.ts'
import { createTxtLookup, type TxtLookup } from './platform/domain-proof/index.ts'
import { createEvaluatorPool, type EvaluatorPool } from './querying/promql/index.ts'

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
  /** Of this process: npm, which fetches what agents on other systems need, reads its config there. */
  environment: NodeJS.ProcessEnv
  /** Reads TXT records, which prove the domains of status pages; without it from the name servers of the system. */
  txtLookup?: TxtLookup
  /** Private addresses, as CIDRs, to which people may send who have not signed in; without it none, whatever the settings say. */
  visitorTargets?: string | undefined
  /** Where copies of status pages are kept over a restart; without it nowhere. */
  pagesFolder?: string
  /** Makes the checks of definitions that are tried; without it they are answered as unavailable. */
  prober?: Prober | undefined
  /** The threads in which queries are evaluated; without it of its own. */
  evaluators?: EvaluatorPool
}

/** What loops over all features add. */
interface Installation {
  /** Deletes what has no foreign key to its organization. */
  deleteMeasured(db: Db, organization: number): Promise<void>
  deleteServerReferences(db: Db, organization: number, serverId: string, at: Date): Promise<void>
  readPartitions(nowMs: number): Promise<PartitionState[]>
}

/** What the server itself uses, before a route is registered. */
export interface ServerParts {
  limiter: SharedLimiter
  copies: PageCopies
  callers: ReturnType<typeof createCallers>
  etags: ReturnType<typeof addEtags>
}

/** Identifies callers, and keeps in memory what the log of keys and the security log store about them. */
export function createCallers({ pool, clock, log, secrets }: AppDeps, app: App) {
  const { db } = pool
  const tokens = createSessionTokens(app.jwt, secrets)
  const keyUsage = createKeyUsage(db, clock)
  // The token is refused even if the event cannot be published.
  const refused = (hash: Buffer) =>
    publishRefusedToken({ db, clock }, hash).catch((error: unknown) =>
      log.error({ err: error }, 'could not publish the event of a refused token'),
    )
  const authenticator = recordKeyUse(createAuthenticator(pool, clock, tokens, refused), keyUsage)
  const routes: RouteAccess[] = []
  return {
    tokens,
    authenticator,
    routes,
    keyUsage,
    origins: createOriginRecorder({ db, clock }),
    refusals: createRefusalCounter({ db, clock }),
  }
}

/** What the routes of features work with. */
export type AppContext = ReturnType<typeof createAppContext>

export function createAppContext(deps: AppDeps, app: App, parts: ServerParts, installation: Installation) {
  const { settings, pool, clock, secrets } = deps
  const { db } = pool
  const { limiter, copies, callers, etags } = parts
  const reader = deps.reader ?? readFrom(pool)
  const evaluators = deps.evaluators ?? ownEvaluators(app)
  const ending = new AbortController()
  const endingSignal: AbortSignal = ending.signal
  app.addHook('preClose', async () => ending.abort())
  const principalOf = (request: object) => (request as { principal: Principal }).principal
  const linksLeadTo = () => publicUrl(settings, portOf(app) ?? settings.port)
  const sendsMail = settings.smtpUrl !== undefined
  const context = {
    ...deps,
    ...installation,
    ...limitsOf(settings),
    db,
    reader,
    evaluators,
    querySeries: createSeriesQueries({ ...limitsOf(settings), reader, clock, evaluators }),
    limiter,
    copies,
    tokens: callers.tokens,
    authenticator: callers.authenticator,
    ending: endingSignal,
    principalOf,
    organizationOf: (request: object) => tenantOf(principalOf(request)).number,
    publicUrl: linksLeadTo,
    limitChecks: (monitorId: string) => enforceLimit(limiter, `check:${monitorId}`, 'check'),
    limitEmail: (email: string) => enforceLimit(limiter, `email:${email}`, 'auth'),
    limitAttempt: (ip: string) => enforceLimit(limiter, limitKeyOfAddress(ip, 'auth'), 'auth'),
    changing: etags.changing(db),
    creating: createCreating({
      db,
      clock,
      encrypter: answerEncrypter(secrets),
      senderOf: (request) => senderOf(principalOf(request)),
    }),
    sendsMail,
    outbox: createOutbox(mailEncrypter(secrets), sendsMail, createConfirmLinks(secrets, linksLeadTo)),
    send: createRequester(createPolicyConnect({ db, clock }, settings.allowPrivateTargets), endingSignal),
    sendToVisitors: createRequester(createPolicyConnect({ db, clock }, deps.visitorTargets ?? 'none'), endingSignal),
    lookup: deps.txtLookup ?? createTxtLookup(),
    now: () => deps.databaseClock.now(),
    feed: createFeed({ ...deps, db, authenticator: callers.authenticator }),
    readIncident: (tenant: Tenant, id: string | undefined) => readIncidentItem(db, tenant, id),
    ...samplesOf(deps),
    ...releasesOf(deps),
    ...heartbeatsOf(deps, linksLeadTo),
    ...alertsOf(deps, limiter, endingSignal),
  }
  const changes = { clock, kinds: createKinds(context), encrypter: changeSetEncrypter(secrets) }
  return {
    ...context,
    recordHandChange: ((on, caller, made) => recordHandChanges({ ...changes, db: on }, caller, made)) satisfies RecordHandChange,
  }
}

function ownEvaluators(app: App): EvaluatorPool {
  const evaluators = createEvaluatorPool()
  app.addHook('onClose', () => evaluators.close())
  return evaluators
}

/** Settings that routes use as they are. */
function limitsOf(settings: Settings) {
  const { sampleIntervalSeconds, pushIntervalSeconds, organizationsPerUser, invitationsPerDay, registrationsPerHour } = settings
  const { rawMs: rawRetentionMs, rollupMs } = settings.retention
  return {
    sampleIntervalSeconds,
    pushIntervalSeconds,
    organizationsPerUser,
    invitationsPerDay,
    registrationsPerHour,
    rawRetentionMs,
    retentionMs: Math.max(rawRetentionMs, rollupMs),
    pushHosts: settings.pushHosts,
    region: settings.region,
    securityContact: settings.securityContact,
  }
}

/** What pushes bring, in memory until it is stored. */
function samplesOf({ pool, reader, clock, log, settings }: AppDeps) {
  const { db } = pool
  const states = createStateBuffer(db, clock, settings.pushIntervalSeconds)
  const processes = createProcessBuffer(db, clock)
  const source = sampleSource({ reader: reader ?? readFrom(pool), clock, states, processes })
  const samples: SampleSource = {
    ...source,
    deleteSamples: async (on, organization, server) => {
      await source.deleteSamples(on, organization, server)
      await deleteEntities(on, organization, server)
    },
  }
  return {
    states,
    processes,
    samples,
    ingester: createIngester(pool, clock, log, settings.pushIntervalSeconds),
    entities: createEntityRecorder(pool, clock),
    recordCertificates: recordHostCertificates,
  }
}

function releasesOf({ settings, version, environment, secrets, clock, log }: AppDeps) {
  const { folder, keysFile } = settings.releases ?? {}
  const releases = createReleases({ folder, keysFile, ownVersion: version, clock, log })
  return {
    releases,
    agents: createAgents({ folder: join(settings.dataDir, 'agents'), environment }, { secrets, clock, log }),
    newestAgent: () => releases.newestAgent(),
    isOutdated: (agentVersion: string) => isOutdated(agentVersion, releases.newestAgent()),
  }
}

/** Stores pings, and finds those that are missed: sooner than planned where a ping makes the next one due. */
function heartbeatsOf(deps: AppDeps, linksLeadTo: () => string) {
  const { pool, clock, log, uptime, secrets, settings } = deps
  const { db } = pool
  const watch = createWatch(db, clock, () => absenceOf(uptime, clock.now()))
  let [nextEvaluationMs, wake] = [0, () => {}]
  const planned = (deadlineMs: number) => {
    if (deadlineMs < nextEvaluationMs) wake()
  }
  const monitors = {
    db,
    reader: deps.reader ?? readFrom(pool),
    clock,
    encrypter: monitorEncrypter(secrets),
    region: settings.region,
    prober: deps.prober,
    publicUrl: linksLeadTo,
  }
  return {
    prober: deps.prober,
    pings: createPingStore({ pool, clock, log, planned }),
    provision: (organization: Tenant, slug: string, ip: string) => provisionHeartbeat(monitors, organization, slug, ip),
    monitorNumber: async (on: Db, organization: number, id: string) => {
      const number = await findMonitorNumber(on, organization, id)
      if (number === undefined) throw notFound()
      return number
    },
    watchHeartbeats: async () => {
      const pauseMs = await watch.run()
      nextEvaluationMs = clock.now() + pauseMs
      return pauseMs
    },
    onHeartbeatDue: (due: () => void) => {
      wake = due
    },
  }
}

/** Takes what senders of alerts post, and counts it. */
function alertsOf({ pool: { db }, clock, log, settings }: AppDeps, limiter: SharedLimiter, ending: AbortSignal) {
  const receipts = createReceipts({ db, clock, log, ending })
  // Of SNS alone: a certificate that is too large is seen by its one byte more.
  const request = createRequester(createPolicyConnect({ db, clock }, settings.allowPrivateTargets), ending, {
    maxResponseBytes: MAX_CERTIFICATE_BYTES + 1,
    maxRedirects: 0,
  })
  const fetchSns = (url: string) => request({ url, method: 'GET', headers: {}, body: '' })
  const sns = createSnsReader({ hosts: settings.snsCertificateHosts, fetch: fetchSns, clock })
  const intake = createIntake({ db, clock, receipts, sns })
  const intakeLimits = createIntakeLimits(limiter, settings.rateLimits?.ping)
  return { receipts, intake, intakeLimits, fetchSns, deliverMail: createMailDelivery({ intake, limits: intakeLimits }) }
}

/** The port in use; undefined before the application listens. */
function portOf(app: App): number | undefined {
  const address = app.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

const senderOf = (principal: Principal) => ({ credential: limitKeyOf(principal), organization: principal.tenant?.id })
