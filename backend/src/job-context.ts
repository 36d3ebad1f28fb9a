import { createPolicyConnect } from './monitoring/checks/index.ts'
import { hasOpenIncidents } from './alerting/incidents/index.ts'
import { createConfirmLinks, createOutbox, mailEncrypter } from './notifying/mail/index.ts'
import { createRequester } from './notifying/notifications/index.ts'
import { CALENDAR_LIMITS } from './notifying/on-call/index.ts'
import { createBulkMailer } from './platform/bulk-mail/bulk-smtp.ts'
import type { InstallationSecrets } from './platform/crypto/installation-secrets.ts'
import {
  type Changes,
  createRereading,
  type PartitionState,
  type Pool,
  readFrom,
  type Reader,
  type Slices,
} from './platform/db/index.ts'
import type { DatabaseClock } from './platform/limits/index.ts'
import type { Log } from './platform/logging/log.ts'
import { createMailer } from './platform/smtp.ts'
import type { Clock } from './platform/time/clock.ts'
import type { Settings } from './operating/settings/index.ts'
import { createTxtLookup, type TxtLookup } from './platform/domain-proof/index.ts'
import { createSeriesQueries } from './operating/prometheus/index.ts'
import { createEvaluatorPool, type EvaluatorPool } from './querying/promql/index.ts'

export interface JobDeps {
  settings: Pick<
    Settings,
    | 'smtpUrl'
    | 'mailFrom'
    | 'retention'
    | 'pushIntervalSeconds'
    | 'sampleIntervalSeconds'
    | 'notificationGroupSeconds'
    | 'allowPrivateTargets'
    | 'pushHosts'
    | 'deadManUrl'
    | 'securityLogUrl'
    | 'otlpUrl'
    | 'otlpHeaders'
  >
  pool: Pool
  clock: Clock
  databaseClock: DatabaseClock
  log: Log
  secrets: InstallationSecrets
  changes: Pick<Changes, 'on' | 'isHeard'>
  /** Base URL of links in mails; undefined where this process does not know it and leaves such mails to one that serves. */
  publicUrl: (() => string) | undefined
  /** Reads TXT records; without it from the name servers of the system. */
  txtLookup?: TxtLookup
  /** As that of the application. */
  visitorTargets?: string | undefined
  /** For what only reads; without it everything is read from the pool. */
  reader?: Reader
  /** The threads in which queries are evaluated; without it of its own. */
  evaluators?: EvaluatorPool
}

/** What a loop over all features adds. */
interface Installation {
  /** What this process evaluates. */
  slices: () => Slices
  readPartitions(nowMs: number): Promise<PartitionState[]>
}

/** Whether incidents are open is asked this often: an announcement may be lost. */
const OPEN_INCIDENTS_EVERY_MS = 30_000

/** What the jobs of features work with. */
export type JobContext = ReturnType<typeof createJobContext>

export function createJobContext(deps: JobDeps, ending: AbortSignal, installation: Installation) {
  const { settings, pool, clock, changes } = deps
  const { db } = pool
  const mailer = createMailer(settings.smtpUrl, settings.mailFrom, { ending })
  // The operator chooses these URLs, so private targets are allowed, except those that `all` does not open.
  const request = createRequester(createPolicyConnect({ db, clock }, 'all'), ending)
  const openIncidents = createRereading({ clock, changes }, 'open_incident', 0, OPEN_INCIDENTS_EVERY_MS)
  let areOpen = true
  return {
    ...deps,
    ...installation,
    db,
    ending,
    pushIntervalSeconds: settings.pushIntervalSeconds,
    mailer,
    bulkMailer: createBulkMailer(settings.smtpUrl, settings.mailFrom, { ending }),
    outbox: createOutbox(mailEncrypter(deps.secrets), mailer.isSetUp, createConfirmLinks(deps.secrets, deps.publicUrl)),
    sendsMail: mailer.isSetUp,
    lookup: deps.txtLookup ?? createTxtLookup(),
    send: createRequester(createPolicyConnect({ db, clock }, settings.allowPrivateTargets), ending),
    fetchCalendar: createRequester(createPolicyConnect({ db, clock }, settings.allowPrivateTargets), ending, CALENDAR_LIMITS),
    sendToVisitors: createRequester(createPolicyConnect({ db, clock }, deps.visitorTargets ?? 'none'), ending),
    requestOfOperator: (url: string) => request({ url, method: 'GET', headers: {}, body: '' }),
    sendToOperator: request,
    postToOperator: async (webhook: Parameters<typeof request>[0]) => (await request(webhook)).status,
    querySeries: seriesQueriesOf(deps, ending),
    areIncidentsOpen: async () => {
      const read = async () => void (areOpen = await openIncidents.read(() => hasOpenIncidents(db)))
      if (openIncidents.dueMs() <= clock.now()) await read()
      // A read that another job had begun may be older than the change that woke this one.
      while (openIncidents.dueMs() === Number.NEGATIVE_INFINITY) await read()
      return areOpen
    },
  }
}

function seriesQueriesOf({ settings, pool, clock, ...deps }: JobDeps, ending: AbortSignal) {
  const { rawMs, rollupMs } = settings.retention
  const { pushIntervalSeconds, sampleIntervalSeconds } = settings
  return createSeriesQueries({
    pushIntervalSeconds,
    sampleIntervalSeconds,
    rawRetentionMs: rawMs,
    retentionMs: Math.max(rawMs, rollupMs),
    reader: deps.reader ?? readFrom(pool),
    clock,
    evaluators: deps.evaluators ?? ownEvaluators(ending),
  })
}

function ownEvaluators(ending: AbortSignal): EvaluatorPool {
  const evaluators = createEvaluatorPool()
  ending.addEventListener('abort', () => void evaluators.close(), { once: true })
  return evaluators
}
