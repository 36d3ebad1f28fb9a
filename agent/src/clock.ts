import { performance } from 'node:perf_hooks'

export { setImmediate as nextTurn } from 'node:timers/promises'

/** Chance: ids and jitter. */
export { randomUUID } from 'node:crypto'
export const random = (): number => Math.random()

/** Time as the agent knows it: handed in, so that tests advance it by hand. */
export interface Clock {
  /** The host's wall clock, ms since the epoch: for instants. It may jump. */
  now(): number
  /** Milliseconds that only grow: for intervals. It stands still while the host is suspended. */
  monotonicMs(): number
  /** Calls `run` once after `delayMs`; the answer cancels it. */
  after(delayMs: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Waits for `work`, at most `limitMs`: true if it settled in time. The work itself goes on. */
export function settlesWithin(clock: Clock, work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const cancel = clock.after(limitMs, () => resolve(false))
  const settled = () => {
    cancel()
    resolve(true)
  }
  work.then(settled, settled)
  return promise
}

export function pause(clock: Clock, delayMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  clock.after(delayMs, resolve)
  return promise
}
