/**
 * A fleet of agents that push once a minute, each with six samples of all fields.
 *
 *   npm run bench -- fleet [--agents 100000] [--connections 5000] [--seconds 300] [--warm-up 60] [--every 60] [--hour 10000]
 *     [--together MS] [--bare] [--statements] [--profile FOLDER]
 *
 * `vedette serve` runs as the launcher starts it, on an embedded Postgres of its own (fsync and rate limits on). The agents run in one
 * separate process (`load.ts`), which sends at fixed instants and does not wait for answers. The first minute is the warm-up, at ten times
 * the pace, and is not counted.
 *
 * A backend compacts once an hour. Every run includes a compaction: --hour hosts have pushed each minute of the last due hour, and the
 * job starts two minutes after the start. The default is a tenth of the fleet, because the whole fleet would be six million rows.
 *
 * Latency counts from the instant at which an agent was due to push. The CPU of the agents' process is not part of the figures, but it
 * uses the same machine. With --bare the same pushes then go to a bare server that only stores them (`bare.ts`). With
 * --statements the details list the statements that took most of the database's time, each by push, after the first round.
 *
 * With --together agents whose pushes are due within so many milliseconds push at the same instant, as agents do that push at whole
 * seconds of their clocks.
 *
 * A checkpoint precedes the measurement. The log of a push is that of a whole interval between checkpoints: the first round writes whole
 * pages, the others do not.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { dueUntilMs, HOUR_MS } from '../../backend/src/hosts/metrics/storage/schedule.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { startBackend } from '../lib/backend.ts'
import { startChild } from '../lib/child.ts'
import { seedHosts, seedHours } from './hosts.ts'
import type { FleetOrder, FleetResult } from './load.ts'
import { cpuOf, cpuOfTree, memoryOf, round, round2 } from '../lib/processes.ts'
import { printFigures } from '../lib/result.ts'
import { sleep } from '../lib/sleep.ts'
import { readStatements, type Statement, statementsByPush } from './statements.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '300' },
    'warm-up': { type: 'string', default: '60' },
    every: { type: 'string', default: '60' },
    hour: { type: 'string', default: '10000' },
    together: { type: 'string', default: '0.001' },
    bare: { type: 'boolean', default: false },
    statements: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const [agents, seconds, warmUpSeconds] = [Number(values.agents), Number(values.seconds), Number(values['warm-up'])]
const [everySeconds, togetherMs] = [Number(values.every), Number(values.together)]
const SAMPLE_MS = 5_000

const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const backend = await startBackend('serve', flags, { VEDETTE_RATE_LIMITS: undefined })

/** Since the start; CPU in seconds. */
interface Usage {
  atMs: number
  server: number
  postgres: number
  walBytes: number
}

interface Run {
  result: FleetResult
  /** CPU seconds a second. */
  server: number
  postgres: number
  memoryMb: number[]
  /** Bytes of log a push. */
  walBytes: number
  statements: Statement[]
}

async function readUsage(pid: number): Promise<Usage> {
  // Of statements: in its first minutes a new cluster logs megabytes for the vacuum of its catalogue. Without the compaction of a whole
  // hour within some minutes: `ingest` has its log.
  const { rows } = await backend.database.query<{ bytes: number }>(
    "select sum(wal_bytes)::float8 as bytes from pg_stat_statements where query not like '%insert into metric_hour%'",
  )
  return { atMs: performance.now(), server: cpuOf(pid), postgres: cpuOfTree(backend.postgresPid), walBytes: rows[0]?.bytes ?? 0 }
}

const rateOf = (from: Usage, to: Usage, what: Exclude<keyof Usage, 'atMs'>): number =>
  ((to[what] - from[what]) / (to.atMs - from.atMs)) * 1e3

/** Lets the fleet push to the program with this id, and measures after the warm-up. */
async function run(port: number, tokens: readonly string[], pid: number): Promise<Run> {
  const load = await startChild({ args: ['bench/fleet/load.ts'] })
  const memoryMb: number[] = []
  const sampling = setInterval(() => memoryMb.push(memoryOf([pid]).rss), SAMPLE_MS)
  try {
    const connections = Number(values.connections)
    load.process.send({ port, tokens, everySeconds, togetherMs, connections, seconds, warmUpSeconds } satisfies FleetOrder)
    const ended = once(load.process, 'message') as Promise<[FleetResult]>
    await sleep(warmUpSeconds * 1_000)
    memoryMb.length = 0
    await backend.database.query('checkpoint')
    let statements = await readStatements(backend.database)
    const before = await readUsage(pid)
    let listedSeconds = seconds
    const firstRound =
      seconds > everySeconds
        ? sleep(everySeconds * 1_000).then(async () => {
            statements = await readStatements(backend.database)
            listedSeconds = seconds - everySeconds
            return readUsage(pid)
          })
        : undefined
    const [result] = await ended
    const after = await readUsage(pid)
    const afterRound = (await firstRound) ?? after
    return {
      result,
      server: rateOf(before, after, 'server'),
      postgres: rateOf(before, after, 'postgres'),
      memoryMb,
      walBytes: (await meanWal(before, afterRound, after)) / result.perSecond,
      statements: statementsByPush(statements, await readStatements(backend.database), result.perSecond * listedSeconds),
    }
  } finally {
    clearInterval(sampling)
    await load.stop()
  }
}

/** Bytes of log a second, over the whole interval between checkpoints. */
async function meanWal(before: Usage, afterRound: Usage, after: Usage): Promise<number> {
  const { rows } = await backend.database.query<{ seconds: number }>(
    "select extract(epoch from current_setting('checkpoint_timeout')::interval)::float8 as seconds",
  )
  const interval = rows[0]?.seconds ?? 0
  const first = rateOf(before, afterRound, 'walBytes')
  if (afterRound === after) return first
  return first + ((rateOf(afterRound, after, 'walBytes') - first) * (interval - everySeconds)) / interval
}

/** The same pushes to a bare server with the same database, while the backend is halted. */
async function runBare(tokens: readonly string[]): Promise<Run> {
  process.kill(backend.backendPid, 'SIGSTOP')
  const bare = await startChild({ args: ['bench/fleet/bare.ts', String(await findRunningUrl(backend.dataDir))] })
  try {
    return await run(Number(bare.ready), tokens, bare.pid)
  } finally {
    await bare.stop()
    process.kill(backend.backendPid, 'SIGCONT')
  }
}

const msOf = ({ server, postgres, result }: Run): number => ((server + postgres) / result.perSecond) * 1e3

try {
  const tokens = await seedHosts(backend.database, agents)
  if (Number(values.hour) > 0)
    // The last hour that is due: the job starts two minutes after the backend.
    await seedHours(backend.database, Number(values.hour), dueUntilMs(Date.now()) - HOUR_MS, 1)
  const own = await run(Number(new URL(backend.url).port), tokens, backend.backendPid)
  const bare = values.bare ? await runBare(tokens) : undefined
  const { result, memoryMb } = own
  const quarter = Math.max(1, memoryMb.length >> 2)
  const mean = (list: readonly number[]) => list.reduce((sum, mb) => sum + mb, 0) / list.length
  const [first, last] = [mean(memoryMb.slice(0, quarter)), mean(memoryMb.slice(-quarter))]
  const { rows } = await backend.database.query<{ hours: number }>('select count(*)::int as hours from metric_hour')
  printFigures(
    [
      { name: `${agents} agents: push due to answered, p99`, value: result.p99Ms, unit: 'ms', goal: { atMost: 100 } },
      { name: 'failed pushes', value: result.failures, unit: '', goal: { atMost: 0 } },
      { name: 'memory of the backend, last quarter over first quarter', value: last / first, unit: '', goal: { atMost: 1.1 } },
      { name: 'memory of the backend (RSS), largest', value: Math.max(...memoryMb), unit: 'MB' },
      {
        name: 'CPU of a push, backend and Postgres',
        value: msOf(own),
        unit: 'ms',
        goal: { atMost: 0.5 },
        ...(bare && { peer: { name: 'a bare server with one insert', value: msOf(bare) } }),
      },
      {
        name: 'write-ahead log of a push, without its commit record',
        value: own.walBytes,
        unit: 'bytes',
        goal: { atMost: 1_000 },
      },
      { name: 'CPU of the backend', value: own.server * 1e3, unit: 'ms a second' },
      { name: 'CPU of Postgres', value: own.postgres * 1e3, unit: 'ms a second' },
    ],
    {
      connections: result.openConnections,
      seconds,
      pushesPerSecond: round(result.perSecond),
      p99AnswerMs: round2(result.p99AnswerMs),
      ...(result.firstFailure !== undefined && { firstFailure: result.firstFailure.slice(0, 300) }),
      ...(bare && {
        bare: { server: round2(bare.server * 1e3), postgres: round2(bare.postgres * 1e3), failures: bare.result.failures },
      }),
      compactedHours: rows[0]?.hours,
      ...(values.statements && { statements: own.statements }),
    },
  )
} finally {
  await backend.stop()
}
