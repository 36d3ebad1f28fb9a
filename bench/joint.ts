/**
 * Everything at once, against each part alone in the same run: one JSON line.
 *
 *   npm run bench:joint -- [--seconds 30] [--servers 2000] [--every 60] [--monitors 500] [--readers 50] [--pause 1000]
 *     [--rounds 3]
 *
 * `vedette serve` and `vedette work` as the launcher starts them, on an embedded Postgres of their own (fsync on, no rate limits). Servers
 * push six samples of all fields once a minute, as agents do by default: 33 pushes a second of 2,000. `--every 10` is the harder one,
 * 200 a second, which was the only one until it was seen that no agent pushes six samples each ten seconds. Monitors are checked each
 * 30 s against a target that answers, readers ask for pages of servers, metrics of a day and stats with a second between two pages.
 * Each in a process of its own.
 *
 * `pushMs` and `readMs`: from asking to the answer; `lateMs`: how long after its instant a check reached its target. Goal: each
 * `ratios` entry, of the p99 together over that alone, ≤ 2; each p99 is the median of those of the rounds, since 1,000 pushes have ten
 * above their p99, which one disturbance of the machine decides. Ratios of few milliseconds say little: the p99s are told.
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
import { median, round2 } from './processes.ts'
import type { ReadOrder, ReadResult } from './reader-load.ts'
import { sleep } from './sleep.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    servers: { type: 'string', default: '2000' },
    every: { type: 'string', default: '60' },
    monitors: { type: 'string', default: '500' },
    readers: { type: 'string', default: '50' },
    pause: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
  },
})
const seconds = Number(values.seconds)
const wish: MonitorWish = { count: Number(values.monitors), intervalSeconds: 30, timeoutSeconds: 10 }
const CONNECTIONS = 500
/** Each is used so soon: who connects and says nothing for 10 s is cut off. */
const FIRST_USE_SECONDS = 5
/** All servers come for the first time within this. */
const WARM_UP_SECONDS = 10
/** Until what is due first has been claimed. */
const LEAD_MS = 5_000

/** What one round has told of each part. */
interface Told {
  pushed: FleetResult
  read: ReadResult
  checked: Awaited<ReturnType<typeof measureChecks>>
}

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
  const connections = Math.min(CONNECTIONS, Math.floor((Number(values.servers) / Number(values.every)) * FIRST_USE_SECONDS))
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
  await asked(agents, { ...pushes, everySeconds: WARM_UP_SECONDS, seconds: WARM_UP_SECONDS })
  await asked(readers, { ...reads, seconds: 5, pauseMs: 100 })
  await warmUp

  const alone: Told[] = []
  const together: Told[] = []
  for (let round = 0; round < Number(values.rounds); round += 1) {
    alone.push({
      pushed: await asked<FleetResult>(agents, pushes),
      read: await asked<ReadResult>(readers, reads),
      checked: await measureChecks(world),
    })
    // The schedule needs its lead: all of them count for the same seconds.
    const checking = measureChecks(world)
    await sleep(LEAD_MS - 1_000)
    const [pushed, read, checked] = await Promise.all([
      asked<FleetResult>(agents, pushes),
      asked<ReadResult>(readers, reads),
      checking,
    ])
    together.push({ pushed, read, checked })
  }

  const middle = (told: Told[], valueOf: (one: Told) => number) => round2(median(told.map(valueOf)))
  const p99s = (valueOf: (one: Told) => number) => ({
    alone: middle(alone, valueOf),
    together: middle(together, valueOf),
    rounds: alone.map((one, round) => [one, together[round] as Told].map((part) => round2(valueOf(part)))),
  })
  const medians = (valueOf: (one: Told) => number) => [middle(alone, valueOf), middle(together, valueOf)]
  const sums = (valueOf: (one: Told) => number) =>
    [alone, together].map((told) => told.reduce((sum, one) => sum + valueOf(one), 0))
  const pushMs = p99s(({ pushed }) => pushed.p99AnswerMs)
  const readMs = p99s(({ read }) => read.p99Ms)
  const lateMs = p99s(({ checked }) => checked.p99)
  const all = [...together, ...alone]
  console.log(
    JSON.stringify({
      ratios: {
        pushes: round2(pushMs.together / pushMs.alone),
        reads: round2(readMs.together / readMs.alone),
        checks: round2(lateMs.together / lateMs.alone),
      },
      pushMs,
      readMs,
      lateMs,
      medians: {
        pushMs: medians(({ pushed }) => pushed.p50Ms),
        readMs: medians(({ read }) => read.p50Ms),
        lateMs: medians(({ checked }) => checked.p50),
      },
      counts: {
        pushes: sums(({ pushed }) => pushed.pushes),
        reads: sums(({ read }) => read.reads),
        checks: sums(({ checked }) => checked.checks),
        checksMissing: sums(({ checked }) => checked.missing),
      },
      failures: all.reduce((sum, { pushed, read }) => sum + pushed.failures + read.failures, 0),
      firstFailure: all.flatMap(({ pushed, read }) => pushed.firstFailure ?? read.firstFailure ?? [])[0]?.slice(0, 300),
      load: loadavg().map(round2),
    }),
  )
} finally {
  await agents.stop()
  await readers.stop()
  await worker.stop()
  await world.stop()
}
