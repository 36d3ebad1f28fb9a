import type { ClaimsAnswer, ClaimsBody, ProbeResult, ProbeResultsAnswer } from '@vedette/shared'
import type { Clock } from '../../platform/clock.ts'

/** What became of a request. */
export type Answer<T> =
  | { kind: 'done'; body: T }
  /** The token is not known (any more), or not one of a probe. */
  | { kind: 'unknown'; message: string }
  /** The request itself is at fault: again it would be refused again. */
  | { kind: 'refused'; message: string }
  /** Not now: the backend or the way to it is away, or there were too many requests. */
  | { kind: 'away'; message: string; retryAfterMs: number | undefined }

export interface Client {
  claim(body: ClaimsBody, signal: AbortSignal): Promise<Answer<ClaimsAnswer>>
  bring(results: readonly ProbeResult[], signal: AbortSignal): Promise<Answer<ProbeResultsAnswer>>
}

/** Beyond what the backend was asked to hold the request. */
const PATIENCE_MS = 10_000
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Why a probe must not send its token there; undefined where it may. */
export function urlFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be a URL as https://vedette.example.com'
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    return 'must be https: over plain http everybody on the way reads the token and the secrets of monitors'
  if (url.username !== '' || url.search !== '' || url.hash !== '') return 'must have nothing but host, port and path'
  return undefined
}

/** Speaks to the backend at `url`; the token is read anew for each request, so that a replaced one needs no restart. */
export function createClient(url: string, readToken: () => string, clock: Clock): Client {
  const base = url.replace(/\/+$/, '')

  async function post<T>(path: string, body: unknown, limitMs: number, signal: AbortSignal): Promise<Answer<T>> {
    const ended = new AbortController()
    const late = new AbortController()
    void clock.sleep(limitMs, ended.signal).then(() => (ended.signal.aborted ? undefined : late.abort()))
    try {
      const response = await fetch(`${base}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': readToken() },
        body: JSON.stringify(body),
        // The token is for this backend, wherever it may send us.
        redirect: 'manual',
        signal: AbortSignal.any([signal, late.signal]),
      })
      return await toAnswer<T>(response)
    } catch (error) {
      return { kind: 'away', message: reasonOf(error, late.signal.aborted), retryAfterMs: undefined }
    } finally {
      ended.abort()
    }
  }

  return {
    claim: (body, signal) => post('/v1/probe/claims', body, (body.wait_seconds ?? 0) * 1_000 + PATIENCE_MS, signal),
    bring: (results, signal) => post('/v1/probe/results', { results }, PATIENCE_MS, signal),
  }
}

async function toAnswer<T>(response: Response): Promise<Answer<T>> {
  const text = await response.text()
  const { status } = response
  if (status === 200 || status === 202) return { kind: 'done', body: JSON.parse(text) as T }
  const message = `${status} ${messageOf(text)}`
  if (status === 401 || status === 403) return { kind: 'unknown', message }
  if (status === 400 || status === 413) return { kind: 'refused', message }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return { kind: 'away', message, retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined }
}

/** Of our own envelope, or the beginning of whatever stands in the way. */
function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message ?? text.slice(0, 200)
  } catch {
    return text.slice(0, 200)
  }
}

function reasonOf(error: unknown, isLate: boolean): string {
  if (isLate) return 'no answer in time'
  const { cause } = error as { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error))
}
