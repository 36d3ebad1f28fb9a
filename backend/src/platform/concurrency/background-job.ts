import type { Clock } from '../time/clock.ts'
import type { Log } from '../logging/log.ts'

/** A job that repeats until it is stopped. */
export interface BackgroundJob {
  /** Stops the repetition and waits for a run that is under way. */
  stop(): Promise<void>
}

export interface WakingJob extends BackgroundJob {
  /** Runs the task now, or once more after the run that is under way. */
  wake(): void
}

/** After a run that failed. */
const RETRY_MS = 1_000

/**
 * Runs `task` at once, when it is woken, and the latest after the ms that its last run resolved with; never twice at once, and
 * `leastMs` after its last run at the earliest.
 */
export function repeatWhenDue(name: string, clock: Clock, log: Log, task: () => Promise<number>, leastMs = 0): WakingJob {
  const stopping = new AbortController()
  let waking = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      waking = new AbortController()
      const pauseMs = await task().catch((error: unknown) => {
        log.error({ err: error, job: name }, 'a background job failed; it will be tried again')
        return RETRY_MS
      })
      if (leastMs > 0) await clock.sleep(leastMs, stopping.signal)
      await clock.sleep(Math.max(0, pauseMs - leastMs), AbortSignal.any([waking.signal, stopping.signal]))
    }
  })()
  return {
    wake: () => waking.abort(),
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

/** Runs `task` at once and every so many ms while `isOn`. Else it rests for `restMs`, or until it is woken. */
export function repeatWhile(
  name: string,
  clock: Clock,
  log: Log,
  task: () => Promise<unknown>,
  { everyMs, isOn, restMs }: { everyMs: number; isOn(): Promise<boolean>; restMs(): number },
): WakingJob {
  let isResting = false
  const { wake, stop } = repeatWhenDue(name, clock, log, async () => {
    // What wakes it while it looks may have come too late for the answer.
    isResting = true
    isResting = !(await isOn())
    if (isResting) return restMs()
    await task()
    return everyMs
  })
  return {
    wake: () => {
      if (isResting) wake()
    },
    stop,
  }
}

/**
 * Runs `task` every so many milliseconds, never twice at once, until it answers `done`. A run that fails is logged, and the next
 * one comes as usual. The first comes after `firstMs`.
 */
export function repeat(
  name: string,
  everyMs: number,
  clock: Clock,
  log: Log,
  task: () => Promise<unknown>,
  firstMs = everyMs,
): BackgroundJob {
  const stopping = new AbortController()
  const running = (async () => {
    for (let pauseMs = firstMs; !stopping.signal.aborted; pauseMs = everyMs) {
      await clock.sleep(pauseMs, stopping.signal)
      if (stopping.signal.aborted) return
      try {
        if ((await task()) === 'done') return
      } catch (error) {
        log.error({ err: error, job: name }, 'a background job failed; it will be tried again')
      }
    }
  })()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }
}
