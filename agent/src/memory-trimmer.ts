import type { Clock } from './clock.ts'

/** By then the start has finished and every kind of work was done once. */
const FIRST_MS = 60_000
const EVERY_MS = 10 * 60_000
/** Less is not worth a collection. */
const GROWTH_BYTES = 1_048_576

/**
 * Returns a function that collects garbage a minute after the start, and then whenever the heap has grown; call it when no sample is
 * due soon, because a collection takes 25 to 35 ms. It also drops compiled code, so that the next push costs twice as much. V8 alone
 * keeps some megabytes of garbage in a program that works a millisecond per second. Does nothing without `--expose-gc`.
 */
export function createMemoryTrimmer(
  clock: Clock,
  collect = globalThis.gc,
  heapBytes = () => process.memoryUsage().heapTotal,
): () => void {
  let dueMs = clock.monotonicMs() + FIRST_MS
  let leastBytes = 0
  return () => {
    const nowMs = clock.monotonicMs()
    if (nowMs < dueMs) return
    dueMs = nowMs + EVERY_MS
    if (!collect || heapBytes() < leastBytes + GROWTH_BYTES) return
    // The flavor that returns pages to the system.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    leastBytes = heapBytes()
  }
}
