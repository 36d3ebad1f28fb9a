import { VedetteAnswerError, VedetteError, VedetteNetworkError } from './errors.ts'

/** Too many requests, and what a backend or a proxy says while something behind it is away. */
const PASSING = new Set([429, 502, 503, 504])
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000

/** Does `work` again, up to `retries` times, while it fails in passing. */
export async function withRetries<T>(retries: number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await work()
    } catch (error) {
      if (tried >= retries || !isPassing(error)) throw error
      await pause(waitMs(error, tried), signal)
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof VedetteNetworkError) return true
  if (!(error instanceof VedetteError || error instanceof VedetteAnswerError)) return false
  return error.retryAfterSeconds !== undefined || PASSING.has(error.status)
}

/** What the answer says; else longer each time, and any part of it, so that many clients do not come back at once. */
function waitMs(error: unknown, tried: number): number {
  const { retryAfterSeconds } = error as { retryAfterSeconds?: number }
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000
  return Math.random() * Math.min(FIRST_WAIT_MS * 2 ** tried, LONGEST_WAIT_MS)
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
