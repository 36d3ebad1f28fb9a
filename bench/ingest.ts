/**
 * What samples cost on their whole way: the pushes, and the job that puts them together. One JSON line.
 *
 *   npm run bench:ingest -- [--seconds 15] [--connections 64] [--profile FOLDER]
 *
 * `vedette serve` on an embedded Postgres of its own takes pushes of six samples of all fields, a minute apart for each host, as fast
 * as it can; then `vedette compact` runs beside it, and once more with nothing to do, which is taken off.
 *
 * `jobShare`: CPU of the job (its process and Postgres) / CPU of the pushes (backend and Postgres), the job being a new process that
 * ends with it; `runningJobShare`: the same in a process that goes on from hour to hour as a backend does, but for its first two
 * hours; goal ≤ 0.15.
 * `walBytesPerPoint`: of pushes and job together; goal ≤ 5. `restBytesPerPoint`: hours and days with all of their indexes and
 * out-of-line storage; goal ≤ 1.05. The pushes themselves (`hotBytesPerPoint`) are dropped with their day.
 *
 * `pushOverVictoria`: CPU of a push over that of VictoriaMetrics for a remote write of as many points in the same run; goal ≤ 0.6. Its
 * bodies are not compressed, which spares it work, and it answers before they are on disk. `insertOverCopy`: points per CPU-second
 * of the statement that stores pushes over COPY BINARY's of the same rows; goal ≥ 0.85.
 *
 * All pushes are days old, so that every one marks its hour as late, which a live one does not: the pushes cost more than they do,
 * and the marks are taken away before the job runs. A point is a value of a sample; those of filesystems and interfaces are stored
 * beside and not counted.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { findRunningUrl } from '../backend/src/platform/db/postgres/index.ts'
import { ALL_FIELDS } from '../shared/src/index.ts'
import { benchEnvironment, type BenchBackend, registerServers, startBackend } from './backend.ts'
import { startChild } from './child.ts'
import { overCopy } from './copy-binary.ts'
import type { Order, Result } from './load.ts'
import { cpuOf, cpuOfTree, round, round2 } from './processes.ts'
import { remoteWriteUs } from './victoria-writes.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '15' },
    connections: { type: 'string', default: '64' },
    profile: { type: 'string' },
  },
})
const connections = Number(values.connections)

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
    'select sum(pg_total_relation_size(relid)) as bytes from pg_partition_tree($1::regclass) where isleaf',
    [table],
  )
  return Number(rows[0]?.bytes)
}

const TELL_CPU = `data:text/javascript,process.on('exit',()=>process.stderr.write('cpu '+JSON.stringify(process.cpuUsage())))`

const PROFILE = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]

/** One run of the job: seconds of CPU of its process, of Postgres, and what it says. */
async function compact(backend: BenchBackend): Promise<{ own: number; postgres: number; said: string }> {
  const before = cpuOfTree(backend.postgresPid)
  const child = spawn(process.execPath, [...PROFILE, '--import', TELL_CPU, 'backend/src/main.ts', 'compact', '--json'], {
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

/**
 * The same in a process that does it each hour, as a backend does: CPU of a push from the third hour on, what came before having
 * made it warm. Begins with what is put together taken away.
 */
async function compactRunning({ database, postgresPid }: BenchBackend, url: string): Promise<{ us: number; hours: number }> {
  const { rows } = await database.query<{ hour: number; pushes: number }>(
    'select (t0 / 3600000)::int as hour, count(*)::int as pushes from metric_push group by 1 order by 1',
  )
  const [first, last] = [rows[0]?.hour ?? 0, rows.at(-1)?.hour ?? 0]
  await database.query('truncate metric_hour, metric_day')
  for (const [name, done] of [
    ['hour', first - 1],
    ['day', Math.floor(first / 24) - 1],
  ])
    await database.query('update metric_progress set done = $2 where name = $1', [name, done])
  const args = ['bench/running-job.ts', url, first, last, postgresPid].map(String)
  const hours = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as { own: number; postgres: number }[]
  const warm = hours.slice(2)
  const pushes = rows.filter(({ hour }) => hour >= first + 2).reduce((sum, row) => sum + row.pushes, 0)
  const cpu = warm.reduce((sum, { own, postgres }) => sum + own + postgres, 0)
  return { us: (cpu / pushes) * 1e6, hours: warm.length }
}

const backend = await startBackend('serve')
const load = await startChild({ args: ['bench/load.ts'] })
const order = async (what: Order): Promise<Result> => {
  load.process.send(what)
  const [result] = (await once(load.process, 'message')) as [Result]
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests failed: ${result.firstFailure}`)
  return result
}
try {
  const tokens = await registerServers(backend, connections)
  const now: Order = { port: Number(new URL(backend.url).port), seconds: Number(values.seconds), connections, tokens }
  const cpu = () => cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid)
  // Of this minute, as those are that VictoriaMetrics gets; the job puts together what lies hours back.
  const warmUpNow = await order({ ...now, seconds: 5 })
  const beforeNow = cpu()
  const resultNow = await order(now)
  const nowUs = ((cpu() - beforeNow) / resultNow.requests) * 1e6
  const push: Order = { ...now, late: true }
  const warmUp = await order({ ...push, seconds: 3 })
  const walBefore = await walBytes(backend)
  const before = cpu()
  const result = await order(push)
  const pushCpu = cpu() - before
  const walPushes = (await walBytes(backend)) - walBefore
  const victoriaUs = await remoteWriteUs(connections, 150)
  const all = result.requests + warmUp.requests
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
  const copied = await overCopy(url, backend.postgresPid, tokens)
  const jobShare = (jobCpu / all / nowUs) * 1e6
  console.log(
    JSON.stringify({
      jobShare: round2(jobShare),
      runningJobShare: round2(running.us / nowUs),
      runningJobUsPerPush: round(running.us),
      runningJobHours: running.hours,
      pushOverVictoria: victoriaUs && round2(nowUs / victoriaUs),
      insertOverCopy: round2(copied.ratio),
      insertPointsPerCpuSecond: Math.round(copied.points),
      victoriaWriteUs: victoriaUs && round(victoriaUs),
      pushUs: round(nowUs),
      latePushUs: round((pushCpu / result.requests) * 1e6),
      jobUsPerPush: round((jobCpu / all) * 1e6),
      jobNodeSeconds: round2(job.own - nothing.own),
      jobPostgresSeconds: round2(job.postgres - nothing.postgres),
      walBytesPerPoint: round2(walPushes / pointsOf(result.requests) + walJob / pointsOf(all)),
      walOfJobBytesPerPoint: round2(walJob / pointsOf(all)),
      restBytesPerPoint: round2((hours + days) / pointsOf(all)),
      hourBytesPerPoint: round2(hours / pointsOf(all)),
      hourDataBytesPerPoint: round2(content.data / pointsOf(all)),
      hourHeaderBytesPerPoint: round2(content.header / pointsOf(all)),
      dayBytesPerPoint: round2(days / pointsOf(all)),
      hotBytesPerPoint: round2(hot / pointsOf(all + warmUpNow.requests + resultNow.requests)),
      said: JSON.parse(job.said) as object,
      pushesPerSecond: Math.round(result.requests / result.seconds),
      minutesPerHost: Math.round(all / connections),
      pushes: all,
      load: loadavg().map(round2),
    }),
  )
} finally {
  await load.stop()
  await backend.stop()
}
