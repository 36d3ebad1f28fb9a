/**
 * What samples cost on their whole way: the pushes, and the job that puts them together. One JSON line.
 *
 *   npm run bench:ingest -- [--seconds 15] [--connections 64]
 *
 * `vedette serve` on an embedded Postgres of its own takes pushes of six samples of all fields, a minute apart for each host, as fast
 * as it can; then `vedette compact` runs beside it, and once more with nothing to do, which is taken off.
 *
 * `jobShare`: CPU of the job (its process and Postgres) / CPU of the pushes (backend and Postgres); goal ≤ 0.15.
 * `walBytesPerPoint`: of pushes and job together; goal ≤ 5. `restBytesPerPoint`: hours and days with all of their indexes and
 * out-of-line storage; goal ≤ 1.05. The pushes themselves (`hotBytesPerPoint`) are dropped with their day.
 *
 * All pushes are days old, so that every one marks its hour as late, which a live one does not: the pushes cost more than they do,
 * and the marks are taken away before the job runs. A point is a value of a sample; those of filesystems and interfaces are stored
 * beside and not counted. Not measured: other databases beside.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { ALL_FIELDS } from '../shared/src/index.ts'
import { benchEnvironment, type BenchBackend, registerServers, startBackend } from './backend.ts'
import { startChild } from './child.ts'
import type { Order, Result } from './load.ts'
import { cpuOf, cpuOfTree, round, round2 } from './processes.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '15' }, connections: { type: 'string', default: '64' } },
})
const connections = Number(values.connections)

async function walBytes({ database }: BenchBackend): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes")
  return Number(rows[0]?.bytes)
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

/** One run of the job: seconds of CPU of its process, of Postgres, and what it says. */
async function compact(backend: BenchBackend): Promise<{ own: number; postgres: number; said: string }> {
  const before = cpuOfTree(backend.postgresPid)
  const child = spawn(process.execPath, ['--import', TELL_CPU, 'backend/src/main.ts', 'compact', '--json'], {
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
  const push: Order = { port: Number(new URL(backend.url).port), seconds: Number(values.seconds), connections, tokens }
  const warmUp = await order({ ...push, seconds: 3 })
  const walBefore = await walBytes(backend)
  const before = cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid)
  const result = await order(push)
  const pushCpu = cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid) - before
  const walPushes = (await walBytes(backend)) - walBefore
  const all = result.requests + warmUp.requests
  const pointsOf = (pushes: number) => pushes * 6 * ALL_FIELDS.length

  const hot = await sizeOf(backend, 'metric_push')
  await backend.database.query('delete from metric_late')
  const walBetween = await walBytes(backend)
  const job = await compact(backend)
  const walJob = (await walBytes(backend)) - walBetween
  const nothing = await compact(backend)
  const jobCpu = job.own + job.postgres - nothing.own - nothing.postgres
  const [hours, days] = [await sizeOf(backend, 'metric_hour'), await sizeOf(backend, 'metric_day')]
  const jobShare = jobCpu / all / (pushCpu / result.requests)
  console.log(
    JSON.stringify({
      jobShare: round2(jobShare),
      pushUs: round((pushCpu / result.requests) * 1e6),
      jobUsPerPush: round((jobCpu / all) * 1e6),
      jobNodeSeconds: round2(job.own - nothing.own),
      jobPostgresSeconds: round2(job.postgres - nothing.postgres),
      walBytesPerPoint: round2(walPushes / pointsOf(result.requests) + walJob / pointsOf(all)),
      walOfJobBytesPerPoint: round2(walJob / pointsOf(all)),
      restBytesPerPoint: round2((hours + days) / pointsOf(all)),
      hourBytesPerPoint: round2(hours / pointsOf(all)),
      dayBytesPerPoint: round2(days / pointsOf(all)),
      hotBytesPerPoint: round2(hot / pointsOf(all)),
      said: JSON.parse(job.said) as object,
      pushesPerSecond: Math.round(result.requests / result.seconds),
      minutesPerHost: Math.round(all / connections),
      pushes: all,
    }),
  )
} finally {
  await load.stop()
  await backend.stop()
}
