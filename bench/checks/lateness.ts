import { once } from 'node:events'
import type { PaceOrder, PaceResult } from './pacer.ts'
import type { Arrival } from './targets.ts'
import {
  type CheckWorld,
  hangs,
  holdAll,
  latenessOf,
  makeMonitors,
  type MonitorSet,
  notMade,
  storedBegins,
  wakeWorkers,
  wrongOutcomes,
} from './world.ts'
import type { Child } from '../lib/child.ts'
import { cpuOf, cpuOfTree, memoryOf, round2 } from '../lib/processes.ts'
import { sleep } from '../lib/sleep.ts'

const BARE_PER_SECOND = 100
/** Above the numbers of monitors. */
const BARE_FROM = 1_000_000

/**
 * How late checks of monitors are that answer, while others hang, and what was left out. `bareP99Ms` is how late a process is at the
 * same time that does nothing but open connections at their instants: what no checker can be better than on this machine.
 */
export async function measureLateness(world: CheckWorld, worker: Child, pacer: Child, set: MonitorSet, seconds: number) {
  const cpu = () => cpuOf(worker.pid) + cpuOf(world.backend.backendPid) + cpuOfTree(world.backend.postgresPid)
  const firstDueMs = Date.now() + 5_000
  await world.backend.database.query('truncate check_result')
  await makeMonitors(world, set, firstDueMs)
  await wakeWorkers(world)
  // Until as many hang as ever will.
  await sleep(firstDueMs - Date.now() + (set.timeoutSeconds + 1) * 1_000)
  await world.arrivals()
  const [fromMs, before] = [Date.now(), cpu()]
  const target = `http://127.2.0.1:${world.ports.http}`
  const order: PaceOrder = { targets: [target], perSecond: BARE_PER_SECOND, seconds, firstNumber: BARE_FROM }
  pacer.process.send(order)
  const [bare] = (await once(pacer.process, 'message')) as [PaceResult]
  const toMs = Date.now()
  const cores = (cpu() - before) / ((toMs - fromMs) / 1_000)
  await sleep(1_000)
  const arrivals = await world.arrivals()
  const { kinds = [] } = set
  if (kinds.includes('icmp')) arrivals.push(...(await storedBegins(world, 'icmp', fromMs)))
  const wrong = await wrongOutcomes(world, set, fromMs, toMs - set.timeoutSeconds * 1_000)
  const window = { firstDueMs, fromMs, toMs }
  const { p99, missing, checks } = latenessOf(arrivals, set, window)
  return {
    checks,
    p99Ms: round2(p99),
    byKind: Object.fromEntries(
      kinds.map((kind) => {
        const one = latenessOf(arrivals, set, window, kind)
        return [kind, { p99Ms: round2(one.p99), missing: one.missing }]
      }),
    ),
    bareP99Ms: bareLateness(arrivals, bare.startMs),
    skipped: (await notMade(world.backend.database)) + missing,
    wrong: wrong.reduce((sum, { count }) => sum + count, 0),
    wrongMessages: wrong,
    cores: round2(cores),
    workerMb: memoryOf([worker.pid]),
  }
}

function bareLateness(arrivals: readonly Arrival[], startMs: number) {
  const late = arrivals
    .filter(([n]) => n >= BARE_FROM)
    .map(([n, atMs]) => atMs - startMs - ((n - BARE_FROM) * 1_000) / BARE_PER_SECOND)
    .sort((left, right) => left - right)
  return round2(late[Math.floor(late.length * 0.99)] ?? Number.NaN)
}

/**
 * The worker is killed while monitors are checked, and another one started at once: seconds from its start until each monitor that
 * answers has been checked again. Claims of the dead one are over when their leases are; what was missed is checked in its next slot.
 * Monitors that hang do not count: their next check follows their confirmation, not the restart.
 */
export async function measureRestart(world: CheckWorld, worker: Child, set: MonitorSet) {
  await world.arrivals()
  worker.process.kill('SIGKILL')
  const next = await world.startWorker()
  const readyAtMs = Date.now()
  await sleep((set.intervalSeconds + 8) * 1_000)
  const first = new Map<number, number>()
  for (const [n, atMs] of await world.arrivals()) if (n < set.count && atMs > readyAtMs && !first.has(n)) first.set(n, atMs)
  await holdAll(world)
  const lastMs = Math.max(...[...first].filter(([n]) => !hangs(n, set)).map(([, atMs]) => atMs))
  return { figures: { missing: set.count - first.size, seconds: round2((lastMs - readyAtMs) / 1_000) }, worker: next }
}
