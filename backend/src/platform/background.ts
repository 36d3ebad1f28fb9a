import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** A job that repeats until it is stopped. */
export interface BackgroundJob {
  /** Stops the repetition and waits for a run that is under way. */
  stop(): Promise<void>
}

/**
 * Runs `task` every so many milliseconds, never twice at once, until it answers `done`. A run that fails is logged, and the next
 * one comes as usual.
 */
export function repeat(name: string, everyMs: number, clock: Clock, log: Log, task: () => Promise<unknown>): BackgroundJob {
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await clock.sleep(everyMs, stopping.signal)
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
