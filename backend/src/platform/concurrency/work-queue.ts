import { ApiError } from '../errors.ts'

/** Runs expensive work, a few pieces at a time. */
export interface WorkQueue {
  /**
   * Runs the work when it is its turn. What is preferred comes before all other and has places of its own. Throws unavailable when
   * its places are taken; request_timeout when the signal aborts before the work begins.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal, isPreferred?: boolean): Promise<T>
}

/** Work runs in the order in which it came: `atOnce` pieces at a time while at most `maxWaiting` wait, and as many that are preferred. */
export function createWorkQueue(atOnce: number, maxWaiting: number): WorkQueue {
  const [preferred, others] = [new Set<() => void>(), new Set<() => void>()]
  let running = 0

  function enter(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (signal?.aborted) throw hungUp()
    if (running < atOnce) {
      running += 1
      return undefined
    }
    if (waiting.size >= maxWaiting) throw overloaded()
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.delete(start)
        reject(hungUp())
      }
      waiting.add(start)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  return {
    run: async (work, signal, isPreferred = false) => {
      await enter(isPreferred ? preferred : others, signal)
      try {
        return await work()
      } finally {
        const waiting = preferred.size > 0 ? preferred : others
        const [next] = waiting
        // The place passes on: `running` stays as it is.
        if (next) {
          waiting.delete(next)
          next()
        } else running -= 1
      }
    },
  }
}

const RETRY_AFTER_SECONDS = 2
const overloaded = (): ApiError =>
  new ApiError('unavailable', 'Too many requests need this work right now. Please try again.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
const hungUp = (): ApiError => new ApiError('request_timeout', 'The client closed the connection before the work began.')
