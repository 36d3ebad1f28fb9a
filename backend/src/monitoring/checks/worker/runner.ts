import type { CheckDefinition, CheckResult } from '@vedette/shared'
import PQueue from 'p-queue'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Control } from './control.ts'
import { concluded } from '../status/inverted.ts'
import { proberFault, asInconclusive, needsControl, skippedResult, inconclusiveResult } from '../status/inconclusive.ts'
import { createHostLimiter } from './host-limiter.ts'
import { createStarter } from './starter.ts'

/** A claimed check that runs at its due time. */
export interface PlannedCheck {
  /** Identifies the check; two with one key never run at once. */
  key: string
  fence: number
  dueAtMs: number
  /** A check that has not begun by then is skipped: the next one is due. */
  nextDueMs: number
  /** The claim expires then, and another worker may run the check. */
  leaseUntilMs: number
  /** Undefined when it cannot run; `fault` gives the reason. */
  definition: CheckDefinition | undefined
  fault?: string | undefined
}

/** Runs one check at an instant, ms since the epoch by this machine's clock. Never throws for a fault of the target. */
export interface Prober {
  check(definition: CheckDefinition, startAtMs: number): Promise<CheckResult>
}

/** Counts since the start. */
export interface RunnerStats {
  /** Handed to the prober, up to 100 ms before they are due. */
  started: number
  /** Recorded as inconclusive because they could not begin in time. */
  skipped: number
  /** Waited because `concurrency` checks were in flight. */
  queued: number
  inFlight: number
  concurrency: number
  /** Of the last checks: ms from the due time to the begin, in no order. */
  lateness: readonly number[]
}

export interface Runner<P extends PlannedCheck> {
  /** Plans checks. Returns those whose key is already planned or running, which are not added. */
  add(plans: readonly P[]): P[]
  /** Removes planned checks. A running check continues, but its result will be refused. */
  drop(keys: readonly string[]): void
  /** All checks of this runner: planned, waiting, running, or completed and not yet stored. */
  entries(): Iterable<RunnerEntry<P>>
  /** The result was stored, or never will be. */
  release(key: string, fence: number): void
  setConcurrency(checks: number): void
  /** Skips checks that waited past their next due time. */
  skipOverdue(): void
  stats(): RunnerStats
  /** Starts no further check. */
  close(): void
}

export type EntryState = 'planned' | 'waiting' | 'running' | 'completed' | 'removed'
export interface RunnerEntry<P> {
  check: P
  state: EntryState
}

/** Whether it was neither begun nor given up. */
export const isUnbegun = ({ state }: { state: EntryState }): boolean => state === 'planned' || state === 'waiting'

export interface RunnerDeps<P> {
  clock: Clock
  /** The clock of the due times. */
  now(): number
  log: Log
  prober: Prober
  control: Control
  /** Receives each result, and calls `release` once it is stored. */
  complete(check: P, result: CheckResult, endedAtMs: number): void
  hostLimit?: number
}

type ProbeDeps = Pick<RunnerDeps<PlannedCheck>, 'prober' | 'control' | 'log'>

const LATENESS_SAMPLES = 10_000
/** The minimum, however few monitors there are. */
const MIN_CONCURRENCY = 64

/**
 * Runs checks at their due times. A check whose target hangs occupies a slot for its whole timeout, so the concurrency follows
 * from the timeouts (Little's law), see `concurrencyLimit`.
 */
export function createRunner<P extends PlannedCheck>(deps: RunnerDeps<P>): Runner<P> {
  const { clock, now, complete } = deps
  const entries = new Map<string, RunnerEntry<P>>()
  const stats = { started: 0, skipped: 0, queued: 0 }
  const lateness: number[] = []
  const { queue, take } = createSlots(deps, () => (stats.queued += 1))
  const starter = createStarter<RunnerEntry<P>>(clock, now, begin)

  function begin(entry: RunnerEntry<P>): void {
    if (entry.state !== 'planned') return
    entry.state = 'waiting'
    take(hostOf(entry.check.definition?.url), () => run(entry))
  }

  async function run(entry: RunnerEntry<P>): Promise<void> {
    if (entry.state !== 'waiting') return
    const { check } = entry
    const startMs = Math.max(now(), check.dueAtMs)
    if (startMs > check.nextDueMs) return skip(entry)
    if (startMs > check.leaseUntilMs) return removeEntry(entry)
    entry.state = 'running'
    stats.started += 1
    const aheadMs = clock.now() - now()
    const result = await probe(deps, check, startMs + aheadMs)
    lateness[stats.started % LATENESS_SAMPLES] = Date.parse(result.checked_at) - aheadMs - check.dueAtMs
    void finish(entry, result, now())
  }

  /** Outside of the queue: control targets may take seconds, and slots are for checks. */
  async function finish(entry: RunnerEntry<P>, result: CheckResult, endedAtMs: number): Promise<void> {
    entry.state = 'completed'
    complete(entry.check, await evaluate(deps, entry.check, result), endedAtMs)
  }

  function skip(entry: RunnerEntry<P>): void {
    stats.skipped += 1
    entry.state = 'completed'
    complete(entry.check, skippedResult(new Date(clock.now()).toISOString()), now())
  }

  function removeEntry(entry: RunnerEntry<P>): void {
    entry.state = 'removed'
    if (entries.get(entry.check.key) === entry) entries.delete(entry.check.key)
  }

  return {
    // Sorted, because each check that is due before all others resets the timer.
    add: (plans) =>
      plans
        .toSorted((one, other) => one.dueAtMs - other.dueAtMs)
        .filter((check) => {
          if (entries.has(check.key)) return true
          const entry: RunnerEntry<P> = { check, state: 'planned' }
          entries.set(check.key, entry)
          starter.add(check.dueAtMs, entry)
          return false
        }),
    drop: (keys) => {
      for (const entry of keys.map((key) => entries.get(key))) if (entry && isUnbegun(entry)) removeEntry(entry)
    },
    entries: () => entries.values(),
    release: (key, fence) => {
      const entry = entries.get(key)
      if (entry?.check.fence === fence) removeEntry(entry)
    },
    setConcurrency: (checks) => void (queue.concurrency = checks),
    skipOverdue: () => {
      const nowMs = now()
      for (const entry of entries.values()) if (entry.state === 'waiting' && nowMs > entry.check.nextDueMs) skip(entry)
    },
    stats: () => ({ ...stats, inFlight: queue.pending, concurrency: queue.concurrency, lateness }),
    close: () => {
      starter.stop()
      queue.clear()
      for (const entry of entries.values()) if (isUnbegun(entry)) removeEntry(entry)
    },
  }
}

/** A check waits for its host first and then for a slot: waiting for a busy host takes no slot from others. */
function createSlots({ log, hostLimit }: Pick<RunnerDeps<PlannedCheck>, 'log' | 'hostLimit'>, queued: () => void) {
  const queue = new PQueue({ concurrency: MIN_CONCURRENCY })
  const gate = createHostLimiter(hostLimit)
  const take = (host: string, work: () => Promise<void>) =>
    gate.acquire(host, () => {
      if (queue.pending >= queue.concurrency) queued()
      queue
        .add(work)
        .catch((error: unknown) => log.error({ err: error }, 'a check could not be run'))
        .finally(() => gate.release(host))
    })
  return { queue, take }
}

async function probe(
  { prober, log }: ProbeDeps,
  { definition, fault = '' }: PlannedCheck,
  startAtMs: number,
): Promise<CheckResult> {
  const startedAt = new Date(startAtMs).toISOString()
  if (!definition) return inconclusiveResult(fault, startedAt)
  try {
    return await prober.check(definition, startAtMs)
  } catch (error) {
    log.error({ err: error }, 'the prober failed; the check is recorded as inconclusive')
    return inconclusiveResult('the prober failed', startedAt)
  }
}

/** The result, or why the failure is our own. */
async function evaluate({ control }: ProbeDeps, { definition }: PlannedCheck, result: CheckResult): Promise<CheckResult> {
  const isNetworkGone = needsControl(result) && !isOwnHost(definition?.url) && (await control.isNetworkDown())
  const why = proberFault(result, isNetworkGone)
  return concluded(definition, why === undefined ? result : asInconclusive(result, why))
}

/** A check of this machine needs no network. */
const isOwnHost = (url = ''): boolean => /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')

const hostOf = (url = ''): string => URL.parse(url)?.host ?? ''

/** Headroom for peaks and for quick checks. */
const HEADROOM = 1.2
/** File descriptors that the rest of the process needs. */
const OTHER_FILES = 256
/** One socket for the name server and one for the target. */
const FILES_PER_CHECK = 2

/** How many checks may run at once: as many as there are when every target hangs, limited by open files. */
export function concurrencyLimit(hangingLoad: number, openFiles: number): number {
  const wanted = Math.ceil(HEADROOM * hangingLoad)
  return Math.max(MIN_CONCURRENCY, Math.min(wanted, Math.floor((openFiles - OTHER_FILES) / FILES_PER_CHECK)))
}
