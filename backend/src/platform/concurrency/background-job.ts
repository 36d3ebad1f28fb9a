import type { Clock } from '../time/clock.ts'
import type { Log } from '../logging/log.ts'

/** A job that repeats until it is stopped. */
export interface BackgroundJob {
  /** Stops the repetition and waits for a run that is under way. */
  stop(): Promise<void>
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
