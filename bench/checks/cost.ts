import { once } from 'node:events'
import { type KindName, kindOf } from './kinds.ts'
import type { PaceOrder, PaceResult } from './pacer.ts'
import { type CheckWorld, holdAll, makeMonitors, type MonitorSet, releaseAll, storedChecks, targetOf } from './world.ts'
import type { Child } from '../lib/child.ts'
import { type Peer, startPrometheus } from '../lib/peers.ts'
import { cpuOf, cpuOfTree, median, memoryOf, round } from '../lib/processes.ts'
import { sleep } from '../lib/sleep.ts'

/** Monitors of one kind. */
export type CostSet = Omit<MonitorSet, 'kinds' | 'hangingPercent'> & { kind: KindName }

export interface CostOptions {
  set: CostSet
  rounds: number
  seconds: number
  /** Where Prometheus keeps what it stores; without it there is no turn for it. */
  prometheusFolder?: string
}

interface OwnRound {
  workerUs: number
  postgresUs: number
  /** Of `vedette serve`, which makes no checks. */
  serveUs: number
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
  await makeMonitors(world, { ...set, kinds: [set.kind] }, Date.now() + 3_600_000)
  await holdAll(world)
  // Until V8 has compiled what is hot.
  await ownRound(world, worker, options)
  const own: OwnRound[] = []
  const blackbox: number[] = []
  const prometheus: number[] = []
  for (let index = 0; index < rounds; index += 1) {
    own.push(await ownRound(world, worker, options))
    if (!peers.exporter || !kindOf(set.kind).peerTarget) continue
    blackbox.push(await blackboxRound(world, peers.pacer, peers.exporter, options))
    if (options.prometheusFolder === undefined) continue
    const perCheck = await prometheusRound(world, peers.exporter, options.prometheusFolder, options)
    if (perCheck !== undefined) prometheus.push(perCheck)
  }
  const over = (pick: (one: OwnRound) => number) => round(median(own.map(pick)))
  const against = (theirs: number[]) => (theirs.length === 0 ? undefined : { us: round(median(theirs)) })
  return {
    kind: set.kind,
    checksPerSecond: Math.round(set.count / set.intervalSeconds),
    us: over(({ workerUs, postgresUs }) => workerUs + postgresUs),
    workerUs: over(({ workerUs }) => workerUs),
    postgresUs: over(({ postgresUs }) => postgresUs),
    serveUs: over(({ serveUs }) => serveUs),
    blackbox: against(blackbox),
    prometheus: against(prometheus),
    workerMb: memoryOf([worker.pid]),
  }
}

/** Checks are counted where they are stored: not each of them has a target of ours that sees it. */
async function ownRound(world: CheckWorld, worker: Child, { set, seconds }: CostOptions): Promise<OwnRound> {
  const { backend } = world
  const cpu = () => ({ worker: cpuOf(worker.pid), postgres: cpuOfTree(backend.postgresPid), serve: cpuOf(backend.backendPid) })
  const firstDueMs = Date.now() + 2_000
  await releaseAll(world, firstDueMs)
  await sleep(firstDueMs - Date.now() + 3_000)
  const [fromMs, before] = [Date.now(), cpu()]
  await sleep(seconds * 1_000)
  const [toMs, after] = [Date.now(), cpu()]
  await sleep(1_000)
  await holdAll(world)
  const { all, failed } = await storedChecks(world, fromMs, toMs)
  if (all === 0 || failed > 0) throw new Error(`${set.kind}: ${failed} of ${all} checks failed`)
  const perCheck = (cpuSeconds: number) => (cpuSeconds / all) * 1e6
  return {
    workerUs: perCheck(after.worker - before.worker),
    postgresUs: perCheck(after.postgres - before.postgres),
    serveUs: perCheck(after.serve - before.serve),
  }
}

const peerTargetsOf = ({ ports }: CheckWorld, set: CostSet): string[] =>
  Array.from({ length: set.count }, (_, n) => kindOf(set.kind).peerTarget?.(targetOf(n, set), ports) ?? '')

async function blackboxRound(world: CheckWorld, pacer: Child, exporter: Peer, { set, seconds }: CostOptions): Promise<number> {
  const perSecond = set.count / set.intervalSeconds
  const plan = { exporter: { port: exporter.port, module: set.kind }, targets: peerTargetsOf(world, set), perSecond }
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
): Promise<number | undefined> {
  const { intervalSeconds } = set
  const prometheus = await startPrometheus(folder, { exporter, targets: peerTargetsOf(world, set), intervalSeconds })
  if (!prometheus) return undefined
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
