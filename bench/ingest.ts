/**
 * What samples cost on their whole way: the pushes, and the job that puts them together. One JSON line.
 *
 *   npm run bench:ingest -- [--connections 2000] [--at-once N] [--warm-up 40] [--rounds 5] [--seconds 15] [--job-times 4] [--profile FOLDER]
 *
 * `vedette serve`, started as the launcher does, on an embedded Postgres of its own. First 64 servers push what lies days back, six
 * samples of all fields a minute later with each push, for `--seconds`, and so long again as there is no whole day.
 * `vedette compact` runs beside the backend, and once more with nothing to do, which is taken off; then the same in a process that goes
 * on from hour to hour as a backend does.
 *
 * Then 2,000 servers push what they measured in the minute that just ended, each over a connection of its own that it keeps, as fast as
 * it can. Beside it VictoriaMetrics takes remote writes of as many points from as many hosts over as many connections by the same clients,
 * in turns of five seconds. Both are warmed up first, V8's code and VictoriaMetrics' names of series: a backend runs for weeks
 * (`pushUsWarmingUp`, `victoriaWriteUsWarmingUp`: by slices of five seconds).
 *
 * `pushOverVictoria`: CPU of a push (backend and Postgres) over that of a remote write, the median of the turns; goal ≤ 0.6. Bodies
 * of remote writes are not compressed, which spares VictoriaMetrics work, and it answers before they are on disk. `fewAtOnce`: the same
 * with 64 requests under way at any time on the same connections, so that fewer pushes share a commit. `pushPostgresUs`: Postgres' part,
 * with what it does in the turns of VictoriaMetrics.
 * `runningJobShare`: CPU of the job (its process and Postgres) in the process that goes on / CPU of those pushes; goal ≤ 0.15. This is the
 * one that is judged, since the job of a backend is part of a process that runs for weeks: it goes through all of the hours `--job-times`
 * times, and the last time counts (`runningJobUsByTime` tells each). It keeps means of 5 minutes for as large a part of its servers as a
 * backend does of 2,000. `jobShare`: the same of a new process that ends with it, most of which is V8 that compiles.
 * `walBytesPerPoint`: of pushes and job together; goal ≤ 5. `restBytesPerPoint`: hours and days with all of their indexes and
 * out-of-line storage; goal ≤ 1.05. The pushes themselves (`hotBytesPerPoint`) are dropped with their day.
 * `insertOverCopy`: points per CPU-second of the statement that stores pushes over COPY BINARY's of the same rows; goal ≥ 0.85.
 *
 * Pushes of days ago mark their hour as late, which a live one does not: they cost more (`latePushUs`), nothing is divided by them, and
 * the marks are taken away before the job runs. A point is a value of a sample; those of filesystems and interfaces are stored beside
 * and not counted.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { findRunningUrl } from '../backend/src/platform/db/postgres/index.ts'
import { MEANS_BYTES } from '../backend/src/metrics/index.ts'
import { PROGRAMS } from '../scripts/launch/programs.mjs'
import { ALL_FIELDS } from '../shared/src/index.ts'
import { benchEnvironment, type BenchBackend, registerServers, startBackend } from './backend.ts'
import { startChild } from './child.ts'
import { overCopy } from './copy-binary.ts'
import { inTurns, measure, order, type Side, usOf } from './driving.ts'
import type { Order } from './load.ts'
import { cpuOf, cpuOfTree, median, memoryOf, round, round2 } from './processes.ts'
import type { HourTold } from './running-job.ts'
import { startWrites } from './victoria-writes.ts'

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '2000' },
    'at-once': { type: 'string' },
    'warm-up': { type: 'string', default: '40' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '15' },
    'job-times': { type: 'string', default: '4' },
    profile: { type: 'string' },
  },
})
const connections = Number(values.connections)
const atOnce = Number(values['at-once'] ?? connections)
const TURN_SECONDS = 5
/** Requests under way at once, on the same connections: told beside. */
const FEW = 64
/** So few that many hours come together. */
const JOB_SERVERS = Math.min(64, connections)
/** Of the fleet that the goal is about: the means of 5 minutes of the day under way find room for a part of it. */
const FLEET = 2_000
const DAY_HOURS = 24

async function walBytes({ database }: BenchBackend): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes")
  return Number(rows[0]?.bytes)
}

/** Bytes of the samples themselves and of what hours add up to, without rows, pages and indexes around them. */
async function hourContent({ database }: BenchBackend): Promise<{ data: number; header: number }> {
  const { rows } = await database.query<{ data: string; header: string }>(
    'select sum(length(data)) as data, sum(length(header)) as header from metric_hour',
  )
  return { data: Number(rows[0]?.data), header: Number(rows[0]?.header) }
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

const TELL_CPU = `data:text/javascript,process.on('exit',()=>process.stderr.write('cpu '+JSON.stringify(process.cpuUsage())))`

const PROFILE = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]

/** One run of the job: seconds of CPU of its process, of Postgres, and what it says. */
async function compact(backend: BenchBackend): Promise<{ own: number; postgres: number; said: string }> {
  const before = cpuOfTree(backend.postgresPid)
  const { argv } = PROGRAMS.vedette(['compact', '--json'])
  const child = spawn(process.execPath, [...PROFILE, '--import', TELL_CPU, ...argv], {
    env: benchEnvironment(backend.dataDir),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (said[name] += text))
  const [code] = (await once(child, 'close')) as [number]
  const cpu = /cpu (\{.*\})/.exec(said.stderr)?.[1]
  if (code !== 0 || cpu === undefined) throw new Error(`compact ended with ${code}: ${said.stderr}`)
  const { user, system } = JSON.parse(cpu) as NodeJS.CpuUsage
  return { own: (user + system) / 1e6, postgres: cpuOfTree(backend.postgresPid) - before, said: said.stdout }
}

/** The hours of the backlog with their pushes; behind it nothing is put together for days. */
async function readHours(database: BenchBackend['database']): Promise<{ hour: number; pushes: number }[]> {
  const { rows } = await database.query<{ hour: number; pushes: number }>(
    'select (t0 / 3600000)::int as hour, count(*)::int as pushes from metric_push group by 1 order by 1',
  )
  return rows.filter(({ hour }, index) => hour === (rows[0]?.hour ?? 0) + index)
}

/**
 * The same of whole days in a process that does it each hour, as a backend does, by each time that it goes through all hours: µs of CPU
 * of a push.
 */
async function compactRunning(
  { database, postgresPid }: BenchBackend,
  url: string,
): Promise<{ usByTime: number[]; hours: number }> {
  const pushed = await readHours(database)
  // A part of a day would cost its hours, and not the day that they are put together to.
  const backlog = pushed.slice(0, pushed.length - (pushed.length % DAY_HOURS))
  const first = pushed[0]?.hour ?? 0
  const last = first + backlog.length - 1
  const flags = PROGRAMS.vedette([]).argv.filter((word) => word.startsWith('--'))
  const args = [first, last, postgresPid, values['job-times'], Math.round((MEANS_BYTES * JOB_SERVERS) / FLEET)].map(String)
  const told = execFileSync(process.execPath, [...flags, 'bench/running-job.ts', url, ...args], { encoding: 'utf8' })
  const pushes = backlog.reduce((sum, row) => sum + row.pushes, 0)
  const usOfTime = (hours: HourTold[]) => (hours.reduce((sum, { own, postgres }) => sum + own + postgres, 0) / pushes) * 1e6
  return { usByTime: (JSON.parse(told) as HourTold[][]).map(usOfTime), hours: backlog.length }
}

/** The backend's own job would go through the days since the backlog, beside what is measured. */
async function leaveNothingToDo({ database }: BenchBackend): Promise<void> {
  const now = Date.now()
  for (const [name, unitMs] of [
    ['hour', 3_600_000],
    ['day', 86_400_000],
  ] as const)
    await database.query('update metric_progress set done = $2 where name = $1', [name, Math.floor(now / unitMs) - 1])
}

const withFew = (side: Side): Side => ({ ...side, order: { ...side.order, atOnce: FEW } })

const backend = await startBackend('serve')
const victoria = await startWrites({ connections, atOnce })
const load = await startChild({ args: ['bench/load.ts'] })
try {
  const cpu = () => cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid)
  const port = Number(new URL(backend.url).port)
  // First what the job puts together: two minutes after its start the backend looks for hours that are to be.
  const push: Order = {
    port,
    connections: JOB_SERVERS,
    tokens: await registerServers(backend, JOB_SERVERS),
    seconds: Number(values.seconds),
    late: true,
  }
  const warmUp = await order(load, { ...push, seconds: 5 })
  const walBefore = await walBytes(backend)
  const before = cpu()
  let late = 0
  do late += (await order(load, push)).requests
  while ((await readHours(backend.database)).length < DAY_HOURS)
  const pushCpu = cpu() - before
  const walPushes = (await walBytes(backend)) - walBefore
  const all = late + warmUp.requests
  const pointsOf = (pushes: number) => pushes * 6 * ALL_FIELDS.length

  const hot = await sizeOf(backend, 'metric_push')
  await backend.database.query('delete from metric_late')
  const walBetween = await walBytes(backend)
  const job = await compact(backend)
  const walJob = (await walBytes(backend)) - walBetween
  // The backlog ends days ago: going through the empty hours since then is no part of putting samples together.
  await backend.database.query("update metric_progress set done = (select max(hour) from metric_hour) where name = 'hour'")
  const nothing = await compact(backend)
  const jobCpu = job.own + job.postgres - nothing.own - nothing.postgres
  const [hours, days] = [await sizeOf(backend, 'metric_hour'), await sizeOf(backend, 'metric_day')]
  const url = await findRunningUrl(backend.dataDir)
  if (url === undefined) throw new Error('the database does not run')
  const content = await hourContent(backend)
  const running = await compactRunning(backend, url)
  const runningUs = running.usByTime.at(-1) ?? Number.NaN
  await leaveNothingToDo(backend)

  const tokens = await registerServers(backend, connections)
  const ours: Side = { order: { port, connections, atOnce, tokens }, cpu }
  const sides = victoria ? [ours, victoria] : [ours]
  const warmingUp = sides.map((): number[] => [])
  for (let slice = 0; slice < Number(values['warm-up']) / TURN_SECONDS; slice += 1)
    for (const [index, side] of sides.entries()) warmingUp[index]?.push(usOf(await measure(load, side, TURN_SECONDS)))
  const postgresBefore = cpuOfTree(backend.postgresPid)
  const asFast = await inTurns(load, sides, Number(values.rounds), TURN_SECONDS)
  const postgresUs = ((cpuOfTree(backend.postgresPid) - postgresBefore) / asFast.requests) * 1e6
  const few = await inTurns(load, sides.map(withFew), Math.ceil(Number(values.rounds) / 2), TURN_SECONDS)
  const [nowUs = Number.NaN, victoriaUs] = asFast.us
  const { rss: backendMb } = memoryOf([backend.backendPid])
  await victoria?.stop()
  const copied = await overCopy(url, backend.postgresPid, tokens)
  console.log(
    JSON.stringify({
      pushOverVictoria: victoria && round2(median(asFast.ratios)),
      runningJobShare: round2(runningUs / nowUs),
      insertOverCopy: round2(copied.ratio),
      pushUs: round(nowUs),
      pushPostgresUs: round(postgresUs),
      victoriaWriteUs: victoriaUs && round(victoriaUs),
      ratios: asFast.ratios.map(round2),
      fewAtOnce: { atOnce: FEW, pushOverVictoria: victoria && round2(median(few.ratios)), us: few.us.map(round) },
      pushUsWarmingUp: warmingUp[0]?.map(round),
      victoriaWriteUsWarmingUp: warmingUp[1]?.map(round),
      backendMb,
      runningJobUsByTime: running.usByTime.map(round),
      runningJobHours: running.hours,
      jobShare: round2((jobCpu / all / nowUs) * 1e6),
      jobUsPerPush: round((jobCpu / all) * 1e6),
      jobNodeSeconds: round2(job.own - nothing.own),
      jobPostgresSeconds: round2(job.postgres - nothing.postgres),
      latePushUs: round((pushCpu / late) * 1e6),
      insertPointsPerCpuSecond: Math.round(copied.points),
      walBytesPerPoint: round2(walPushes / pointsOf(late) + walJob / pointsOf(all)),
      walOfJobBytesPerPoint: round2(walJob / pointsOf(all)),
      restBytesPerPoint: round2((hours + days) / pointsOf(all)),
      hourBytesPerPoint: round2(hours / pointsOf(all)),
      hourDataBytesPerPoint: round2(content.data / pointsOf(all)),
      hourHeaderBytesPerPoint: round2(content.header / pointsOf(all)),
      dayBytesPerPoint: round2(days / pointsOf(all)),
      hotBytesPerPoint: round2(hot / pointsOf(all)),
      said: JSON.parse(job.said) as object,
      connections,
      atOnce,
      minutesPerHost: Math.round(all / JOB_SERVERS),
      pushes: all,
      load: loadavg().map(round2),
    }),
  )
} finally {
  await load.stop()
  await victoria?.stop()
  await backend.stop()
}
