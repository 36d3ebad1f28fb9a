import { ApiError } from '../errors.ts'

/** Bounds how many pieces of one kind of work run at once for one key. */
export interface ConcurrencyBound {
  /** Runs the work. Throws rate_limited where as many run already for this key. */
  run<T>(key: string | number, work: () => Promise<T>): Promise<T>
}

const RETRY_AFTER_SECONDS = 2

/** `noun` is what is bounded, in the plural, and `per` what the key is: the message names both. Of this process. */
export function createConcurrencyBound(noun: string, per: string, max: number): ConcurrencyBound {
  const running = new Map<string | number, number>()
  const change = (key: string | number, by: number) => {
    const count = (running.get(key) ?? 0) + by
    if (count === 0) running.delete(key)
    else running.set(key, count)
  }
  return {
    run: async (key, work) => {
      if ((running.get(key) ?? 0) >= max) {
        const message = `At most ${max} of the ${noun} of one ${per} may run at once. Try again in ${RETRY_AFTER_SECONDS} s.`
        throw new ApiError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
      }
      change(key, 1)
      try {
        return await work()
      } finally {
        change(key, -1)
      }
    },
  }
}
