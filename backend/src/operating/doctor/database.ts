import { readAllPartitions } from '../../partitions.ts'
import { isHalfImported } from '../archive/index.ts'
import { readStorage } from '../../hosts/metrics/index.ts'
import { createPool, type Db, listMigrations, type PartitionState } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Log } from '../../platform/logging/log.ts'
import { monotonicUs } from '../../platform/time/monotonic.ts'
import { findProblems, PROBLEM_KINDS, type ProblemKind } from '../self-monitoring/index.ts'
import { findUpSince } from '../../hosts/servers/index.ts'
import type { Settings } from '../settings/index.ts'
import { joinDatabase } from '../startup/index.ts'
import { fault, type Finding, ok, reasonOf, warning } from './finding.ts'
import { examineClock } from './network.ts'
import * as store from './store.ts'

interface Deps {
  settings: Settings
  clock: Clock
  log: Log
}

/** A statement of nothing takes 0.1 ms on one host and 1 ms in one data centre. */
const SLOW_MS = 50
const REPLICA_LAG_MS = 30_000
const TRIES = 5
const SHOWN_CHANNELS = 20

/**
 * The database and what it says of the installation. An embedded one that does not run is started for the time of the check; as
 * root this process becomes its owner then. It changes nothing in the database.
 */
export async function examineDatabase(deps: Deps): Promise<Finding[]> {
  const { settings, clock, log } = deps
  const opened = await joinDatabase(settings, clock, log, { leavesSchema: true }).catch((error: unknown) => error)
  if (!isOpened(opened)) {
    const remedy =
      settings.databaseUrl === undefined
        ? 'The log has the last lines of PostgreSQL: journalctl -u vedette'
        : 'Check that its server runs, and address, user and password of DATABASE_URL'
    return [fault('database', reasonOf(opened), remedy)]
  }
  const { pool } = opened
  try {
    const findings = [...(await examineServer(pool.db, settings, clock)), ...(await examineReplica(deps))]
    const schema = await examineSchema(pool.db)
    return [...findings, schema, ...(schema.state === 'ok' ? await examineWork(pool.db, clock) : [])]
  } catch (error) {
    return [fault('database', reasonOf(error), 'See its log')]
  } finally {
    await opened.stop()
  }
}

const isOpened = (opened: unknown): opened is Awaited<ReturnType<typeof joinDatabase>> =>
  typeof opened === 'object' && opened !== null && 'pool' in opened

async function examineServer(db: Db, { databaseUrl }: Settings, clock: Clock): Promise<Finding[]> {
  const version = await store.readVersion(db)
  const tries: { ms: number; offsetMs: number }[] = []
  for (let number = 0; number < TRIES; number += 1) {
    const [beganAt, sentMs] = [monotonicUs(), clock.now()]
    const time = await store.readTime(db)
    const ms = (monotonicUs() - beganAt) / 1000
    tries.push({ ms, offsetMs: time - (sentMs + ms / 2) })
  }
  const fastest = tries.reduce((best, one) => (one.ms < best.ms ? one : best))
  const detail = `PostgreSQL ${version} ${databaseUrl === undefined ? '(embedded)' : 'of DATABASE_URL'} answers in ${fastest.ms.toFixed(1)} ms`
  return [
    fastest.ms > SLOW_MS
      ? warning('database', detail, 'Run Vedette near its database: each request takes several statements')
      : ok('database', detail),
    examineClock(fastest.offsetMs, 'that of the database'),
  ]
}

async function examineReplica({ settings, clock, log }: Deps): Promise<Finding[]> {
  const { databaseReadUrl: url } = settings
  if (url === undefined) return []
  const pool = createPool({ url, clock, log, max: 1 })
  try {
    const { isReplica, lagMs = 0 } = await store.readReplica(pool.db)
    if (!isReplica)
      return [
        fault('replica', 'DATABASE_READ_URL leads to a server that is no replica', 'Set it to a streaming replica, or remove it'),
      ]
    const detail = `is ${(lagMs / 1000).toFixed(1)} s behind`
    return [
      lagMs > REPLICA_LAG_MS
        ? warning('replica', detail, 'See pg_stat_replication of the primary, and the load of the replica')
        : ok('replica', detail),
    ]
  } catch (error) {
    return [
      warning('replica', `cannot be read (${reasonOf(error)}): the primary answers`, 'Start it, or check DATABASE_READ_URL'),
    ]
  } finally {
    await pool.end()
  }
}

async function examineSchema(db: Db): Promise<Finding> {
  const { applied, available } = await listMigrations(db)
  if (applied.length === 0)
    return fault(
      'schema',
      'the database holds no installation yet',
      'Run "vedette start", or "vedette restore FILE" for a backup',
    )
  if (await isHalfImported(db))
    return fault('schema', 'an import was interrupted', 'Run it again with the same file: it continues where it stopped')
  if (applied.length < available.length)
    return fault(
      'schema',
      `${available.length - applied.length} migrations are missing`,
      'Run "vedette migrate", or restart Vedette',
    )
  return ok('schema', 'is that of this version')
}

const REMEDIES: Readonly<Record<ProblemKind, string>> = {
  checks_missed: 'Start "vedette start", "vedette work" or the probes of these regions; add one if they run',
  ingest_behind: 'Run "vedette compact"; the log of the instances says why they do not',
  partitions_late: 'Restart Vedette, which makes them; its log says why it could not',
  deliveries_failing: 'See the channels below, and the log',
  mails_failing: 'See the mail server below, and the log',
}

/** Instances, partitions, jobs and channels. What is late is no fault while no instance runs. */
async function examineWork(db: Db, clock: Clock): Promise<Finding[]> {
  const nowMs = clock.now()
  const since = await findUpSince(db, new Date(nowMs))
  const problems = await findProblems({
    db,
    clock,
    readIngest: (atMs) => readStorage(db, atMs),
    readPartitions: (atMs) => readAllPartitions(db, atMs),
  })
  const found = PROBLEM_KINDS.flatMap((kind) => {
    const message = problems[kind]
    const subject = kind === 'partitions_late' ? 'partitions' : 'jobs'
    if (message === undefined) return []
    return [since ? fault(subject, message, REMEDIES[kind]) : warning(subject, message, 'Start Vedette: no instance runs')]
  })
  const partitions = await readAllPartitions(db, nowMs)
  return [
    since
      ? ok('instances', `one or more run since ${since.toISOString()}`)
      : warning('instances', 'none runs on this database', 'Start it: systemctl start vedette, or vedette start'),
    ...(problems.partitions_late === undefined ? [ok('partitions', summaryOf(partitions))] : []),
    ...found,
    ...(found.some(({ subject }) => subject === 'jobs') ? [] : [ok('jobs', 'checks, compaction and deliveries are on time')]),
    ...(await examineChannels(db)),
  ]
}

function summaryOf(partitions: readonly PartitionState[]): string {
  const untilMs = Math.min(...partitions.map((partition) => partition.untilMs ?? Number.POSITIVE_INFINITY))
  return `${partitions.length} tables have theirs until ${Number.isFinite(untilMs) ? new Date(untilMs).toISOString() : 'later'}`
}

async function examineChannels(db: Db): Promise<Finding[]> {
  const channels = await store.listFailingChannels(db, SHOWN_CHANNELS)
  if (channels.length === 0) return [ok('channels', 'the last delivery of each succeeded')]
  return channels.map(({ name, type, organization, fault: { at, attempts, message } }) =>
    warning(
      'channels',
      `${name} (${type}) of ${organization} failed ${attempts} times, last at ${at}: ${message}`,
      'Correct and test it on the page Channels',
    ),
  )
}
