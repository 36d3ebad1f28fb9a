import type { Clock } from './clock.ts'

/** By then the start has finished and every kind of work was done once. */
const FIRST_MS = 60_000
/** A collection costs as much as fifty samples. */
const EVERY_MS = 60 * 60_000
/** Less is not worth a collection; the young generation alone changes by half of it. */
const GROWTH_BYTES = 2 * 1_048_576

/**
 * Returns a function to call after each push, when no sample is due soon: a collection takes 40 to 60 ms. It collects all garbage a
 * minute after the start, and then each hour when the heap has grown: V8 alone keeps some megabytes of garbage in a program that works
 * a millisecond per second. Does nothing without `--expose-gc`.
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
