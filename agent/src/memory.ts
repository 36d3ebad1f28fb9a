import type { Clock } from './clock.ts'

/** By then all that happens at a start has happened, and each kind of work been done. */
const FIRST_MS = 60_000
const EVERY_MS = 10 * 60_000

/**
 * Gives back memory now and then: to be called when there is time. Left to itself V8 lets some megabytes of garbage and of
 * compiled code grow old in a program that works a millisecond a second. A collection takes 25 to 35 ms, so it must not
 * come before a sample that is due; without `--expose-gc` there is none.
 */
export function createMemoryKeeper(clock: Clock, collect = globalThis.gc): () => void {
  let dueMs = clock.monotonicMs() + FIRST_MS
  return () => {
    const nowMs = clock.monotonicMs()
    if (nowMs < dueMs) return
    dueMs = nowMs + EVERY_MS
    // Of the two flavors that were tried, the one that gives pages back.
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
}
