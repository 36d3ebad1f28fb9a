import type { ErrorDetail, PushAnswer } from '@vedette/shared'
import { parseObject } from '../process/identity.ts'
import type { HttpAnswer } from './transport.ts'

/** The result of a push, by what happens next. */
export type PushOutcome =
  | { kind: 'accepted'; answer: PushAnswer }
  /** Nothing is known to be wrong with the push: it is retried, after `afterMs` if the backend said so. */
  | { kind: 'retry'; reason: string; afterMs?: number; isTooMuch?: boolean }
  /** The token is invalid: no push until there is another. */
  | { kind: 'refused'; reason: string }
  /** Another host pushes with this token: a new registration fixes that. */
  | { kind: 'cloned'; reason: string }
  /**
   * Too large, or with content that is never accepted: fewer batches are sent, and a batch that fails alone is divided. `details` name
   * what is refused, as far as the backend says.
   */
  | { kind: 'unacceptable'; reason: string; details: ErrorDetail[] }

/** Bounds Retry-After: a wrong header must not silence an agent for days. */
const MAX_RETRY_AFTER_MS = 15 * 60_000

export function classifyAnswer(answer: HttpAnswer, nowMs: number): PushOutcome {
  if (!('body' in answer)) return { kind: 'retry', reason: answer.reason, ...(answer.isTooLong && { isTooMuch: true }) }
  const { status, headers, body } = answer
  if (status >= 200 && status < 300) {
    const parsed = parsePushAnswer(body)
    // A proxy's or a captive portal's page is a 200 as well: only the backend's own answer means that the samples are durable.
    return parsed
      ? { kind: 'accepted', answer: parsed }
      : { kind: 'retry', reason: `${status} but the answer is not from a Vedette backend` }
  }
  const reason = `${status} ${errorMessage(body)}`.trim()
  switch (status) {
    case 401:
    case 403:
      // A proxy's refusal says nothing about the token and may be temporary: waiting for another token would never end.
      return isEnvelope(body) ? { kind: 'refused', reason } : { kind: 'retry', reason }
    case 400:
    case 413:
      // A proxy's refusal is no reason to drop what the backend may accept.
      return isEnvelope(body)
        ? { kind: 'unacceptable', reason, details: errorDetails(body) }
        : { kind: 'retry', reason, isTooMuch: true }
    case 409:
      return isEnvelope(body) ? { kind: 'cloned', reason } : { kind: 'retry', reason }
    default: {
      const afterMs = parseRetryAfter(headers['retry-after'], nowMs)
      return { kind: 'retry', reason, ...(afterMs !== undefined && { afterMs }) }
    }
  }
}

/** Retry-After in seconds or as a date, bounded. Undefined if it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined
  const isSeconds = /^\d+$/.test(value.trim())
  // Date.parse accepts nearly anything ("-5" is a month of 2001): an HTTP date ends in GMT.
  if (!isSeconds && !value.endsWith('GMT')) return undefined
  const afterMs = isSeconds ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isNaN(afterMs) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, afterMs))
}

/** Code and message of the backend's error; empty if the body is no error of a backend. */
export function errorMessage(body: string): string {
  const error = parseObject(body)?.error
  if (typeof error !== 'object' || error === null) return ''
  const { code, message } = error as { code?: unknown; message?: unknown }
  return [code, message].filter((part) => typeof part === 'string').join(': ')
}

/** The parts of the request that the backend's error names. */
function errorDetails(body: string): ErrorDetail[] {
  const { details } = (parseObject(body)?.error ?? {}) as { details?: unknown }
  const isDetail = (detail: Partial<ErrorDetail> | null) => typeof detail?.path === 'string' && typeof detail.message === 'string'
  return Array.isArray(details) ? (details.filter(isDetail) as ErrorDetail[]) : []
}

function isEnvelope(body: string): boolean {
  const error = parseObject(body)?.error
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}

/** Undefined if the body is not the answer to a push. */
function parsePushAnswer(body: string): PushAnswer | undefined {
  const fields = parseObject(body)
  if (!fields || typeof fields.accepted !== 'number' || typeof fields.duplicates !== 'number') return undefined
  if (typeof fields.server_time !== 'string' || !Array.isArray(fields.rejected)) return undefined
  // The rest is validated where it is used: an interval that is no number is ignored.
  return fields as unknown as PushAnswer
}
