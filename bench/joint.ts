/**
 * Everything at once, against each part alone in the same run: one JSON line.
 *
 *   npm run bench:joint -- [--seconds 25] [--servers 2000] [--every 10] [--monitors 500] [--readers 50] [--pause 1000]
 *
 * `vedette serve` and `vedette work` on an embedded Postgres of their own (fsync on, no rate limits). Servers push six samples of all
 * fields each ten seconds (a push a minute would be a sixth of it), monitors are checked each 30 s against a target that answers,
 * readers ask for pages of servers, metrics of a day and stats with a second between two pages. Each in a process of its own.
 *
 * `pushMs` and `readMs`: from asking to the answer; `lateMs`: how long after its instant a check reached its target. Goal: each
 * `ratios` entry, of the p99 together over that alone, ≤ 2. Ratios of few milliseconds say little: the p99s are told.
 */
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { encodeId } from '../backend/src/platform/ids.ts'
import { OWNER } from './backend.ts'
import {
  type CheckWorld,
  holdAll,
  latenessOf,
  makeMonitors,
  type MonitorWish,
  releaseAll,
  startCheckWorld,
} from './check-world.ts'
import { type Child, startChild } from './child.ts'
import { seedHosts } from './fleet-hosts.ts'
import type { FleetOrder, FleetResult } from './fleet-load.ts'
import { round2 } from './processes.ts'
import type { ReadOrder, ReadResult } from './reader-load.ts'
import { sleep } from './sleep.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '25' },
    servers: { type: 'string', default: '2000' },
    every: { type: 'string', default: '10' },
    monitors: { type: 'string', default: '500' },
    readers: { type: 'string', default: '50' },
    pause: { type: 'string', default: '1000' },
  },
})
const seconds = Number(values.seconds)
const wish: MonitorWish = { count: Number(values.monitors), intervalSeconds: 30, timeoutSeconds: 10 }
const CONNECTIONS = 500
/** Until what is due first has been claimed. */
const LEAD_MS = 5_000

async function asked<Result>(child: Child, order: object): Promise<Result> {
  child.process.send(order)
  const [result] = (await once(child.process, 'message')) as [Result]
  return result
}

async function signIn(url: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(OWNER) })
  return `Bearer ${((await response.json()) as { token: string }).token}`
}

async function pathsOf(world: CheckWorld): Promise<string[]> {
  const ids = async (table: string) =>
    (await world.backend.database.query<{ id: string }>(`select id from ${table} order by id limit 20`)).rows.map(({ id }) => id)
  const servers = (await ids('server')).map((id) => encodeId('server', id))
  const monitors = (await ids('monitor')).map((id) => encodeId('monitor', id))
  return servers.flatMap((server, index) => [
    `/v1/servers?limit=100&page=${1 + (index % 20)}&include=metrics`,
    `/v1/servers/${server}/metrics?period=24h`,
    `/v1/servers/${server}/metrics?period=24h&points=100`,
    `/v1/monitors/${monitors[index]}/stats?period=24h`,
    '/v1/monitors?limit=100',
  ])
}

/** How late checks are over the next seconds; the schedule begins anew. */
async function measureChecks(world: CheckWorld) {
  const firstDueMs = Date.now() + LEAD_MS
  await releaseAll(world, firstDueMs)
  await sleep(LEAD_MS)
  await world.arrivals()
  await sleep(seconds * 1_000 + 1_000)
  const late = latenessOf(await world.arrivals(), wish, firstDueMs, firstDueMs, firstDueMs + seconds * 1_000)
  await holdAll(world)
  return late
}

const world = await startCheckWorld()
const [agents, readers] = [
  await startChild({ args: ['bench/fleet-load.ts'] }),
  await startChild({ args: ['bench/reader-load.ts'] }),
]
const worker = await world.startWorker()
try {
  const { url, database } = world.backend
  const port = Number(new URL(url).port)
  const connections = Math.min(CONNECTIONS, Number(values.servers))
  const tokens = await seedHosts(database, Number(values.servers))
  const pushes: FleetOrder = { port, tokens, everySeconds: Number(values.every), connections, seconds, warmUpSeconds: 1 }
  await makeMonitors(world, wish, Date.now() + 3_600_000)
  const reads: ReadOrder = {
    url,
    authorization: await signIn(url),
    readers: Number(values.readers),
    pauseMs: Number(values.pause),
    seconds,
    paths: await pathsOf(world),
  }
  // Until V8 has compiled what is hot, every host has come once, and every check was made once.
  const warmUp = measureChecks(world)
  await asked(agents, { ...pushes, seconds: Number(values.every) })
  await asked(readers, { ...reads, seconds: 5, pauseMs: 100 })
  await warmUp

  const pushed = await asked<FleetResult>(agents, pushes)
  const read = await asked<ReadResult>(readers, reads)
  const checked = await measureChecks(world)
  // The schedule needs its lead: all of them count for the same seconds.
  const checking = measureChecks(world)
  await sleep(LEAD_MS - 1_000)
  const [pushedTogether, readTogether, checkedTogether] = await Promise.all([
    asked<FleetResult>(agents, pushes),
    asked<ReadResult>(readers, reads),
    checking,
  ])
  const ratio = (together: number, alone: number) => round2(together / alone)
  console.log(
    JSON.stringify({
      ratios: {
        pushes: ratio(pushedTogether.p99AnswerMs, pushed.p99AnswerMs),
        reads: ratio(readTogether.p99Ms, read.p99Ms),
        checks: ratio(checkedTogether.p99, checked.p99),
      },
      pushMs: { alone: round2(pushed.p99AnswerMs), together: round2(pushedTogether.p99AnswerMs) },
      readMs: { alone: round2(read.p99Ms), together: round2(readTogether.p99Ms) },
      lateMs: { alone: round2(checked.p99), together: round2(checkedTogether.p99) },
      medians: {
        pushMs: [round2(pushed.p50Ms), round2(pushedTogether.p50Ms)],
        readMs: [round2(read.p50Ms), round2(readTogether.p50Ms)],
        lateMs: [round2(checked.p50), round2(checkedTogether.p50)],
      },
      counts: {
        pushes: [pushed.pushes, pushedTogether.pushes],
        reads: [read.reads, readTogether.reads],
        checks: [checked.checks, checkedTogether.checks],
        checksMissing: [checked.missing, checkedTogether.missing],
      },
      failures: pushed.failures + pushedTogether.failures + read.failures + readTogether.failures,
      firstFailure: (pushedTogether.firstFailure ?? readTogether.firstFailure ?? pushed.firstFailure ?? read.firstFailure)?.slice(
        0,
        300,
      ),
      load: loadavg().map(round2),
    }),
  )
} finally {
  await agents.stop()
  await readers.stop()
  await worker.stop()
  await world.stop()
}
