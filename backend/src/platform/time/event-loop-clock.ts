import { type PerformanceNodeTiming, performance } from 'node:perf_hooks'
import { monotonicUs } from './monotonic.ts'
import { openRunDelay } from './run-delay.ts'

/** When an event happened, as far as this thread can determine. */
export interface EventTime {
  /** The best estimate, µs of the monotonic clock. */
  atUs: number
  /** It happened within a span of so many µs around that. What is longer than a few µs is our own doing. */
  uncertaintyUs: number
}

export interface EventLoopClock {
  nowUs(): number
  /**
   * For the I/O callback that runs now: when its event reached the kernel. It cannot be earlier than `sinceUs`, when what it
   * answers was done. Never to be called from timers.
   */
  eventSince(sinceUs: number): EventTime
}

/** Where a watch reads the time; each counts µs, and only differences mean something. */
export interface ClockSources {
  nowUs(): number
  /** Slept in the kernel, waiting for events. */
  idleUs(): number
  /** Waited for a processor. */
  waitedUs(): number
}

/**
 * Estimates when events happened, although a callback only knows when it runs.
 *
 * A turn of the loop polls the kernel for events, sleeping when there are none, and then runs their callbacks one by one. So:
 * - an event happened before its turn began, however many callbacks ran before its own: that wait is known and left out;
 * - if the loop slept before the turn, the event woke it, and the thread may then have waited for a processor; or it came while
 *   the timers before the sleep ran. All time since the last turn ended that was not sleep is doubt, and the wait is left out;
 * - if it did not sleep, the event was there already, and came at any time since the turn before began: the middle is as wrong as
 *   any of them by half at most.
 * Sleep is what libuv counts as idle (which includes the wait behind it). One `setImmediate` a turn marks its end.
 */
export function createEventLoopClock(clocks: ClockSources = openClocks()): EventLoopClock {
  const { nowUs, idleUs, waitedUs } = clocks
  let isOpen = false
  /** The kernel was asked just before this. */
  let turnUs = nowUs()
  /** No event of this turn happened earlier. */
  let floorUs = turnUs
  /** When the events of this turn most likely happened; undefined: nobody knows. */
  let wokeUs: number | undefined
  let endedUs = turnUs
  let idleAtEndUs = idleUs()
  let waitedAtEndUs = waitedUs()

  function close(): void {
    isOpen = false
    endedUs = nowUs()
    idleAtEndUs = idleUs()
    waitedAtEndUs = waitedUs()
  }

  function open(atUs: number): void {
    const sleptUs = idleUs() - idleAtEndUs
    if (sleptUs > 0) {
      const waited = waitedUs() - waitedAtEndUs
      const activeUs = Math.max(0, atUs - endedUs - sleptUs)
      floorUs = Math.max(endedUs, atUs - activeUs - waited)
      wokeUs = Math.max(floorUs, atUs - waited - activeUs / 2)
    } else {
      floorUs = turnUs
      wokeUs = undefined
    }
    turnUs = atUs
    isOpen = true
    setImmediate(close)
  }

  return {
    nowUs,
    eventSince(sinceUs) {
      if (!isOpen) open(nowUs())
      const latestUs = Math.max(turnUs, sinceUs)
      const earliestUs = Math.max(floorUs, sinceUs)
      const atUs = Math.max(earliestUs, wokeUs ?? (earliestUs + latestUs) / 2)
      return { atUs: Math.round(atUs), uncertaintyUs: Math.round(latestUs - earliestUs) }
    },
  }
}

const timing: PerformanceNodeTiming = performance.nodeTiming

const openClocks = (): ClockSources => ({
  nowUs: monotonicUs,
  idleUs: () => timing.idleTime * 1_000,
  waitedUs: openRunDelay(),
})
