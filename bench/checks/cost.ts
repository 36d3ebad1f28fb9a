import { once } from 'node:events'
import type { PaceOrder, PaceResult } from './pacer.ts'
import {
  changeKind,
  type CheckWorld,
  holdAll,
  type KindSet,
  latenessOf,
  makeMonitors,
  type MonitorSet,
  releaseAll,
  storedChecks,
} from './world.ts'
import type { Child } from '../lib/child.ts'
import { type Peer, startPrometheus } from '../lib/peers.ts'
import { cpuOf, cpuOfTree, median, memoryOf, round } from '../lib/processes.ts'
import { sleep } from '../lib/sleep.ts'

export interface CostOptions {
  set: MonitorSet
  rounds: number
  seconds: number
  /** Where Prometheus keeps what it stores; without it there is no turn for it. */
  prometheusFolder?: string
}

interface OwnRound {
  workerUs: number
  postgresUs: number
}

/**
 * CPU of one check at a steady pace, storing included, in turns with the peers at the same targets and pace: medians over the rounds.
 */
export async function measureCost(
  world: CheckWorld,
  worker: Child,
  peers: { pacer: Child; exporter: Peer | undefined },
  options: CostOptions,
) {
  const { set, rounds } = options
  await makeMonitors(world, set, Date.now() + 3_600_000)
  await holdAll(world)
  // Until V8 has compiled what is hot.
  await ownRound(world, worker, options)
  const own: OwnRound[] = []
  const blackbox: number[] = []
  const prometheus: number[] = []
  for (let index = 0; index < rounds; index += 1) {
    own.push(await ownRound(world, worker, options))
    if (!peers.exporter) continue
    blackbox.push(await blackboxRound(world, peers.pacer, peers.exporter, options))
    if (options.prometheusFolder !== undefined)
      prometheus.push(await prometheusRound(world, peers.exporter, options.prometheusFolder, options))
  }
  const over = (pick: (one: OwnRound) => number) => round(median(own.map(pick)))
  const against = (theirs: number[]) => (theirs.length === 0 ? undefined : { us: round(median(theirs)) })
  return {
    checksPerSecond: Math.round(set.count / set.intervalSeconds),
    workerUs: over(({ workerUs }) => workerUs),
    postgresUs: over(({ postgresUs }) => postgresUs),
    blackbox: against(blackbox),
    prometheus: against(prometheus),
    workerMb: memoryOf([worker.pid]),
  }
}

async function ownRound(world: CheckWorld, worker: Child, { set, seconds }: CostOptions): Promise<OwnRound> {
  const firstDueMs = Date.now() + 2_000
  await releaseAll(world, firstDueMs)
  await sleep(firstDueMs - Date.now() + 3_000)
  await world.arrivals()
  const fromMs = Date.now()
  const before = { worker: cpuOf(worker.pid), postgres: cpuOfTree(world.backend.postgresPid) }
  await sleep(seconds * 1_000)
  const after = { worker: cpuOf(worker.pid), postgres: cpuOfTree(world.backend.postgresPid) }
  const toMs = Date.now()
  await sleep(300)
  const { checks } = latenessOf(await world.arrivals(), set, firstDueMs, fromMs, toMs)
  await holdAll(world)
  await sleep(1_000)
  const perCheck = (cpuSeconds: number) => (cpuSeconds / checks) * 1e6
  return {
    workerUs: perCheck(after.worker - before.worker),
    postgresUs: perCheck(after.postgres - before.postgres),
  }
}

/**
 * The same for monitors of another kind. Their checks are counted where they are stored, because not each of them has a target of ours
 * that sees it.
 */
export async function measureKindCost(
  world: CheckWorld,
  worker: Child,
  peers: { pacer: Child; exporter: Peer | undefined },
  options: CostOptions,
  kind: KindSet,
) {
  const { set, rounds, seconds } = options
  await makeMonitors(world, set, Date.now() + 3_600_000)
  await changeKind(world, kind)
  await holdAll(world)
  const measure = async () => {
    const firstDueMs = Date.now() + 2_000
    await releaseAll(world, firstDueMs)
    await sleep(firstDueMs - Date.now() + 3_000)
    const cpu = () => cpuOf(worker.pid) + cpuOfTree(world.backend.postgresPid)
    const [fromMs, before] = [Date.now(), cpu()]
    await sleep(seconds * 1_000)
    const [toMs, after] = [Date.now(), cpu()]
    await sleep(1_000)
    await holdAll(world)
    const { all, failed } = await storedChecks(world, fromMs, toMs)
    if (all === 0 || failed > 0) throw new Error(`${kind.type}: ${failed} of ${all} checks failed`)
    return ((after - before) / all) * 1e6
  }
  // Until V8 has compiled what is hot.
  await measure()
  const own: number[] = []
  const blackbox: number[] = []
  const target = { tcp: `127.1.0.1:${world.ports.http}`, icmp: '127.1.0.1', dns: `127.0.0.1:${world.ports.dns}` }[kind.type]
  for (let index = 0; index < rounds; index += 1) {
    own.push(await measure())
    if (peers.exporter)
      blackbox.push(await blackboxRound(world, peers.pacer, peers.exporter, options, { module: kind.type, target }))
  }
  return { us: round(median(own)), blackbox: blackbox.length === 0 ? undefined : { us: round(median(blackbox)) } }
}

const targetsOf = (world: CheckWorld, { count, scheme = 'http' }: MonitorSet): string[] =>
  Array.from({ length: count }, (_, n) => `${scheme}://127.1.0.${Math.floor(n / 100) + 1}:${world.ports[scheme]}/m/${n}`)

async function blackboxRound(
  world: CheckWorld,
  pacer: Child,
  exporter: Peer,
  { set, seconds }: CostOptions,
  kind?: { module: string; target: string },
): Promise<number> {
  const what = kind ? { module: kind.module, targets: [kind.target] } : { targets: targetsOf(world, set) }
  const plan = { exporterPort: exporter.port, ...what, perSecond: set.count / set.intervalSeconds }
  const order = async (orderSeconds: number) => {
    pacer.process.send({ ...plan, seconds: orderSeconds } satisfies PaceOrder)
    const [{ requests, failures }] = (await once(pacer.process, 'message')) as [PaceResult]
    if (failures > 0) throw new Error(`blackbox: ${failures} of ${requests} failed`)
    return requests
  }
  await order(2)
  const before = cpuOf(exporter.pid)
  const requests = await order(seconds)
  return ((cpuOf(exporter.pid) - before) / requests) * 1e6
}

/** It spreads its targets over the interval by itself; its start and its end are not counted. */
async function prometheusRound(
  world: CheckWorld,
  exporter: Peer,
  folder: string,
  { set, seconds }: CostOptions,
): Promise<number> {
  const { intervalSeconds } = set
  const prometheus = await startPrometheus(folder, { exporter, targets: targetsOf(world, set), intervalSeconds })
  if (!prometheus) return Number.NaN
  try {
    await sleep((intervalSeconds + 2) * 1_000)
    await world.arrivals()
    const cpu = () => cpuOf(prometheus.pid) + cpuOf(exporter.pid)
    const before = cpu()
    await sleep(seconds * 1_000)
    const spent = cpu() - before
    return (spent / (await world.arrivals()).length) * 1e6
  } finally {
    await prometheus.stop()
  }
}
