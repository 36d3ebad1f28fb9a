import { SourceFault } from '../files.ts'
import type { ApiOf, FetchCounts, FetchPlatform } from '../api.ts'
import { type FetchLimits, waitOf } from './limits.ts'

export interface Received {
  status: number
  text: string
}

const AWAY_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504])

/**
 * Sends GET alone, within the limits, and counts it. The credentials are sent to the origin of `base` and nowhere else: redirects to
 * another one are refused. They are in no message. The path of an address is that of `base` and the one that is given.
 */
export function createTransport(
  base: URL,
  { headers: headersOf, everyMs = 0 }: ApiOf,
  credentials: readonly string[],
  limits: FetchLimits,
  platform: FetchPlatform,
  counts: FetchCounts,
): (path: string) => Promise<Received> {
  const headers = { accept: 'application/json', ...headersOf(credentials) }
  const deadlineMs = platform.now() + limits.totalMs
  const prefix = prefixOf(base)
  let notBeforeMs = 0

  /** Waits for its turn: after a 429 all requests wait. */
  const takeTurn = async (path: string) => {
    while (notBeforeMs > platform.now()) await platform.pause(notBeforeMs - platform.now())
    if (platform.now() > deadlineMs) throw new SourceFault(`It took longer than ${limits.totalMs / 3_600_000} hours`)
    if (counts.requests >= limits.requests) throw new SourceFault(`It took more than ${limits.requests} requests`)
    counts.requests += 1
    notBeforeMs = Math.max(notBeforeMs, platform.now() + everyMs)
    platform.onRequest?.(path)
  }

  /** One answer, after redirects within the origin. */
  const send = async (path: string): Promise<Response> => {
    // Not relative to the base: a path that begins with two slashes would name another host.
    let url: URL | null = new URL(base.origin + prefix + path)
    for (let hops = 0; hops <= limits.redirects; hops += 1) {
      if (url?.origin !== base.origin)
        throw new SourceFault(`GET ${path}: leads to ${url?.origin ?? 'another place'}; the token is not sent there`)
      await takeTurn(path)
      const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(limits.requestMs) })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || location === null) return response
      await response.body?.cancel()
      url = URL.parse(location, url)
    }
    throw new SourceFault(`GET ${path}: leads from one address to the next one, more than ${limits.redirects} times`)
  }

  const readBody = async (path: string, response: Response): Promise<string> => {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      counts.bytes += chunk.length
      if (size > limits.answerBytes) throw new SourceFault(`GET ${path}: answers more than ${limits.answerBytes} bytes`)
      if (counts.bytes > limits.totalBytes) throw new SourceFault(`All answers have more than ${limits.totalBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
  }

  // What is too early or away for a moment is sent again.
  return async (path) => {
    for (let waits = 0; ; waits += 1) {
      const isLast = waits >= limits.retries
      try {
        const response = await send(path)
        const { status } = response
        if (isLast || (status !== 429 && !AWAY_STATUS.has(status))) return { status, text: await readBody(path, response) }
        await response.body?.cancel()
        const waitMs = waitOf(response.headers, waits, platform.now())
        if (waitMs > limits.waitMs)
          throw new SourceFault(`GET ${path}: may be sent again in ${Math.ceil(waitMs / 1000)} s only; start again then`)
        notBeforeMs = Math.max(notBeforeMs, platform.now() + waitMs)
      } catch (error) {
        if (error instanceof SourceFault) throw error
        if (isLast) throw new SourceFault(`GET ${path}: ${base.origin} does not answer: ${reasonOf(error)}`, { cause: error })
        notBeforeMs = Math.max(notBeforeMs, platform.now() + waitOf(undefined, waits, platform.now()))
      }
    }
  }
}

/** The path of an address of an API, without a slash at its end. */
export const prefixOf = (base: URL): string => base.pathname.replace(/\/+$/, '')

function reasonOf(error: unknown): string {
  const { cause, message, name } = error as Error
  if (name === 'TimeoutError') return 'no answer in time'
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
