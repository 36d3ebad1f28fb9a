import type { Clock } from '../../platform/clock.ts'
import { createHeap } from './heap.ts'

/** What is due within one slot is handed out together: a wake-up costs as much as a check. */
const SLOT_MS = 50
/** And so long before the first of them is due: whoever makes them waits for their instants, and we may be busy meanwhile. */
const LEAD_MS = 50

export interface Starter<T> {
  add(dueAtMs: number, item: T): void
  stop(): void
}

/** Hands out each item 50 to 100 ms before its instant; one timer for all of them. `now` is the clock of the instants. */
export function createStarter<T>(clock: Clock, now: () => number, start: (item: T) => void): Starter<T> {
  const heap = createHeap<T>()
  let wakesAtMs = Number.POSITIVE_INFINITY
  let sleeping = new AbortController()

  function arm(): void {
    const next = heap.nextMs()
    if (next === undefined) return
    const slot = (Math.floor(next / SLOT_MS) - LEAD_MS / SLOT_MS) * SLOT_MS
    if (slot >= wakesAtMs) return
    sleeping.abort()
    sleeping = new AbortController()
    wakesAtMs = slot
    const { signal } = sleeping
    void clock.sleep(Math.max(0, slot - now()), signal).then(() => (signal.aborted ? undefined : wake(slot)))
  }

  function wake(slot: number): void {
    wakesAtMs = Number.POSITIVE_INFINITY
    // A timer may be a fraction of a millisecond early, or late.
    const untilMs = Math.max(slot, now()) + LEAD_MS + SLOT_MS - 1
    for (let item = heap.popDue(untilMs); item !== undefined; item = heap.popDue(untilMs)) start(item)
    arm()
  }

  return {
    add: (dueAtMs, item) => {
      heap.push(dueAtMs, item)
      arm()
    },
    stop: () => {
      sleeping.abort()
      heap.clear()
    },
  }
}
