import {
  type ClaimsAnswer,
  type ClaimsBody,
  type ErrorEnvelope,
  type ProbeResult,
  type ProbeResultsAnswer,
  truncateText,
} from '@vedette/shared'
import { request } from 'undici'

/** The result of a request. */
export type ClientResult<T> =
  | { kind: 'done'; body: T }
  /** The token is unknown, revoked, or not a probe's token. */
  | { kind: 'unknown'; message: string }
  /** The request is invalid; repeating it would fail again. */
  | { kind: 'refused'; message: string }
  /** A temporary failure: the backend is unreachable or limits the rate. `isTooMuch`: a smaller request may pass. */
  | { kind: 'away'; message: string; retryAfterMs: number | undefined; isTooMuch?: boolean }

export interface BackendClient {
  claim(body: ClaimsBody, signal: AbortSignal): Promise<ClientResult<ClaimsAnswer>>
  submit(results: readonly ProbeResult[], signal: AbortSignal): Promise<ClientResult<ProbeResultsAnswer>>
}

/** Added to the time that the backend may hold the request. */
const TIMEOUT_MS = 10_000
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Why a probe must not send its token to this URL; undefined when it may. */
export function urlFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be a URL such as https://vedette.example.com'
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    return 'must be https: plain http would expose the token and the secrets of monitors'
  if (url.username !== '' || url.search !== '' || url.hash !== '') return 'must contain only host, port and path'
  return undefined
}

/** Sends requests to the backend at `url`. The token is read for each request, so that a replaced one needs no restart. */
export function createBackendClient(url: string, readToken: () => string): BackendClient {
  const base = url.replace(/\/+$/, '')

  async function post<T>(path: string, body: unknown, headersTimeout: number, signal: AbortSignal): Promise<ClientResult<T>> {
    try {
      // Redirects are not followed: the token is for this backend only.
      const response = await request(`${base}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': readToken() },
        body: JSON.stringify(body),
        headersTimeout,
        bodyTimeout: TIMEOUT_MS,
        signal,
      })
      return toResult<T>(response.statusCode, await response.body.text(), Number(response.headers['retry-after']))
    } catch (error) {
      return { kind: 'away', message: reasonOf(error as Error & { code?: string }), retryAfterMs: undefined }
    }
  }

  return {
    claim: (body, signal) => post('/v1/probe/claims', body, (body.wait_seconds ?? 0) * 1_000 + TIMEOUT_MS, signal),
    submit: (results, signal) => post('/v1/probe/results', { results }, TIMEOUT_MS, signal),
  }
}

function toResult<T>(status: number, text: string, retryAfterSeconds: number): ClientResult<T> {
  if (status === 200 || status === 202) return { kind: 'done', body: JSON.parse(text) as T }
  const message = `${status} ${messageOf(text)}`
  if (status === 401 || status === 403) return { kind: 'unknown', message }
  const isRefusal = status === 400 || status === 413
  if (isRefusal && errorIn(text)) return { kind: 'refused', message }
  const retryAfterMs = Number.isFinite(retryAfterSeconds) ? retryAfterSeconds * 1_000 : undefined
  // A proxy's refusal is no reason to discard what the backend may accept.
  return { kind: 'away', message, retryAfterMs, ...(isRefusal && { isTooMuch: true }) }
}

/** The message of an API error with the first field that it names, or the beginning of another body. */
function messageOf(text: string): string {
  const error = errorIn(text)
  if (!error) return truncateText(text, 200)
  const [detail] = error.details ?? []
  return truncateText(detail ? `${error.message} (${detail.path}: ${detail.message})` : error.message, 400)
}

/** The error of a backend; undefined for any other body. */
function errorIn(text: string): (Partial<ErrorEnvelope['error']> & { message: string }) | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorEnvelope>
    return typeof error?.message === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

function reasonOf({ code, message }: Error & { code?: string }): string {
  return code === 'UND_ERR_HEADERS_TIMEOUT' ? 'no response in time' : (code ?? message)
}
