/**
 * The CPU of pushes and of compaction, and the bytes that samples take.
 *
 *   npm run bench -- ingest [--servers 10000] [--connections 256] [--fields 20] [--warm-up 15] [--rounds 4] [--seconds 15]
 *     [--job-times 4] [--profile FOLDER]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own. First 64 servers push samples of past days, six
 * samples of all fields a push, until whole days are there. `vedette compact` compacts them: that gives the bytes. Then a process
 * compacts hour after hour, as a backend that runs for weeks does, --job-times times; the last time counts, when V8 has compiled.
 *
 * Then --servers servers push the samples of the last minute, six of --fields fields a push, over --connections kept connections, as
 * fast as they can, with rate limits and all background work on. In turns of five seconds VictoriaMetrics receives remote writes of as
 * many points from as many hosts over as many connections, compressed as Prometheus sends them. Both are warmed up first.
 * VictoriaMetrics answers before samples are on disk. What each does in the turns of the other is its background work; to ours the
 * compaction is added, which comes an hour later.
 *
 * The servers are so many that none pushes before its time, at the shortest interval that there is: a push that comes early is announced
 * to the evaluation of alerts, which takes as long again. Pushes of past days mark their hour as late, which live ones do not. A point is a value
 * of a sample; values of filesystems and interfaces are stored too and not counted.
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { PROGRAMS } from '../../scripts/launch/programs.mjs'
import { ALL_FIELDS } from '../../shared/src/index.ts'
import { type BenchBackend, compact, registerServers, startBackend } from '../lib/backend.ts'
import { startChild } from '../lib/child.ts'
import { overCopy } from './copy-binary.ts'
import { inTurns, order, type Side } from './driving.ts'
import type { Order } from './load.ts'
import { cpuOf, cpuOfTree, round } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import type { HourCost } from './running-job.ts'
import { startWrites } from './victoria-writes.ts'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '256' },
    fields: { type: 'string', default: '20' },
    'warm-up': { type: 'string', default: '15' },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '15' },
    'job-times': { type: 'string', default: '4' },
    profile: { type: 'string' },
  },
})
const hosts = Number(values.servers)
const many = { hosts, connections: Number(values.connections), fieldCount: Number(values.fields) }
const TURN_SECONDS = 5
/** The few servers of the backlog push more often than the default allows, and all are registered at once. */
const RATE_LIMITS = 'agent=20000,write=100000'
/** So few that many hours are pushed in short time. */
const JOB_SERVERS = Math.min(64, hosts)
const DAY_HOURS = 24

async function walBytes({ database }: BenchBackend): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes")
  return Number(rows[0]?.bytes)
}

/** Bytes of all partitions that hold rows, with indexes and out-of-line storage. */
async function sizeOf({ database }: BenchBackend, table: string): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(relid)) as bytes from pg_partition_tree($1::regclass)
     where isleaf and pg_relation_size(relid) > 0`,
    [table],
  )
  return Number(rows[0]?.bytes)
}

const PROFILE = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]

/** The hours of the backlog, without gaps, with the number of their pushes. */
async function readHours(database: BenchBackend['database']): Promise<{ hour: number; pushes: number }[]> {
  const { rows } = await database.query<{ hour: number; pushes: number }>(
    'select (t0 / 3600000)::int as hour, count(*)::int as pushes from metric_push group by 1 order by 1',
  )
  return rows.filter(({ hour }, index) => hour === (rows[0]?.hour ?? 0) + index)
}

/** Compacts the whole days of the backlog in a process that goes on from hour to hour: µs of CPU a push, for each time. */
async function compactRunning(
  { database, postgresPid }: BenchBackend,
  url: string,
): Promise<{ usByTime: number[]; hours: number }> {
  const pushed = await readHours(database)
  // An incomplete day would cost its hours without the day row.
  const backlog = pushed.slice(0, pushed.length - (pushed.length % DAY_HOURS))
  const first = pushed[0]?.hour ?? 0
  const last = first + backlog.length - 1
  const flags = PROGRAMS.vedette([]).argv.filter((word) => word.startsWith('--'))
  const args = [first, last, postgresPid, values['job-times']].map(String)
  const printed = execFileSync(process.execPath, [...flags, 'bench/ingest/running-job.ts', url, ...args], { encoding: 'utf8' })
  const pushes = backlog.reduce((sum, row) => sum + row.pushes, 0)
  const usOfTime = (hours: HourCost[]) => (hours.reduce((sum, { own, postgres }) => sum + own + postgres, 0) / pushes) * 1e6
  return { usByTime: (JSON.parse(printed) as HourCost[][]).map(usOfTime), hours: backlog.length }
}

/** Else the backend's own job would go through the days since the backlog during the measurement. */
async function markAllCompacted({ database }: BenchBackend): Promise<void> {
  const now = Date.now()
  for (const [name, unitMs] of [
    ['hour', 3_600_000],
    ['day', 86_400_000],
  ] as const)
    await database.query('update metric_progress set done = $2 where name = $1', [name, Math.floor(now / unitMs) - 1])
}

const backend = await startBackend('serve', PROFILE, { VEDETTE_RATE_LIMITS: RATE_LIMITS, VEDETTE_PUSH_INTERVAL_SECONDS: '5' })
const victoria = await startWrites(many)
const load = await startChild({ args: ['bench/ingest/load.ts'] })
try {
  const cpu = () => cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid)
  const port = Number(new URL(backend.url).port)
  // Before the backend's own compaction, which starts two minutes after its start.
  const push: Order = {
    port,
    hosts: JOB_SERVERS,
    connections: JOB_SERVERS,
    tokens: await registerServers(backend, JOB_SERVERS),
    seconds: Number(values.seconds),
    late: true,
  }
  const warmUp = await order(load, { ...push, seconds: 5 })
  const walBefore = await walBytes(backend)
  let late = 0
  do late += (await order(load, push)).requests
  while ((await readHours(backend.database)).length < DAY_HOURS)
  const walPushes = (await walBytes(backend)) - walBefore
  const all = late + warmUp.requests
  const pointsOf = (pushes: number) => pushes * 6 * ALL_FIELDS.length

  const hot = await sizeOf(backend, 'metric_push')
  const walBetween = await walBytes(backend)
  await compact(backend, PROFILE)
  const walJob = (await walBytes(backend)) - walBetween
  const [hours, samples, days] = [
    await sizeOf(backend, 'metric_hour'),
    await sizeOf(backend, 'metric_samples'),
    await sizeOf(backend, 'metric_day'),
  ]
  const url = await findRunningUrl(backend.dataDir)
  if (url === undefined) throw new Error('the database does not run')
  const running = await compactRunning(backend, url)
  const runningUs = running.usByTime.at(-1) ?? Number.NaN
  await markAllCompacted(backend)

  const tokens = await registerServers(backend, hosts)
  const ours = (['rows', 'binary'] as const).map((form): Side => ({ order: { port, ...many, tokens, form }, cpu }))
  const sides = victoria ? [...ours, victoria] : ours
  await inTurns(load, sides, Math.ceil(Number(values['warm-up']) / TURN_SECONDS), TURN_SECONDS)
  const postgresBefore = cpuOfTree(backend.postgresPid)
  const asFast = await inTurns(load, sides, Number(values.rounds), TURN_SECONDS)
  const pushes = asFast.requests.slice(0, ours.length).reduce((sum, count) => sum + count, 0)
  const postgresUs = ((cpuOfTree(backend.postgresPid) - postgresBefore) / pushes) * 1e6
  const [rowsUs = Number.NaN, binaryUs = Number.NaN, victoriaUs] = asFast.us
  const againstVictoria = (atMost: number, backgroundUs = 0) =>
    victoriaUs === undefined ? {} : { peer: { name: 'VictoriaMetrics', value: victoriaUs + backgroundUs, goal: { atMost } } }
  await victoria?.stop()
  const copied = await overCopy(url, backend.postgresPid, tokens)
  printFigures(
    [
      {
        name: `CPU of a push of 6 samples × ${many.fieldCount} fields by rows, backend and Postgres`,
        value: rowsUs,
        unit: 'µs',
        ...againstVictoria(1.3),
      },
      { name: 'the same in the binary form', value: binaryUs, unit: 'µs', ...againstVictoria(0.8) },
      {
        name: 'the same with all background work',
        value: binaryUs + (asFast.betweenUs[1] ?? 0) + runningUs,
        unit: 'µs',
        ...againstVictoria(1.5, asFast.betweenUs[2] ?? 0),
      },
      { name: 'of a push Postgres', value: postgresUs, unit: 'µs' },
      { name: 'CPU of the compaction of a push', value: runningUs, unit: 'µs' },
      { name: 'the same over the CPU of the push', value: runningUs / binaryUs, unit: '', goal: { atMost: 0.25 } },
      {
        name: 'points inserted per CPU second',
        value: copied.points,
        unit: '',
        peer: { name: 'COPY BINARY', value: copied.points / copied.ratio, goal: { atLeast: 0.85 } },
      },
      {
        name: 'write-ahead log of pushes and compaction',
        value: walPushes / pointsOf(late) + walJob / pointsOf(all),
        unit: 'bytes a point',
        goal: { atMost: 5 },
      },
      {
        name: 'stored after compaction, with indexes',
        value: (hours + samples + days) / pointsOf(all),
        unit: 'bytes a point',
        goal: { atMost: 1.05 },
      },
      { name: 'stored before compaction, with indexes', value: hot / pointsOf(all), unit: 'bytes a point' },
    ],
    {
      compactionUsByTime: running.usByTime.map(round),
      compactedHours: running.hours,
      ...many,
      backlogPushes: all,
    },
  )
} finally {
  await load.stop()
  await victoria?.stop()
  await backend.stop()
}
