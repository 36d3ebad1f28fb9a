import { join } from 'node:path'
import { mailAddressOf, type MailServer, startMailServer, watchMailbox } from './alerting/alert-sources/index.ts'
import { createApp, type VedetteApp } from './app.ts'
import { startProber } from './monitoring/checks/index.ts'
import { type LocalAgent, startLocalAgent } from './operating/local-agent/index.ts'
import type { JobDeps } from './job-context.ts'
import { keepAllPartitions } from './partitions.ts'
import { startJobs } from './start-jobs.ts'
import { type BackgroundJob, repeat, repeatWhenDue } from './platform/concurrency/background-job.ts'
import { createMemoryTrimmer } from './platform/system/memory-trimmer.ts'
import type { Clock } from './platform/time/clock.ts'
import { isLostConnection, watchChanges } from './platform/db/index.ts'
import { createDatabaseClock, readDatabaseTime, sharedClock } from './platform/limits/index.ts'
import { parseMailboxUrl } from './platform/mailbox-url.ts'
import type { Log } from './platform/logging/log.ts'
import { ensureRegion } from './monitoring/regions/index.ts'
import {
  agentUrl,
  claimedSecrets,
  connectDatabase,
  listen,
  loadTls,
  probeAddress,
  type RunningDatabase,
  serveStoredPages,
  startBootstrapKey,
  startChecks,
  type StoredPagesServer,
  watchTls,
} from './operating/startup/index.ts'
import type { InstallationSecrets } from './platform/crypto/installation-secrets.ts'
import { VERSION } from './platform/version.ts'
import { createEvaluatorPool } from './querying/promql/index.ts'
import { startHeartbeat } from './hosts/servers/index.ts'
import { publicUrl, type Settings } from './operating/settings/index.ts'
import { isSetupRequired, setupCode, setUpFromSettings } from './operating/setup/index.ts'

export interface StartOptions {
  settings: Settings
  clock: Clock
  log: Log
  version: string
  environment: NodeJS.ProcessEnv
  /** Whether it makes checks. */
  makesChecks: boolean
  /** One line for the person at the terminal. */
  announce(line: string): void
  /** Gives up a start that is under way: it throws. */
  signal: AbortSignal
}

export interface Running {
  url: string
  /** Answers what was begun, stores what was taken, and ends everything that was started. */
  stop(): Promise<void>
}

/** Pause between attempts to reach a database that is away; each attempt waits for seconds itself. */
const CONNECT_AGAIN_MS = 1_000
/** What a large fleet sends in a minute is stored evenly over it; what is less than a good statement waits for more. */
const FLUSH_EVERY_MS = 1_000
const [FLUSH_LEAST, FLUSH_ALL_EVERY] = [100, 10]
/** Three of them missed, and the other instances take this one for gone. */
const LIMITS_EVERY_MS = 15_000
const TRIM_EVERY_MS = 60_000

/** Starts everything that one Vedette is: database, schema, API, page, and the agent for this host. Takes itself down on a failure. */
export async function startVedette(options: StartOptions): Promise<Running> {
  const undo: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const step of undo.splice(0).reverse())
      await step().catch((error: unknown) => options.log.error({ err: error }, 'a step of the stop failed'))
  }
  try {
    return { url: await startParts(options, undo), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts(given: StartOptions, undo: (() => Promise<unknown>)[]): Promise<string> {
  const { settings, log, signal } = given
  const tls = loadTls(settings)
  let storedPages = await serveStoredPages(settings, given.clock, tls)
  undo.push(async () => storedPages?.stop())
  if (!storedPages) await probeAddress(settings)
  const database = await connect(given, storedPages)
  undo.push(() => database.stop())
  signal.throwIfAborted()
  const databaseClock = createDatabaseClock(() => readDatabaseTime(database.pool))
  await databaseClock.measure()
  const clock = sharedClock(databaseClock, given.clock)
  const options = { ...given, clock }
  const { db } = database.pool
  const secrets = await claimedSecrets(settings, clock, db)
  // Monitors are made in it, also before the first worker starts.
  await ensureRegion(db, { id: settings.region, name: settings.region }, new Date(clock.now()))
  await keepAllPartitions(db, log, clock.now(), settings.retention)
  const { uptime, job } = await startHeartbeat(db, clock, log, VERSION)
  undo.push(() => job.stop())

  const changes = watchChanges({ url: database.directUrl, db, clock, log })
  undo.push(() => changes.stop())

  const prober = await startProber({ db, clock, log, changes }, settings)
  undo.push(() => prober.close())
  const evaluators = createEvaluatorPool()
  undo.push(() => evaluators.close())
  const { pool, reader } = database
  const app = await createApp({
    ...options,
    pool,
    reader,
    evaluators,
    databaseClock,
    secrets,
    changes,
    uptime,
    tls,
    prober,
    pagesFolder: join(settings.dataDir, 'status-pages'),
  })
  if (settings.admin) await setUpFromSettings({ db, clock, tokens: app.tokens }, settings.admin)
  // Who visits a page right now finds it.
  await app.copies.run()
  const port = await (storedPages?.handOver(app.app) ?? listen(app.app, settings))
  storedPages = undefined
  const bootstrap = await startBootstrapKey(db, clock, log, settings.bootstrapApiKeyFile)
  const jobs = [
    watchTls(app.app, settings, clock, log),
    bootstrap,
    ...startBackgroundJobs(options, app, { pool, reader, evaluators, databaseClock, secrets, changes }, port),
  ]
  const mails = await takeMails(options, app)
  undo.push(() => mails.close())
  const loopback = await agentUrl(app.app, settings, port)
  undo.push(() => stopServing(app, clock, jobs, loopback.close))
  if (options.makesChecks) undo.push(await startChecks({ ...options, database, changes, databaseClock, secrets, prober }))
  if (settings.localAgent) {
    const agent = startAgent(options, database, loopback.url)
    undo.push(() => agent.stop())
  }
  const url = publicUrl(settings, port)
  await announceReady(options, secrets, database, url)
  return url
}

/** Listens for alerts by mail, or polls their mailbox, where the settings say so. Rejects where it cannot listen. */
async function takeMails(
  { settings, log, clock }: StartOptions,
  { deliverMail }: VedetteApp,
): Promise<Pick<MailServer, 'close'>> {
  if (settings.inboundMail === undefined) return { close: () => Promise.resolve() }
  const mailbox = parseMailboxUrl(settings.inboundMail)
  if (mailbox) return watchMailbox({ deliver: deliverMail, log, clock }, mailbox)
  return startMailServer({ deliver: deliverMail, log }, mailAddressOf(settings.inboundMail))
}

/** While stored pages are served a start waits for its database; else it fails, and who started it sees why. */
async function connect(
  { settings, clock, log, announce, signal }: StartOptions,
  storedPages: StoredPagesServer | undefined,
): Promise<RunningDatabase> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connectDatabase(settings, clock, log, attempt === 1 ? announce : () => undefined, signal)
    } catch (error) {
      if (!storedPages || !(isLostConnection(error) || isLostConnection((error as Error).cause))) throw error
      if (attempt === 1)
        announce(`waiting    the database does not answer; the stored copies of status pages do, at ${storedPages.url}`)
      log.warn({ err: error }, 'the database does not answer; only stored copies of status pages are served')
    }
    await clock.sleep(CONNECT_AGAIN_MS, signal)
    signal.throwIfAborted()
  }
}

function startBackgroundJobs(
  { settings, clock, log }: StartOptions,
  app: VedetteApp,
  shared: Pick<JobDeps, 'pool' | 'reader' | 'evaluators' | 'databaseClock' | 'secrets' | 'changes'>,
  port: number,
): BackgroundJob[] {
  const trim = createMemoryTrimmer(() => clock.now())
  let flushes = 0
  const flush = () => app.flush((flushes += 1) % FLUSH_ALL_EVERY === 0 ? 1 : FLUSH_LEAST)
  return [
    startJobs({ settings, clock, log, ...shared, publicUrl: () => publicUrl(settings, port) }),
    repeat('kept in memory', FLUSH_EVERY_MS, clock, log, flush),
    startWatch(app, clock, log),
    startCopies(app, clock, log),
    repeat('rate limits', LIMITS_EVERY_MS, clock, log, () => app.keepLimits()),
    repeat('memory', TRIM_EVERY_MS, clock, log, async () => trim()),
  ]
}

function startWatch(app: VedetteApp, clock: Clock, log: Log): BackgroundJob {
  const job = repeatWhenDue('missed pings', clock, log, () => app.watchHeartbeats())
  app.onHeartbeatDue(() => job.wake())
  return job
}

function startCopies({ copies }: VedetteApp, clock: Clock, log: Log): BackgroundJob {
  const job = repeatWhenDue('status pages', clock, log, () => copies.run())
  copies.onDue(() => job.wake())
  return job
}

function startAgent(
  { settings, clock, log, environment, announce }: StartOptions,
  { pool }: RunningDatabase,
  url: string,
): LocalAgent {
  return startLocalAgent({ db: pool.db, clock, log, folder: join(settings.dataDir, 'agent'), url, environment, announce })
}

/** Requests under way have this time to finish; then their connections are closed. */
const ANSWER_PATIENCE_MS = 4_000

async function stopServing(
  { app, drain, flushAll }: VedetteApp,
  clock: Clock,
  jobs: readonly BackgroundJob[],
  closeLoopback: () => Promise<void>,
): Promise<void> {
  await closeLoopback()
  const closed = new AbortController()
  void clock.sleep(ANSWER_PATIENCE_MS, closed.signal).then(() => closed.signal.aborted || app.server.closeAllConnections())
  await app.close()
  closed.abort()
  await drain()
  await Promise.all(jobs.map((job) => job.stop()))
  await flushAll()
}

/** The line that programs wait for comes first; what follows is for people. */
async function announceReady(
  { settings, announce }: StartOptions,
  secrets: InstallationSecrets,
  { pool }: RunningDatabase,
  url: string,
): Promise<void> {
  const isNew = await isSetupRequired(pool.db)
  announce(`ready ${isNew ? `${url}/?code=${setupCode(secrets)}` : url}`)
  announce(`data       ${settings.dataDir}`)
  if (isNew) announce('sign in    open that URL once to make the owner and the organization')
  else if (settings.admin) announce(`sign in    as ${settings.admin.email} with the password of VEDETTE_ADMIN_PASSWORD`)
  else announce('sign in    with your e-mail and password')
  if (isNew && settings.localAgent) announce('agent      the agent of this host joins as soon as that is done')
  if (!settings.rateLimits) announce('limits     rate limits are off (VEDETTE_RATE_LIMITS)')
}
