import type { Clock } from './clock.ts'

/** By then the start has finished and every kind of work was done once. */
const FIRST_MS = 60_000
const EVERY_MS = 10 * 60_000

/**
 * Returns a function that collects garbage every ten minutes; call it when no sample is due soon, because a collection takes 25 to
 * 35 ms. V8 alone keeps some megabytes of garbage and compiled code in a program that works a millisecond per second. Does nothing
 * without `--expose-gc`.
 */
export function createMemoryTrimmer(clock: Clock, collect = globalThis.gc): () => void {
  let dueMs = clock.monotonicMs() + FIRST_MS
  return () => {
    const nowMs = clock.monotonicMs()
    if (nowMs < dueMs) return
    dueMs = nowMs + EVERY_MS
    // The flavor that returns pages to the system.
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
}
