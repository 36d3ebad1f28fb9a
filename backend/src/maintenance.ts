import {
  CHANNEL_KINDS,
  channelSealer,
  createCheckJudge,
  createRequester,
  createSender,
  createServerJudge,
  createSilenceEnds,
  judgeSignals,
  keepIncidentPartitions,
  readIncidentPartitions,
  remindOfIncidents,
  tellOfCertificates,
  resealChannels,
} from './alerts/index.ts'
import { keepAuditPartitions, readAuditPartitions } from './audit/index.ts'
import { deleteExpired, sendResets } from './auth/index.ts'
import {
  compactChecks,
  createPolicyConnect,
  forgetCheckAnswers,
  keepCheckPartitions,
  readCheckPartitions,
} from './checks/index.ts'
import { keepEventPartitions, readEventPartitions } from './events/index.ts'
import { createOutbox, giveUpOldMails, mailSealer, sendMails } from './mail/index.ts'
import { deleteExpiredInvitations } from './members/index.ts'
import {
  compactSamples,
  createMeans,
  keepPartitions,
  readSamplePartitions,
  readStorage,
  type Retention,
} from './metrics/index.ts'
import { monitorSealer, resealRequests } from './monitors/index.ts'
import { judgeOwnHealth, pingDeadMan, readOwnHealth } from './own-health/index.ts'
import { type BackgroundJob, repeat } from './platform/background.ts'
import type { Clock } from './platform/clock.ts'
import type { Db, PartitionState, Pool } from './platform/db/index.ts'
import { forgetOldAnswers } from './platform/idempotency/index.ts'
import { createLimitStore, type DatabaseClock, removeOldCounts } from './platform/limits/index.ts'
import { createLease } from './platform/lease.ts'
import type { Log } from './platform/log.ts'
import { runAll } from './platform/run-all.ts'
import type { InstallationSecrets } from './platform/secrets.ts'
import { createMailer } from './platform/smtp.ts'
import { keepProcessPartitions, readProcessPartitions } from './servers/index.ts'
import type { Settings } from './settings.ts'

const HOUR_MS = 3_600_000
/** How long a mail that was asked for waits to be sent. */
const MAIL_EVERY_MS = 2_000
const COUNTS_EVERY_MS = 60_000
/** What a change of status opens is to be told within a second. */
const SIGNALS_EVERY_MS = 250
/** Response times and certificates. */
const CHECKS_JUDGED_EVERY_MS = 5_000
/** Each server is looked at when it is due; who looks is asked so often. */
const SERVERS_JUDGED_EVERY_MS = 1_000
/** Whoever judges misses this many runs before somebody else does: it is dead, or behind. */
const RUNS_MISSED = 4
/** What a maintenance window kept silent waits so long for its end to be seen. */
const SILENCES_EVERY_MS = 5_000
/** What another process stored, and what is to be tried again; what this one judged it tells at once. */
const TELL_EVERY_MS = 1_000
/** No rule asks for more than once a minute. */
const REMIND_EVERY_MS = 5_000
const HEALTH_EVERY_MS = 60_000
/** Late checks of an hour that is put together already are read one by one until then. */
const CHECKS_EVERY_MS = 120_000
/** A mail server that answers at once has taken what is under way by then; what is cut goes out a second time. */
const ENDING_PATIENCE_MS = 1_000
/** Late samples of an hour that is put together are read beside it until then. */
const COMPACT_EVERY_MS = 120_000

/**
 * Makes the partitions that the next days need, and drops those past their retention; of samples only where their retention is
 * given.
 */
export async function keepAllPartitions(db: Db, log: Log, nowMs: number, retention?: Retention): Promise<void> {
  await runAll([
    () => keepPartitions(db, log, nowMs, retention),
    () => keepAuditPartitions(db, log, nowMs),
    () => keepCheckPartitions(db, log, nowMs),
    () => keepProcessPartitions(db, log, nowMs),
    () => keepIncidentPartitions(db, log, nowMs),
    () => keepEventPartitions(db, log, nowMs),
  ])
}

/** What stands of every table that is kept by time. */
export async function readAllPartitions(db: Db, nowMs: number): Promise<PartitionState[]> {
  return [
    ...(await readSamplePartitions(db, nowMs)),
    ...(await readCheckPartitions(db, nowMs)),
    await readAuditPartitions(db, nowMs),
    await readProcessPartitions(db, nowMs),
    ...(await readIncidentPartitions(db, nowMs)),
    await readEventPartitions(db, nowMs),
  ]
}

/** How the whole installation keeps up. */
export async function readInstallation(db: Db, nowMs: number) {
  const [storage, partitions, health] = await Promise.all([
    readStorage(db, nowMs),
    readAllPartitions(db, nowMs),
    readOwnHealth(db, nowMs),
  ])
  return { ...storage, ...health, partitions }
}

/** Tells of tables that nobody has made room in for so long that their rows will soon be refused. */
async function tellLatePartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const { table, untilMs, isLate } of await readAllPartitions(db, nowMs)) {
    const until = untilMs === undefined ? 'now' : new Date(untilMs).toISOString()
    if (isLate) log.error({ table, until }, 'partitions are late: rows from that instant on will be refused')
  }
}

export interface MaintenanceDeps {
  settings: Pick<Settings, 'smtpUrl' | 'mailFrom' | 'retention' | 'pushIntervalSeconds' | 'allowPrivateTargets' | 'deadManUrl'>
  pool: Pool
  clock: Clock
  databaseClock: DatabaseClock
  log: Log
  secrets: InstallationSecrets
  /** Where links lead that are made when they are mailed; undefined: this process cannot know, and leaves them to one that serves. */
  publicUrl: (() => string) | undefined
}

/** What is done for the whole installation beside answering requests; any number of processes may do each at once. */
export interface Maintenance {
  keepPartitions(): Promise<void>
  /** Puts ended hours and days of samples together. */
  compactSamples(): Promise<void>
  /** Mails the links to reset a password that were asked for. */
  sendResets(): Promise<void>
  /** Judges by the alert rules what has changed its status. */
  judgeSignals(): Promise<void>
  /** Judges by the alert rules what checks have measured. */
  judgeChecks(): Promise<void>
  /** Judges by the alert rules what servers have sent, and those that send nothing any more. */
  judgeServers(): Promise<void>
  /** Tells what opened silently, once it is not silent any more. */
  endSilences(): Promise<void>
  /** Tells the operator what has become wrong or well with the installation. */
  judgeOwnHealth(): Promise<void>
  /** Asks the operator's URL, where there is one. */
  pingDeadMan(): Promise<void>
  /** Tells of certificates that end soon. */
  tellOfCertificates(): Promise<void>
  /** Tells again what stands open, as often as its rules want. */
  remind(): Promise<void>
  /** Begins to tell what is due, and does not wait for whoever is told. */
  beginTelling(): Promise<void>
  /** Resolves when nobody is being told anything. */
  toldAll(): Promise<void>
  /** Sends the mails of the outbox. */
  sendMails(): Promise<void>
  /** Deletes sessions, links and invitations that are past their time, and mails that nobody sends. */
  deleteExpired(): Promise<void>
  /** Forgets answers to repeats that are no longer kept. */
  forgetOldAnswers(): Promise<void>
  /** Removes counts of rate limits whose minute is over. */
  removeOldCounts(): Promise<void>
  /** Puts together what the checks of past hours add up to. */
  compactChecks(): Promise<void>
  /** Forgets what failed checks were answered, once no incident can ask for it. */
  forgetCheckAnswers(): Promise<void>
  /** Seals anew what older secrets sealed. `done` where there are no older ones. */
  reseal(): Promise<'done' | undefined>
  /** Cuts mails that are under way, and takes up no further one. */
  end(): void
}

export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const { settings, pool, clock, databaseClock, log, secrets, publicUrl } = deps
  const { db } = pool
  const ending = new AbortController()
  const mailer = createMailer(settings.smtpUrl, settings.mailFrom, { ending: ending.signal })
  const mailing = { db, clock, log, mailer, sealer: mailSealer(secrets), ending: ending.signal }
  const limits = createLimitStore(pool)
  const checkJudge = createCheckJudge({ db, clock })
  const serverJudge = createServerJudge({ db, clock, pushIntervalSeconds: settings.pushIntervalSeconds })
  const sender = createSender({
    db,
    clock,
    log,
    sealer: channelSealer(secrets),
    kinds: CHANNEL_KINDS,
    send: createRequester(createPolicyConnect({ db, clock }, settings.allowPrivateTargets), ending.signal),
    outbox: createOutbox(mailing.sealer, mailer.isSetUp),
    sendsMail: mailer.isSetUp,
    publicUrl,
    ending: ending.signal,
  })
  const means = createMeans()
  return {
    keepPartitions: async () => {
      try {
        await keepAllPartitions(db, log, clock.now(), settings.retention)
      } finally {
        await tellLatePartitions(db, log, clock.now())
      }
    },
    compactSamples: async () => void (await compactSamples(pool, clock, means)),
    sendResets: async () => {
      if (publicUrl) await sendResets({ ...mailing, publicUrl })
    },
    judgeSignals: () => judgeSignals({ db, clock, ending: ending.signal }),
    judgeChecks: () => checkJudge.judge(),
    judgeServers: () => serverJudge.judge(),
    endSilences: createSilenceEnds({ db, clock }),
    judgeOwnHealth: () =>
      judgeOwnHealth({
        db,
        clock,
        log,
        readIngest: (nowMs) => readStorage(db, nowMs),
        readPartitions: (nowMs) => readAllPartitions(db, nowMs),
      }),
    pingDeadMan: async () => {
      const { deadManUrl: url } = settings
      if (url === undefined) return
      // Where the operator wants it, private or not.
      const get = createRequester(createPolicyConnect({ db, clock }, 'all'), ending.signal)
      const isAlive = () =>
        databaseClock.measure().then(
          () => true,
          () => false,
        )
      await pingDeadMan({
        url,
        get: (asked) => get({ url: asked, method: 'GET', headers: {}, body: '' }),
        isAlive,
        warn: (reason) => log.warn({ reason }, 'the ping of VEDETTE_DEAD_MAN_URL was not taken'),
      })
    },
    tellOfCertificates: () => tellOfCertificates({ db, clock }),
    remind: () => remindOfIncidents({ db, clock, ending: ending.signal }),
    beginTelling: () => sender.wake(),
    toldAll: () => sender.idle(),
    sendMails: () => sendMails(mailing),
    deleteExpired: async () => {
      await deleteExpired(db, clock.now())
      await deleteExpiredInvitations(db, clock.now())
      await giveUpOldMails(mailing)
    },
    forgetOldAnswers: () => forgetOldAnswers(db, clock.now()),
    removeOldCounts: () => removeOldCounts(limits, databaseClock),
    compactChecks: () => compactChecks(db, clock),
    forgetCheckAnswers: () => forgetCheckAnswers(db),
    reseal: async () => {
      if (secrets.derive('monitor request').length === 1) return 'done'
      await resealRequests({ db, sealer: monitorSealer(secrets) })
      await resealChannels({ db, sealer: channelSealer(secrets) })
      return undefined
    },
    end: () => ending.abort(),
  }
}

/** Does all of it again and again, until it is stopped. */
export function startMaintenance(deps: MaintenanceDeps): BackgroundJob {
  const { clock, log } = deps
  const maintenance = createMaintenance(deps)
  const job = (name: string, everyMs: number, task: () => Promise<unknown>, firstMs = everyMs) =>
    repeat(name, everyMs, clock, log, task, firstMs)
  // One process looks at all servers, and one at all checks; the others wait for its end.
  const [judgingServers, judgingChecks] = [
    createLease({ db: deps.pool.db, clock }, 'judging servers', RUNS_MISSED * SERVERS_JUDGED_EVERY_MS),
    createLease({ db: deps.pool.db, clock }, 'judging checks', RUNS_MISSED * CHECKS_JUDGED_EVERY_MS),
  ]
  const jobs = [
    // The start has kept them already.
    job('partitions', HOUR_MS, maintenance.keepPartitions),
    job('hours of samples', COMPACT_EVERY_MS, maintenance.compactSamples),
    job('password resets', MAIL_EVERY_MS, maintenance.sendResets),
    // At once: a process that is started anew every half an hour cleans up as well.
    job('mail', MAIL_EVERY_MS, maintenance.sendMails),
    job('changes of status', SIGNALS_EVERY_MS, async () => {
      await maintenance.judgeSignals()
      await maintenance.beginTelling()
    }),
    job('tellings', TELL_EVERY_MS, maintenance.beginTelling),
    job('numbers of checks', CHECKS_JUDGED_EVERY_MS, () => judgingChecks.run(maintenance.judgeChecks)),
    job('servers by the alert rules', SERVERS_JUDGED_EVERY_MS, () => judgingServers.run(maintenance.judgeServers)),
    job('ends of silence', SILENCES_EVERY_MS, maintenance.endSilences),
    job('reminders', REMIND_EVERY_MS, maintenance.remind),
    job('certificates', HOUR_MS, maintenance.tellOfCertificates, HEALTH_EVERY_MS),
    job('own health', HEALTH_EVERY_MS, maintenance.judgeOwnHealth),
    job('dead-man ping', HEALTH_EVERY_MS, maintenance.pingDeadMan, 1_000),
    job('expired sessions', HOUR_MS, maintenance.deleteExpired, 0),
    job('answers to repeats', HOUR_MS, maintenance.forgetOldAnswers, 0),
    job('old counts', COUNTS_EVERY_MS, maintenance.removeOldCounts, 0),
    job('hours of checks', CHECKS_EVERY_MS, maintenance.compactChecks),
    job('answers to checks', CHECKS_EVERY_MS, maintenance.forgetCheckAnswers),
    job('seals of older secrets', HOUR_MS, maintenance.reseal),
  ]
  return {
    stop: async () => {
      const waited = new AbortController()
      const ended = Promise.all(jobs.map((one) => one.stop()))
      const released = ended
        .then(() => Promise.all([judgingServers, judgingChecks].map((lease) => lease.release())))
        .catch((error: unknown) => log.warn({ err: error }, 'who judges next has to wait for the end of a lease'))
      const stopped = ended.then(() => maintenance.toldAll()).then(() => waited.abort())
      await clock.sleep(ENDING_PATIENCE_MS, waited.signal)
      maintenance.end()
      await stopped
      // A database that hangs must not hold up the end: the lease has one of its own.
      const letGo = new AbortController()
      await Promise.race([released.then(() => letGo.abort()), clock.sleep(ENDING_PATIENCE_MS, letGo.signal)])
    },
  }
}
