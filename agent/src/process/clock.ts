/** Randomness for ids and jitter. */
export { randomUUID } from 'node:crypto'
export const random = (): number => Math.random()

/** The clocks and timers of the agent: a parameter, so that tests control the time. */
export interface Clock {
  /** The host's wall clock, ms since the epoch: for instants. It may jump. */
  now(): number
  /** Milliseconds that only grow: for intervals. Stops while the host is suspended. */
  monotonicMs(): number
  /** Calls `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // Not performance.now(), which loads all of perf_hooks.
  monotonicMs: () => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1e6
  },
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Lets pending callbacks run. */
export function yieldToEventLoop(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  setImmediate(resolve)
  return promise
}

/** Waits for `work`, at most `limitMs`: true if it settled in time. The work itself continues. */
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
