import type { CheckDefinition, CheckResult } from '@vedette/shared'
import PQueue from 'p-queue'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Control } from '../control.ts'
import { faultOfOurs, madeInconclusive, needsControl, notMade, unmade } from '../status/truth.ts'
import { createHostGate } from './host-gate.ts'
import { createStarter } from './starter.ts'

/** A check that is ours to make at its instant. */
export interface Plan {
  /** Names the check; nobody makes two of one name at once. */
  key: string
  fence: number
  dueAtMs: number
  /** One that has not begun by then is not made: the next one is due. */
  nextDueMs: number
  /** From then on it may be somebody else's, and is not begun. */
  leaseUntilMs: number
  /** Undefined: it cannot be made, and `fault` says why. */
  definition: CheckDefinition | undefined
  fault?: string | undefined
}

/** Makes one check at an instant, ms since the epoch by this machine's clock. Never throws for what the target does. */
export interface Prober {
  check(definition: CheckDefinition, startAtMs: number): Promise<CheckResult>
}

/** What became of the checks since the start. */
export interface RunnerStats {
  /** Handed to the prober, up to 100 ms before their instants. */
  started: number
  /** Recorded as inconclusive, because they could not begin in time. */
  notMade: number
  /** Had to wait because `bound` checks were under way. */
  held: number
  inFlight: number
  bound: number
  /** Of the last ones that were made: how much after its instant each began, ms, in no order. */
  lateness: readonly number[]
}

export interface Runner<P extends Plan> {
  /** Plans checks. One whose name is planned or under way already is not taken; gives those. */
  add(plans: readonly P[]): P[]
  /** Forgets planned checks of these names; one that is under way goes on, and is of no use to anybody. */
  drop(keys: readonly string[]): void
  /** Whoever is held: planned, waiting, under way, or made and not settled yet. */
  held(): Iterable<Held<P>>
  /** The result of this one is kept, by whoever was given it. */
  settled(key: string, fence: number): void
  setBound(checks: number): void
  /** Records those that wait past their time. */
  sweep(): void
  stats(): RunnerStats
  /** Begins nothing any more. */
  close(): void
}

export type HeldState = 'planned' | 'waiting' | 'running' | 'made' | 'over'
export interface Held<P> {
  plan: P
  state: HeldState
}

export interface RunnerDeps<P> {
  clock: Clock
  /** The clock of the plans' instants. */
  now(): number
  log: Log
  prober: Prober
  control: Control
  /** Takes each result; says `settled` once it is kept. */
  take(plan: P, result: CheckResult, endedAtMs: number): void
  hostLimit?: number
}

const LATENESS_KEPT = 10_000
/** No fewer at once, however few monitors there are. */
const LEAST_BOUND = 64

/**
 * Makes checks at their instants. A check whose target hangs holds a place for its whole time limit, so the bound in flight has to
 * follow from the time limits (Little's law): see `boundOf`. A check waits for its host first and for a place then, so that one
 * that waits for its host takes no place from others.
 */
export function createRunner<P extends Plan>(deps: RunnerDeps<P>): Runner<P> {
  const { clock, now, log, prober, control, take, hostLimit } = deps
  const all = new Map<string, Held<P>>()
  const queue = new PQueue({ concurrency: LEAST_BOUND })
  const gate = createHostGate(hostLimit)
  const stats = { started: 0, notMade: 0, held: 0 }
  const lateness: number[] = []
  const starter = createStarter<Held<P>>(clock, now, begin)

  function begin(held: Held<P>): void {
    if (held.state !== 'planned') return
    held.state = 'waiting'
    const { definition } = held.plan
    const host = definition === undefined ? '' : hostOf(definition.url)
    gate.enter(host, () => {
      if (queue.pending >= queue.concurrency) stats.held += 1
      queue
        .add(() => make(held))
        .catch((error: unknown) => log.error({ err: error }, 'a check could not be made'))
        .finally(() => gate.leave(host))
    })
  }

  async function make(held: Held<P>): Promise<void> {
    if (held.state !== 'waiting') return
    const { plan } = held
    const startMs = Math.max(now(), plan.dueAtMs)
    if (startMs > plan.nextDueMs) return giveUp(held)
    if (startMs > plan.leaseUntilMs) return forget(held)
    held.state = 'running'
    stats.started += 1
    const aheadMs = clock.now() - now()
    const result = await probe(plan, startMs + aheadMs)
    note(Date.parse(result.checked_at) - aheadMs - plan.dueAtMs)
    void finish(held, result, now())
  }

  function note(lateMs: number): void {
    lateness[stats.started % LATENESS_KEPT] = lateMs
  }

  async function probe({ definition, fault = '' }: P, startAtMs: number): Promise<CheckResult> {
    const startedAt = new Date(startAtMs).toISOString()
    if (!definition) return unmade(fault, startedAt)
    try {
      return await prober.check(definition, startAtMs)
    } catch (error) {
      log.error({ err: error }, 'the prober failed; the check says nothing of its target')
      return unmade('the prober failed', startedAt)
    }
  }

  /** Judges whose fault a failure is, outside of the queue: the control targets may take seconds, and a place is for checks. */
  async function finish(held: Held<P>, result: CheckResult, endedAtMs: number): Promise<void> {
    held.state = 'made'
    const isNetworkGone = control.hasTargets && needsControl(result) && (await control.isNetworkGone())
    const why = faultOfOurs(result, isNetworkGone)
    take(held.plan, why === undefined ? result : madeInconclusive(result, why), endedAtMs)
  }

  function giveUp(held: Held<P>): void {
    stats.notMade += 1
    held.state = 'made'
    take(held.plan, notMade(new Date(clock.now()).toISOString()), now())
  }

  function forget(held: Held<P>): void {
    held.state = 'over'
    if (all.get(held.plan.key) === held) all.delete(held.plan.key)
  }

  return {
    // In their order: each that is due before all others would set the timer anew.
    add: (plans) =>
      plans
        .toSorted((one, other) => one.dueAtMs - other.dueAtMs)
        .filter((plan) => {
          if (all.has(plan.key)) return true
          const held: Held<P> = { plan, state: 'planned' }
          all.set(plan.key, held)
          starter.add(plan.dueAtMs, held)
          return false
        }),
    drop: (keys) => {
      for (const key of keys) {
        const held = all.get(key)
        if (held && (held.state === 'planned' || held.state === 'waiting')) forget(held)
      }
    },
    held: () => all.values(),
    settled: (key, fence) => {
      const held = all.get(key)
      if (held?.plan.fence === fence) forget(held)
    },
    setBound: (checks) => void (queue.concurrency = checks),
    sweep: () => {
      const nowMs = now()
      for (const held of all.values()) if (held.state === 'waiting' && nowMs > held.plan.nextDueMs) giveUp(held)
    },
    stats: () => ({ ...stats, inFlight: queue.pending, bound: queue.concurrency, lateness }),
    close: () => {
      starter.stop()
      queue.clear()
      for (const held of all.values()) if (held.state === 'planned' || held.state === 'waiting') forget(held)
    },
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

/** Room for the unlucky moment, and for checks that are quick. */
const ROOM = 1.2
/** Files that the rest of the process needs. */
const OTHER_FILES = 256
/** A socket to ask for the name, and one to the target. */
const FILES_PER_CHECK = 2

/** How many checks may be under way: as many as there are when every target hangs, as far as the open files reach. */
export function boundOf(hangingLoad: number, openFiles: number): number {
  const wanted = Math.ceil(ROOM * hangingLoad)
  return Math.max(LEAST_BOUND, Math.min(wanted, Math.floor((openFiles - OTHER_FILES) / FILES_PER_CHECK)))
}
