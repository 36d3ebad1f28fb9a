import { type PerformanceNodeTiming, performance } from 'node:perf_hooks'
import { monotonicUs } from './monotonic.ts'

/** When an event happened, as far as this thread can tell. */
export interface EventTime {
  /** The best estimate, µs of the monotonic clock. */
  atUs: number
  /** It happened within so many µs before or after: half as much on each side. What is longer than a few µs is our own doing. */
  doubtUs: number
}

export interface LoopWatch {
  nowUs(): number
  /**
   * For the I/O callback that runs now: when its event reached the kernel. It cannot be earlier than `sinceUs`, when what it
   * answers was done. Never to be called from timers.
   */
  eventSince(sinceUs: number): EventTime
}

/**
 * Tells when events happened, although a callback only knows when it runs.
 *
 * A turn of the loop asks the kernel for events, sleeping when there are none, and then runs their callbacks one by one. So:
 * - an event happened before its turn began, however many callbacks ran before its own: that wait is known and left out;
 * - if the loop slept before the turn, the event woke it, or came while the timers before the sleep ran: the active time since
 *   the last turn ended is all the doubt there is;
 * - if it did not sleep, the event was there already, and came at any time since the turn before began.
 * Sleep is what libuv counts as idle. One `setImmediate` a turn marks its end.
 */
export function createLoopWatch(nowUs: () => number = monotonicUs, idleUs: () => number = loopIdleUs): LoopWatch {
  let isOpen = false
  /** The kernel was asked just before this. */
  let turnUs = nowUs()
  /** No event of this turn happened earlier. */
  let floorUs = turnUs
  let endedUs = turnUs
  let idleAtEndUs = idleUs()

  function close(): void {
    isOpen = false
    endedUs = nowUs()
    idleAtEndUs = idleUs()
  }

  function open(atUs: number): void {
    const sleptUs = idleUs() - idleAtEndUs
    const activeUs = Math.max(0, atUs - endedUs - sleptUs)
    floorUs = sleptUs > 0 ? atUs - activeUs : turnUs
    turnUs = atUs
    isOpen = true
    setImmediate(close)
  }

  return {
    nowUs,
    eventSince(sinceUs) {
      const atUs = nowUs()
      if (!isOpen) open(atUs)
      const latestUs = Math.max(turnUs, sinceUs)
      const earliestUs = Math.max(floorUs, sinceUs)
      const doubtUs = latestUs - earliestUs
      return { atUs: Math.round(latestUs - doubtUs / 2), doubtUs }
    },
  }
}

const timing: PerformanceNodeTiming = performance.nodeTiming
const loopIdleUs = (): number => timing.idleTime * 1_000
