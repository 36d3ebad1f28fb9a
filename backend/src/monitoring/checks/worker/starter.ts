import type { Clock } from '../../../platform/time/clock.ts'
import { createHeap } from './heap.ts'

/** Items that are due in one slot are started together: a wake-up costs as much as a check. */
const SLOT_MS = 50
/** Lead time before the due time, which covers delays of this process; the prober waits for the exact instant. */
const LEAD_MS = 50

export interface Starter<T> {
  add(dueAtMs: number, item: T): void
  stop(): void
}

/** Starts each item 50 to 100 ms before it is due, with one timer for all. `now` is the clock of the due times. */
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
    // A timer may fire a fraction of a millisecond early.
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
