import { once } from 'node:events'
import type { PaceOrder, PaceResult } from './pacer.ts'
import type { Arrival } from './targets.ts'
import { type CheckWorld, hangs, holdAll, latenessOf, makeMonitors, type MonitorSet, notMade, outcomes } from './world.ts'
import type { Child } from '../lib/child.ts'
import { cpuOf, cpuOfTree, memoryOf, round2 } from '../lib/processes.ts'
import { sleep } from '../lib/sleep.ts'

const BARE_PER_SECOND = 100
/** Above the numbers of monitors. */
const BARE_FROM = 1_000_000

/**
 * How late checks of monitors are that answer, while others hang, and what was left out. `bareMs` is how late a process is at the
 * same time that does nothing but open connections at their instants: what no checker can be better than on this machine.
 */
export async function measureLateness(world: CheckWorld, worker: Child, pacer: Child, set: MonitorSet, seconds: number) {
  const firstDueMs = Date.now() + 5_000
  await world.backend.database.query('truncate check_result')
  await makeMonitors(world, set, firstDueMs)
  // Until as many hang as ever will.
  await sleep(firstDueMs - Date.now() + (set.timeoutSeconds + 1) * 1_000)
  await world.arrivals()
  const fromMs = Date.now()
  const before = { worker: cpuOf(worker.pid), postgres: cpuOfTree(world.backend.postgresPid) }
  const target = `http://127.2.0.1:${world.ports.http}`
  const order: PaceOrder = { targets: [target], perSecond: BARE_PER_SECOND, seconds, firstNumber: BARE_FROM }
  pacer.process.send(order)
  const [bare] = (await once(pacer.process, 'message')) as [PaceResult]
  const toMs = Date.now()
  const cores = (cpuSeconds: number) => round2(cpuSeconds / ((toMs - fromMs) / 1_000))
  const load = {
    coresOfWorker: cores(cpuOf(worker.pid) - before.worker),
    coresOfPostgres: cores(cpuOfTree(world.backend.postgresPid) - before.postgres),
  }
  await sleep(500)
  const arrivals = await world.arrivals()
  const { p50, p99, max, missing, doubled, checks } = latenessOf(arrivals, set, firstDueMs, fromMs, toMs)
  const seen = await outcomes(world.backend.database)
  return {
    monitors: set.count,
    hangingPercent: set.hangingPercent,
    checks,
    latenessMs: { p50: round2(p50), p99: round2(p99), max: round2(max) },
    bareMs: bareLateness(arrivals, bare.startMs),
    skipped: (await notMade(world.backend.database)) + missing,
    doubled,
    outcomes: seen,
    ...load,
    workerMb: memoryOf([worker.pid]),
  }
}

function bareLateness(arrivals: readonly Arrival[], startMs: number) {
  const late = arrivals
    .filter(([n]) => n >= BARE_FROM)
    .map(([n, atMs]) => atMs - startMs - ((n - BARE_FROM) * 1_000) / BARE_PER_SECOND)
    .sort((left, right) => left - right)
  const at = (share: number) => round2(late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/**
 * The worker is killed while monitors are checked, and another one started at once: seconds from its start until each monitor that
 * answers has been checked again. Claims of the dead one are over when their leases are; what was missed is checked in its next slot.
 * Monitors that hang are counted separately: their next check follows their confirmation, not the restart.
 */
export async function measureRestart(world: CheckWorld, worker: Child, set: MonitorSet) {
  await world.arrivals()
  const killedAtMs = Date.now()
  worker.process.kill('SIGKILL')
  const next = await world.startWorker()
  const readyAtMs = Date.now()
  await sleep((set.intervalSeconds + 8) * 1_000)
  const first = new Map<number, number>()
  for (const [n, atMs] of await world.arrivals()) if (n < set.count && atMs > readyAtMs && !first.has(n)) first.set(n, atMs)
  await holdAll(world)
  const worst = (wanted: (n: number) => boolean) => Math.max(...[...first].filter(([n]) => wanted(n)).map(([, atMs]) => atMs))
  const since = (atMs: number) => round2((atMs - readyAtMs) / 1_000)
  const figures = {
    missing: set.count - first.size,
    seconds: since(worst((n) => !hangs(n, set))),
    hangingSeconds: since(worst((n) => hangs(n, set))),
    startSeconds: round2((readyAtMs - killedAtMs) / 1_000),
    intervalSeconds: set.intervalSeconds,
  }
  return { figures, worker: next }
}
