/**
 * A fleet of agents that push once a minute, each with six samples of all fields.
 *
 *   npm run bench -- fleet [--agents 100000] [--connections 5000] [--seconds 300] [--warm-up 60] [--every 60] [--hour 10000]
 *     [--profile FOLDER]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own (fsync and rate limits on). The agents run in one
 * separate process (`load.ts`), which sends at fixed instants and does not wait for answers. The first minute is the warm-up, at ten times
 * the pace, and is not counted.
 *
 * A backend compacts once an hour. Every run includes a compaction: --hour hosts have pushed each minute of the last due hour, and the
 * job starts two minutes after the start. The default is a tenth of the fleet, because the whole fleet would be six million rows.
 *
 * Latency counts from the instant at which an agent was due to push. The CPU of the agents' process is not part of the figures, but it
 * uses the same machine.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startBackend } from '../lib/backend.ts'
import { startChild } from '../lib/child.ts'
import { seedHosts, seedHour } from './hosts.ts'
import type { FleetOrder, FleetResult } from './load.ts'
import { cpuOf, cpuOfTree, memoryOf, round, round2 } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '300' },
    'warm-up': { type: 'string', default: '60' },
    every: { type: 'string', default: '60' },
    hour: { type: 'string', default: '10000' },
    profile: { type: 'string' },
  },
})
const [agents, seconds, warmUpSeconds] = [Number(values.agents), Number(values.seconds), Number(values['warm-up'])]
const SAMPLE_MS = 5_000

const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const backend = await startBackend('serve', flags, { VEDETTE_RATE_LIMITS: undefined })
const load = await startChild({ args: ['bench/fleet/load.ts'] })
try {
  const tokens = await seedHosts(backend.database, agents)
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
  const sampling = setInterval(() => {
    const atMs = performance.now() - beganMs
    memory.push({ atMs, mb: memoryOf([backend.backendPid]).rss })
    if (cpu.atMs === 0 && atMs > warmUpSeconds * 1_000)
      cpu = { backend: cpuOf(backend.backendPid), postgres: cpuOfTree(backend.postgresPid), atMs }
  }, SAMPLE_MS)
  load.process.send(order)
  const [result] = (await once(load.process, 'message')) as [FleetResult]
  clearInterval(sampling)
  const lasted = (performance.now() - beganMs - cpu.atMs) / 1_000
  const counted = memory.filter(({ atMs }) => atMs > warmUpSeconds * 1_000).map(({ mb }) => mb)
  const quarter = Math.max(1, counted.length >> 2)
  const mean = (list: readonly number[]) => list.reduce((sum, mb) => sum + mb, 0) / list.length
  const [first, last] = [mean(counted.slice(0, quarter)), mean(counted.slice(-quarter))]
  const { rows } = await backend.database.query<{ hours: number }>('select count(*)::int as hours from metric_hour')
  printFigures(
    [
      { name: `${agents} agents: push due to answered, p99`, value: result.p99Ms, unit: 'ms', goal: { atMost: 100 } },
      { name: 'failed pushes', value: result.failures, unit: '', goal: { atMost: 0 } },
      { name: 'memory of the backend, last quarter over first quarter', value: last / first, unit: '', goal: { atMost: 1.1 } },
      { name: 'memory of the backend (RSS), largest', value: Math.max(...counted), unit: 'MB' },
      {
        name: 'CPU of a push, backend and Postgres',
        value:
          ((cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid) - cpu.backend - cpu.postgres) /
            lasted /
            result.perSecond) *
          1e3,
        unit: 'ms',
        goal: { atMost: 0.5 },
      },
      { name: 'CPU of the backend', value: (cpuOf(backend.backendPid) - cpu.backend) / lasted, unit: 'cores' },
      { name: 'CPU of Postgres', value: (cpuOfTree(backend.postgresPid) - cpu.postgres) / lasted, unit: 'cores' },
    ],
    {
      connections: result.openConnections,
      seconds,
      pushesPerSecond: round(result.perSecond),
      p99AnswerMs: round2(result.p99AnswerMs),
      ...(result.firstFailure !== undefined && { firstFailure: result.firstFailure.slice(0, 300) }),
      compactedHours: rows[0]?.hours,
    },
  )
} finally {
  await load.stop()
  await backend.stop()
}
