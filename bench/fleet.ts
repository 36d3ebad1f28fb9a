/**
 * A fleet of agents that push once a minute, each with six samples of all fields of that minute: one JSON line.
 *
 *   npm run bench:fleet -- [--agents 100000] [--connections 5000] [--seconds 300] [--warm-up 60] [--every 60] [--hour 10000] [--new]
 *     [--profile FOLDER]
 *
 * `vedette serve` as the launcher starts it, on an embedded Postgres of its own (fsync on, no rate limits), the agents in a process of
 * their own, which send at their instants whether answers come or not (`fleet-load.ts`). In the first minute each host comes for the
 * first time since the start, which is the warm-up and not counted; with --new for the first time at all.
 *
 * Once an hour a backend puts the hour together, which a run of five minutes would meet by luck. So that each run does, so many hosts
 * (--hour) have pushed each minute of the last hour that is due, and the job takes it up two minutes after the start, within the time
 * that counts. A tenth of the fleet by default: all of it would be six million rows to make first. `hoursPutTogether` are hours of hosts.
 *
 * Goals over 5 minutes: `p99Ms`, from the instant at which an agent was to push to its answer, ≤ 100, no failure, and memory that
 * does not grow: `memoryMb` of the backend is the mean of the first and of the last quarter, `isFlat` at most a tenth more. CPU is
 * in cores; that of the agents' process is apart, but it runs on the same machine.
 */
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { startBackend } from './backend.ts'
import { startChild } from './child.ts'
import { seedHosts, seedHour } from './fleet-hosts.ts'
import type { FleetOrder, FleetResult } from './fleet-load.ts'
import { cpuOf, cpuOfTree, memoryOf, round, round2 } from './processes.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '300' },
    'warm-up': { type: 'string', default: '60' },
    every: { type: 'string', default: '60' },
    hour: { type: 'string', default: '10000' },
    new: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const [agents, seconds, warmUpSeconds] = [Number(values.agents), Number(values.seconds), Number(values['warm-up'])]
const LOOK_MS = 5_000

const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const backend = await startBackend('serve', flags)
const load = await startChild({ args: ['bench/fleet-load.ts'] })
try {
  const tokens = await seedHosts(backend.database, agents, values.new)
  if (Number(values.hour) > 0) await seedHour(backend.database, Number(values.hour))
  const port = Number(new URL(backend.url).port)
  const order: FleetOrder = {
    port,
    tokens,
    everySeconds: Number(values.every),
    connections: Number(values.connections),
    seconds,
    warmUpSeconds,
  }
  const memory: { atMs: number; mb: number }[] = []
  const beganMs = performance.now()
  let cpu = { backend: 0, postgres: 0, atMs: 0 }
  const looking = setInterval(() => {
    const atMs = performance.now() - beganMs
    memory.push({ atMs, mb: memoryOf([backend.backendPid]).rss })
    if (cpu.atMs === 0 && atMs > warmUpSeconds * 1_000)
      cpu = { backend: cpuOf(backend.backendPid), postgres: cpuOfTree(backend.postgresPid), atMs }
  }, LOOK_MS)
  load.process.send(order)
  const [result] = (await once(load.process, 'message')) as [FleetResult]
  clearInterval(looking)
  const lasted = (performance.now() - beganMs - cpu.atMs) / 1_000
  const counted = memory.filter(({ atMs }) => atMs > warmUpSeconds * 1_000).map(({ mb }) => mb)
  const quarter = Math.max(1, counted.length >> 2)
  const mean = (list: readonly number[]) => list.reduce((sum, mb) => sum + mb, 0) / list.length
  const [first, last] = [mean(counted.slice(0, quarter)), mean(counted.slice(-quarter))]
  const { rows } = await backend.database.query<{ rows: number; hours: number }>(
    'select (select count(*)::float8 from metric_push) as rows, (select count(*)::float8 from metric_hour) as hours',
  )
  console.log(
    JSON.stringify({
      agents,
      connections: result.openConnections,
      seconds,
      pushesPerSecond: round(result.perSecond),
      p50Ms: round2(result.p50Ms),
      p99Ms: round2(result.p99Ms),
      maxMs: round(result.maxMs),
      p99AnswerMs: round2(result.p99AnswerMs),
      p99AnswerMsByMinute: result.p99AnswerMsByMinute.map(round2),
      failures: result.failures,
      ...(result.firstFailure !== undefined && { firstFailure: result.firstFailure.slice(0, 300) }),
      memoryMb: { first: round(first), last: round(last), most: Math.max(...counted) },
      isFlat: last <= first * 1.1,
      coresOfBackend: round2((cpuOf(backend.backendPid) - cpu.backend) / lasted),
      coresOfPostgres: round2((cpuOfTree(backend.postgresPid) - cpu.postgres) / lasted),
      coresOfAgents: round2(result.cpuSeconds / (warmUpSeconds + seconds)),
      rows: rows[0]?.rows,
      hoursPutTogether: rows[0]?.hours,
      load: loadavg().map(round2),
    }),
  )
} finally {
  await load.stop()
  await backend.stop()
}
