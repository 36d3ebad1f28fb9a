import { HOUR_MS } from '@vedette/shared'
import {
  createCheckEvaluator,
  createServerEvaluator,
  createSuppressionReview,
  type Evaluator,
  evaluateSignals,
  publishExpiringCertificates,
  SIGNALS,
} from '../alerts/index.ts'
import {
  deleteUsedLinks,
  escalateDueIncidents,
  hasOpenIncidents,
  INCIDENT_TABLES,
  keepIncidentPartitions,
  notifyOverdueIncidents,
} from '../incidents/index.ts'
import {
  actionEncrypter,
  CHANNEL_KINDS,
  channelEncrypter,
  createPushSender,
  createRequester,
  createSender,
  DELIVERIES,
  pushCredentials,
  PUSHES,
} from '../notifications/index.ts'
import { remindOfEndingKeys } from '../api-keys/index.ts'
import { AUDIT_EVENTS, countAuditDays } from '../audit/index.ts'
import { deleteExpired, sendResets } from '../auth/index.ts'
import { CHECK_TABLES, compactChecks, createPolicyConnect, deleteStaleAnswers } from '../checks/index.ts'
import { deleteOldTokens } from '../enrollment-tokens/index.ts'
import { compactEntities, deleteEntitiesBefore, ENTITY_CHUNKS } from '../entities/index.ts'
import { LIVE_EVENTS } from '../event-stream/index.ts'
import { sendHandoverMails } from '../handovers/index.ts'
import { createOutbox, giveUpOldMails, mailEncrypter, OUTBOX, sendMails } from '../mail/index.ts'
import { deleteExpiredInvitations } from '../members/index.ts'
import { compactSamples, keepPartitions, LATE_SETTLES_MS, readStorage, type Retention, SAMPLE_TABLES } from '../metrics/index.ts'
import { PINGS } from '../heartbeats/index.ts'
import { deleteExpiredCodes } from '../chat-actions/index.ts'
import { deleteUsedChallenges } from '../passkeys/index.ts'
import { deleteExpiredRequests } from '../identity-providers/index.ts'
import { removeOldDeleted } from '../monitors/index.ts'
import { createSecurityExport, createSink, deleteOldSecurityEvents } from '../security-log/index.ts'
import { evaluateInstallation, pingDeadMan, readInstallationHealth } from '../self-monitoring/index.ts'
import { type BackgroundJob, repeat, repeatWhenDue } from '../platform/concurrency/background-job.ts'
import type { Clock } from '../platform/time/clock.ts'
import {
  ALL_SLICES,
  type Changes,
  createRereading,
  type Db,
  keepTables,
  type PartitionState,
  type Pool,
  readPartitions,
  type Slices,
  withLongStatements,
} from '../platform/db/index.ts'
import { findNextDue } from '../platform/queue/index.ts'
import { deleteOldAnswers } from '../platform/idempotency/index.ts'
import { createLimitStore, type DatabaseClock, removeOldCounts } from '../platform/limits/index.ts'
import { createLease } from '../platform/db/lease.ts'
import { createShare } from '../platform/db/share.ts'
import type { Log } from '../platform/logging/log.ts'
import { runInSequence } from '../platform/concurrency/run-in-sequence.ts'
import { reencryptAll } from '../platform/encrypted-values/encrypted-values.ts'
import type { InstallationSecrets } from '../platform/crypto/installation-secrets.ts'
import { createBulkMailer } from '../platform/bulk-mail/bulk-smtp.ts'
import { createMailer } from '../platform/smtp.ts'
import { PROCESS_LISTS } from '../servers/index.ts'
import type { Settings } from '../settings/index.ts'
import { createSloEvaluation } from '../slos/index.ts'
import {
  checkDueDomains,
  createPageKeys,
  createSubscriberTokens,
  createTxtLookup,
  deleteUnconfirmed,
  sendStepMails,
  sendStepWebhooks,
  STEP_MAILS,
  STEP_WEBHOOKS,
  type TxtLookup,
} from '../status-pages/index.ts'
import { sendWeeklySummaries, summaryEncrypter } from '../weekly-summary/index.ts'

/** Jobs that are announced are looked for this often all the same: an announcement may be lost. */
const SLOW_POLL_MS = 30_000
/** Where announcements do not arrive: interval of sending mails. */
const MAIL_EVERY_MS = 2_000
const COUNTS_EVERY_MS = 60_000
/** Likewise of changes of status, which must cause their notification within a second. */
const SIGNALS_EVERY_MS = 250
/** Likewise of notifications stored by other processes; and of jobs that cannot be taken though they are due. */
const DELIVERIES_EVERY_MS = 1_000
/** Each run evaluates only what is due. */
const EVALUATE_EVERY_MS = 1_000
/** The other processes take over the evaluation this long after the last sign of one that died. */
const EVALUATION_SHARE_MS = 4_000
/** Incidents suppressed by a maintenance window are reviewed at this interval. */
const SUPPRESSIONS_EVERY_MS = 5_000
/** The shortest repeat interval of a rule is a minute. */
const REMIND_EVERY_MS = 5_000
const HEALTH_EVERY_MS = 60_000
/** Events reach the sink this long after they happened. */
const SECURITY_LOG_EVERY_MS = 2_000
const SECURITY_LOG_LEASE_MS = 8_000
const HANDOVERS_EVERY_MS = 10_000
const SUMMARIES_EVERY_MS = 60_000
/** Instances that run the same would read the figures for nothing. */
const SUMMARIES_LEASE_MS = 240_000
const DOMAINS_EVERY_MS = 60_000
const DOMAINS_LEASE_MS = 240_000
/** The shortest window of a burn rate is five minutes. Alerts over longer ones are evaluated less often. */
const SLOS_EVERY_MS = 30_000
const SLOS_LEASE_MS = 90_000
/** Late checks of a compacted hour are read one by one until the next run. */
const CHECKS_EVERY_MS = 120_000
/** Time for mails under way at the stop. An aborted mail is sent again. */
const ENDING_PATIENCE_MS = 1_000
/** Late samples of a compacted hour are read separately until one of the next runs. */
const COMPACT_EVERY_MS = 120_000

/**
 * Creates the partitions of the next days and drops those past their retention; partitions of samples are dropped only when
 * `retention` is given.
 */
export async function keepAllPartitions(db: Db, log: Log, nowMs: number, retention?: Retention): Promise<void> {
  const tasks = [
    () => keepPartitions(db, log, nowMs, retention),
    () => keepTables(db, log, [{ ...ENTITY_CHUNKS, retentionMs: retention?.rollupMs ?? Number.POSITIVE_INFINITY }], nowMs),
    () => keepIncidentPartitions(db, log, nowMs),
    ...[...CHECK_TABLES, PINGS, AUDIT_EVENTS, PROCESS_LISTS, LIVE_EVENTS].map((plan) => () => keepTables(db, log, [plan], nowMs)),
  ]
  await withLongStatements(() => runInSequence(tasks))
}

/** The state of every table that is partitioned by time. */
export const readAllPartitions = (db: Db, nowMs: number): Promise<PartitionState[]> =>
  readPartitions(
    db,
    [...SAMPLE_TABLES, ENTITY_CHUNKS, ...CHECK_TABLES, PINGS, AUDIT_EVENTS, PROCESS_LISTS, ...INCIDENT_TABLES, LIVE_EVENTS],
    nowMs,
  )

/** Storage, partitions and health of the installation. */
export async function readInstallation(db: Db, nowMs: number) {
  const [storage, partitions, health] = await Promise.all([
    readStorage(db, nowMs),
    readAllPartitions(db, nowMs),
    readInstallationHealth(db, nowMs),
  ])
  return { ...storage, ...health, partitions }
}

/** Logs tables whose partitions run out soon: later rows would be refused. */
async function reportLatePartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const { table, untilMs, isLate } of await readAllPartitions(db, nowMs)) {
    const until = untilMs === undefined ? 'now' : new Date(untilMs).toISOString()
    if (isLate) log.error({ table, until }, 'partitions are missing: rows from `until` on will be refused')
  }
}

export interface JobDeps {
  settings: Pick<
    Settings,
    | 'smtpUrl'
    | 'mailFrom'
    | 'retention'
    | 'pushIntervalSeconds'
    | 'notificationGroupSeconds'
    | 'allowPrivateTargets'
    | 'deadManUrl'
    | 'securityLogUrl'
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
}

/**
 * The background work of the whole installation; any number of processes may run each job at once. `slices` says what this process
 * evaluates.
 */
export function createJobs(deps: JobDeps, slices: () => Slices = () => ALL_SLICES) {
  const { settings, pool, clock, databaseClock, log, secrets, changes, publicUrl } = deps
  const { db } = pool
  const ending = new AbortController()
  const mailer = createMailer(settings.smtpUrl, settings.mailFrom, { ending: ending.signal })
  const mailing = { db, clock, log, mailer, encrypter: mailEncrypter(secrets), ending: ending.signal }
  const outbox = createOutbox(mailing.encrypter, mailer.isSetUp)
  const limits = createLimitStore(pool)
  const checkEvaluator = createCheckEvaluator({ db, clock, changes, slices })
  const { pushIntervalSeconds } = settings
  const serverEvaluator = createServerEvaluator({ db, clock, changes, pushIntervalSeconds, slices })
  // The operator chooses these URLs, so private targets are allowed, except those that `all` does not open.
  const request = createRequester(createPolicyConnect({ db, clock }, 'all'), ending.signal)
  const { securityLogUrl } = settings
  const exportEvents =
    securityLogUrl === undefined
      ? undefined
      : createSecurityExport({
          db,
          clock,
          log,
          sink: createSink(securityLogUrl, { post: async (webhook) => (await request(webhook)).status }),
          ending: ending.signal,
        })
  const sending = {
    db,
    clock,
    log,
    send: createRequester(createPolicyConnect({ db, clock }, settings.allowPrivateTargets), ending.signal),
    publicUrl,
    ending: ending.signal,
  }
  const sender = createSender({
    ...sending,
    encrypter: channelEncrypter(secrets),
    actionEncrypter: actionEncrypter(secrets),
    kinds: CHANNEL_KINDS,
    groupMs: settings.notificationGroupSeconds * 1000,
    outbox,
    sendsMail: mailer.isSetUp,
  })
  const lookup = deps.txtLookup ?? createTxtLookup()
  const steps = {
    ...sending,
    mailer: createBulkMailer(settings.smtpUrl, settings.mailFrom, { ending: ending.signal }),
    encrypter: channelEncrypter(secrets),
    kinds: CHANNEL_KINDS,
    keys: createPageKeys(secrets),
    tokens: createSubscriberTokens(secrets),
  }
  const evaluateDueSlos = createSloEvaluation({ db, clock, log })
  const pushSender = createPushSender({ ...sending, ...pushCredentials(secrets) })
  return {
    keepPartitions: async () => {
      try {
        await keepAllPartitions(db, log, clock.now(), settings.retention)
      } finally {
        await reportLatePartitions(db, log, clock.now())
      }
    },
    /** Compacts ended hours and days of samples. */
    compactSamples: async () =>
      void (await withLongStatements(() => compactSamples(pool, clock, { lateSettlesMs: LATE_SETTLES_MS }))),
    /** Compacts the entities of ended hours and days. */
    compactEntities: () => withLongStatements(() => compactEntities(db, clock)),
    /** Mails the requested links to reset a password. */
    sendResets: async () => {
      if (publicUrl) await sendResets({ ...mailing, publicUrl })
    },
    /** Evaluates the alert rules for changes of status. */
    evaluateSignals: () => evaluateSignals({ db, clock, ending: ending.signal }),
    /** Evaluates the alert rules for the results of checks. */
    evaluateChecks: () => checkEvaluator.evaluate(),
    /** Evaluates the alert rules for the samples of servers and for servers that stopped sending. */
    evaluateServers: () => serverEvaluator.evaluate(),
    evaluators: { servers: serverEvaluator, checks: checkEvaluator },
    /** Notifies about suppressed incidents once their suppression ends. */
    reviewSuppressions: createSuppressionReview({ db, clock, pushIntervalSeconds }),
    /** Notifies the operator about new and resolved problems of the installation. */
    evaluateInstallation: () =>
      evaluateInstallation({
        db,
        clock,
        log,
        readIngest: (nowMs) => readStorage(db, nowMs),
        readPartitions: (nowMs) => readAllPartitions(db, nowMs),
      }),
    /** Calls the operator's dead man's switch URL, if set. */
    pingDeadMan: async () => {
      const { deadManUrl: url } = settings
      if (url === undefined) return
      const isAlive = () =>
        databaseClock.measure().then(
          () => true,
          () => false,
        )
      await pingDeadMan({
        url,
        get: (url) => request({ url, method: 'GET', headers: {}, body: '' }),
        isAlive,
        warn: (reason) => log.warn({ reason }, 'VEDETTE_DEAD_MAN_URL did not accept the ping'),
      })
    },
    /** Sends the security log to VEDETTE_SECURITY_LOG_URL, if set. */
    exportSecurityLog: async () => exportEvents?.(),
    /** Publishes certificates that expire soon. */
    publishExpiringCertificates: () => publishExpiringCertificates({ db, clock }),
    /** Notifies again about open incidents at the repeat interval of their rules. */
    notifyOverdue: () => notifyOverdueIncidents({ db, clock, ending: ending.signal }),
    /** Takes the steps of escalation policies that are due, and opens acknowledged incidents again. */
    escalate: () => escalateDueIncidents({ db, clock, ending: ending.signal }),
    /** Starts the due deliveries without waiting for them. */
    startDeliveries: () => Promise.all([sender.wake(), pushSender.wake()]),
    /** Resolves when no delivery is under way. */
    deliveriesDone: () => Promise.all([sender.idle(), pushSender.idle()]),
    /** Sends the mails of the outbox. */
    sendMails: () => sendMails(mailing),
    /** Sends posts of status pages to their subscribers. */
    sendStepMails: async () => {
      if (publicUrl) await sendStepMails({ ...steps, publicUrl })
    },
    sendStepWebhooks: async () => {
      if (publicUrl) await sendStepWebhooks({ ...steps, publicUrl })
    },
    /** Mails the makers of API keys that end soon. */
    remindOfEndingKeys: () => remindOfEndingKeys({ db, clock, outbox }),
    /** Mails the weekly summaries that are due. */
    sendWeeklySummaries: () =>
      sendWeeklySummaries({
        from: pool,
        clock,
        log,
        outbox,
        encrypter: summaryEncrypter(secrets),
        publicUrl,
        ending: ending.signal,
      }),
    /** Mails those whose duty in an on-call schedule begins or ends. */
    sendHandoverMails: () => sendHandoverMails({ db, clock, log, outbox, publicUrl, ending: ending.signal }),
    /** Looks up the TXT records that prove the domains of status pages, where that is due. */
    checkPageDomains: () => checkDueDomains({ db, clock, log, keys: createPageKeys(secrets), lookup }),
    /** Deletes expired sessions, links, invitations, old security events and monitors deleted long ago, and gives up old mails. */
    deleteExpired: () =>
      withLongStatements(async () => {
        await deleteExpired(db, clock.now())
        await deleteExpiredRequests(db, new Date(clock.now()))
        await deleteExpiredInvitations(db, clock.now())
        await deleteUnconfirmed(db, clock.now())
        await deleteOldTokens(db, clock.now())
        await deleteUsedLinks(db, clock.now())
        await deleteUsedChallenges(db, clock.now())
        await deleteExpiredCodes(db, clock.now())
        await deleteOldSecurityEvents(db, clock.now())
        await removeOldDeleted(db, clock)
        await deleteEntitiesBefore(db, clock.now() - settings.retention.rollupMs)
        await giveUpOldMails(mailing)
      }),
    /** Deletes expired answers to idempotent requests. */
    deleteOldAnswers: () => deleteOldAnswers(db, clock.now()),
    /** Deletes rate-limit counts of past minutes. */
    removeOldCounts: () => removeOldCounts(limits, databaseClock),
    /** Counts the audit events of ended days. */
    countAuditDays: () => withLongStatements(() => countAuditDays(db, clock.now())),
    /** Compacts the checks of past hours. */
    compactChecks: () => withLongStatements(() => compactChecks(db, clock)),
    /** Evaluates the burn rates of SLOs. */
    evaluateSlos: () => withLongStatements(evaluateDueSlos),
    /** Deletes the stored responses of failed checks that no incident needs. */
    deleteCheckAnswers: () => deleteStaleAnswers(db),
    /** Re-encrypts values of older secrets. `done` where there are no older secrets. */
    reencrypt: async (): Promise<'done' | undefined> => {
      if (secrets.fingerprints().length === 1) return 'done'
      await reencryptAll(db, secrets)
      return undefined
    },
    /** Aborts mails under way and starts no further ones. */
    end: () => ending.abort(),
  }
}

export type Jobs = ReturnType<typeof createJobs>

/** Repeats all jobs until it is stopped. */
export function startJobs(deps: JobDeps): BackgroundJob {
  const { pool, clock, log, changes, settings } = deps
  const watched = { db: pool.db, clock, changes }
  // Each process evaluates a part of the servers and monitors; the others take over its part when it ends.
  const share = createShare(watched, 'evaluation', {
    holdMs: EVALUATION_SHARE_MS,
    dueMs: () => Math.min(...evaluators.map(({ dueMs }) => dueMs())),
    wokenBy: ['alert_rule', 'server', 'metric_push'],
  })
  const tasks = createJobs(deps, share.slices)
  const { servers, checks } = tasks.evaluators
  const evaluators = [servers, checks]
  const job = (name: string, everyMs: number, task: () => Promise<unknown>, firstMs = everyMs) =>
    repeat(name, everyMs, clock, log, task, firstMs)
  /** Runs when a job is stored in one of the tables, and when one is due. One that cannot be taken then waits behind another. */
  const queueJob = (name: string, tables: readonly string[], everyMs: number, task: () => Promise<unknown>) => {
    const repeated = repeatWhenDue(name, clock, log, async () => {
      const pauseMs = async () => {
        const dueMs = (await findNextDue(pool.db, tables))?.getTime() ?? Number.POSITIVE_INFINITY
        return Math.min(dueMs - clock.now(), changes.isHeard() ? SLOW_POLL_MS : everyMs)
      }
      const restMs = await pauseMs()
      if (restMs > 0) return restMs
      await task()
      return Math.max(everyMs, await pauseMs())
    })
    for (const table of tables) changes.on(table, repeated.wake)
    return repeated
  }
  const evaluating = (name: string, evaluator: Evaluator) =>
    job(name, EVALUATE_EVERY_MS, async () => {
      if (evaluator.isDue() || share.isExpiring())
        await share.run(async () => {
          if (evaluator.isDue()) await evaluator.evaluate()
        })
    })
  const openIncidents = createRereading(watched, 'open_incident', 0, SLOW_POLL_MS)
  let areOpen = true
  const whileOpen = (task: () => Promise<unknown>) => async () => {
    if (openIncidents.dueMs() <= clock.now()) areOpen = await openIncidents.read(() => hasOpenIncidents(pool.db))
    if (areOpen) await task()
  }
  const securityLogLease = createLease(watched, 'security log', SECURITY_LOG_LEASE_MS)
  const summaryLease = createLease(watched, 'weekly summaries', SUMMARIES_LEASE_MS)
  const domainLease = createLease(watched, 'domains of status pages', DOMAINS_LEASE_MS)
  const deliveries = queueJob('deliveries', [DELIVERIES.table, PUSHES.table], DELIVERIES_EVERY_MS, tasks.startDeliveries)
  const sloLease = createLease(watched, 'SLOs', SLOS_LEASE_MS)
  const jobs = [
    deliveries,
    queueJob('changes of status', [SIGNALS.table], SIGNALS_EVERY_MS, async () => {
      await tasks.evaluateSignals()
      deliveries.wake()
    }),
    ...(settings.smtpUrl === undefined
      ? []
      : [
          queueJob('mail', [OUTBOX.table], MAIL_EVERY_MS, tasks.sendMails),
          job('password resets', MAIL_EVERY_MS, tasks.sendResets),
          job('mails of handovers', HANDOVERS_EVERY_MS, tasks.sendHandoverMails),
          queueJob('mails of status pages', [STEP_MAILS.table], MAIL_EVERY_MS, tasks.sendStepMails),
        ]),
    queueJob('webhooks of status pages', [STEP_WEBHOOKS.table], MAIL_EVERY_MS, tasks.sendStepWebhooks),
    // The start has already run this job.
    job('partitions', HOUR_MS, tasks.keepPartitions),
    job('hours of samples', COMPACT_EVERY_MS, tasks.compactSamples),
    job('hours of entities', COMPACT_EVERY_MS, tasks.compactEntities),
    evaluating('checks by the alert rules', checks),
    evaluating('servers by the alert rules', servers),
    job('burn rates of SLOs', SLOS_EVERY_MS, () => sloLease.run(tasks.evaluateSlos)),
    job('suppressions', SUPPRESSIONS_EVERY_MS, whileOpen(tasks.reviewSuppressions)),
    job('reminders', REMIND_EVERY_MS, whileOpen(tasks.notifyOverdue)),
    job('escalation', REMIND_EVERY_MS, whileOpen(tasks.escalate)),
    job('certificates', HOUR_MS, tasks.publishExpiringCertificates, HEALTH_EVERY_MS),
    job('self-monitoring', HEALTH_EVERY_MS, tasks.evaluateInstallation),
    job('dead-man ping', HEALTH_EVERY_MS, tasks.pingDeadMan, 1_000),
    job('security log', SECURITY_LOG_EVERY_MS, async () => {
      if (settings.securityLogUrl === undefined) return 'done'
      await securityLogLease.run(tasks.exportSecurityLog)
      return undefined
    }),
    job('weekly summaries', SUMMARIES_EVERY_MS, async () => {
      // One that cannot send must not take the lease from those that can.
      if (settings.smtpUrl === undefined || !deps.publicUrl) return 'done'
      await summaryLease.run(tasks.sendWeeklySummaries)
      return undefined
    }),
    job('domains of status pages', DOMAINS_EVERY_MS, () => domainLease.run(tasks.checkPageDomains)),
    // Tasks that start at once also run in a process that restarts every half an hour.
    job('API keys that end', HOUR_MS, tasks.remindOfEndingKeys, 0),
    job('expired sessions', HOUR_MS, tasks.deleteExpired, 0),
    job('answers to repeats', HOUR_MS, tasks.deleteOldAnswers, 0),
    job('old counts', COUNTS_EVERY_MS, tasks.removeOldCounts, 0),
    job('days of the audit log', HOUR_MS, tasks.countAuditDays, COUNTS_EVERY_MS),
    job('hours of checks', CHECKS_EVERY_MS, tasks.compactChecks),
    job('answers to checks', CHECKS_EVERY_MS, tasks.deleteCheckAnswers),
    job('re-encryption', HOUR_MS, tasks.reencrypt),
  ]
  return {
    stop: async () => {
      const waited = new AbortController()
      const ended = Promise.all(jobs.map((one) => one.stop()))
      const released = ended
        .then(() => Promise.all([share, securityLogLease, summaryLease, domainLease, sloLease].map((each) => each.release())))
        .catch((error: unknown) =>
          log.warn({ err: error }, 'could not release the leases; the next process waits until they expire'),
        )
      const stopped = ended.then(() => tasks.deliveriesDone()).then(() => waited.abort())
      await clock.sleep(ENDING_PATIENCE_MS, waited.signal)
      tasks.end()
      await stopped
      // A hanging database must not delay the stop: the leases expire by themselves.
      const releaseDone = new AbortController()
      await Promise.race([released.then(() => releaseDone.abort()), clock.sleep(ENDING_PATIENCE_MS, releaseDone.signal)])
    },
  }
}
