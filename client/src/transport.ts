import { VedetteNetworkError } from './errors.ts'

/** One request as it goes out. */
export interface Ask {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}

/** One answer, read whole. */
export interface Answer {
  ask: Ask
  response: Response
  text: string
}

/** The part of `fetch` that is needed; the standard one fits. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** setTimeout counts in 31 bits, and fires at once above. */
const LONGEST_MS = 2 ** 31 - 1

/** Sends once. Throws VedetteNetworkError, or the reason of `signal`. */
export async function send(fetch: Fetch, ask: Ask, timeoutMs: number, signal: AbortSignal | undefined): Promise<Answer> {
  signal?.throwIfAborted()
  const ending = new AbortController()
  const end = () => ending.abort(signal?.reason)
  let timedOut = false
  const limit = () => {
    timedOut = true
    ending.abort()
  }
  const timer = timeoutMs > LONGEST_MS ? undefined : setTimeout(limit, timeoutMs)
  signal?.addEventListener('abort', end)
  try {
    const { url, ...init } = ask
    // The API never redirects, and a header with a key must not follow to another host.
    const response = await fetch(url, { ...init, signal: ending.signal, redirect: 'manual' })
    return { ask, response, text: await response.text() }
  } catch (error) {
    signal?.throwIfAborted()
    const why = timedOut ? `within ${timeoutMs} ms` : `(${reasonOf(error)})`
    throw new VedetteNetworkError(`No answer from ${ask.method} ${ask.url} ${why}`, timedOut, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

/** Node says "fetch failed" and puts what it is about into the cause; with several addresses tried, into a code. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message || String(error)
}
