import { VedetteNetworkError } from './errors.ts'

/** One request as it is sent. */
export interface OutgoingRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}

/** One response, fully read. */
export interface Answer {
  request: OutgoingRequest
  response: Response
  text: string
}

/** The required subset of `fetch`; the standard one is compatible. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** setTimeout takes 31 bits and fires immediately above that. */
const LONGEST_MS = 2 ** 31 - 1

/** Sends once. Throws VedetteNetworkError, or the reason of `signal`. */
export async function send(
  fetch: Fetch,
  request: OutgoingRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
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
    const { url, ...init } = request
    // The API never redirects, and an API key must not be sent to another host.
    const response = await fetch(url, { ...init, signal: ending.signal, redirect: 'manual' })
    return { request, response, text: await response.text() }
  } catch (error) {
    signal?.throwIfAborted()
    const why = timedOut ? `within ${timeoutMs} ms` : `(${reasonOf(error)})`
    throw new VedetteNetworkError(`No answer from ${request.method} ${request.url} ${why}`, timedOut, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

/** Node's message is only "fetch failed"; the cause has the details, or a code if several addresses failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message || String(error)
}
