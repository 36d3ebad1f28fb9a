import type { PushAnswer } from '@vedette/shared'
import { parseObject } from './identity.ts'
import type { HttpAnswer } from './transport.ts'

/** What became of a push, by what has to happen next. */
export type PushOutcome =
  | { kind: 'accepted'; answer: PushAnswer }
  /** Nothing is known to be wrong with the push: later. `afterMs` when the backend said how much later. */
  | { kind: 'retry'; reason: string; afterMs?: number; isTooMuch?: boolean }
  /** The token is no longer, or not yet, good: no push before there is another. */
  | { kind: 'refused'; reason: string }
  /** Another host pushes with this token: that does not mend itself, but a new registration does. */
  | { kind: 'cloned'; reason: string }
  /** Too many bytes, or something in it that can never be taken: fewer batches, and a batch that fails alone is dropped. */
  | { kind: 'unacceptable'; reason: string }

/** A backend in trouble may ask for patience, but a wrong header must not silence an agent for days. */
const MAX_RETRY_AFTER_MS = 15 * 60_000

export function judgeAnswer(answer: HttpAnswer, nowMs: number): PushOutcome {
  if (!('body' in answer)) return { kind: 'retry', reason: answer.reason, ...(answer.isTooLong && { isTooMuch: true }) }
  const { status, headers, body } = answer
  if (status >= 200 && status < 300) {
    const parsed = parsePushAnswer(body)
    // A proxy's or a captive portal's page is a 200 as well: only our own answer means that the samples are durable.
    return parsed
      ? { kind: 'accepted', answer: parsed }
      : { kind: 'retry', reason: `${status} with an answer that is not a backend's` }
  }
  const reason = `${status} ${errorMessage(body)}`.trim()
  switch (status) {
    case 401:
    case 403:
      return { kind: 'refused', reason }
    case 400:
    case 413:
      // A proxy's word on the matter is no reason to drop what the backend may well take.
      return isEnvelope(body) ? { kind: 'unacceptable', reason } : { kind: 'retry', reason, isTooMuch: true }
    case 409:
      return isEnvelope(body) ? { kind: 'cloned', reason } : { kind: 'retry', reason }
    default: {
      const afterMs = parseRetryAfter(headers['retry-after'], nowMs)
      return { kind: 'retry', reason, ...(afterMs !== undefined && { afterMs }) }
    }
  }
}

/** Retry-After is in seconds or a date; bounded. Undefined when it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined
  const isSeconds = /^\d+$/.test(value.trim())
  // Date.parse takes nearly anything ("-5" is a month of 2001): an HTTP date ends in GMT.
  if (!isSeconds && !value.endsWith('GMT')) return undefined
  const afterMs = isSeconds ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isNaN(afterMs) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, afterMs))
}

/** The backend's own words, without which a person has only a number. */
export function errorMessage(body: string): string {
  const error = parseObject(body)?.error
  if (typeof error !== 'object' || error === null) return ''
  const { code, message } = error as { code?: unknown; message?: unknown }
  return [code, message].filter((part) => typeof part === 'string').join(': ')
}

function isEnvelope(body: string): boolean {
  const error = parseObject(body)?.error
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}

/** Undefined unless the body is the answer to a push. */
function parsePushAnswer(body: string): PushAnswer | undefined {
  const fields = parseObject(body)
  if (!fields || typeof fields.accepted !== 'number' || typeof fields.duplicates !== 'number') return undefined
  if (typeof fields.server_time !== 'string' || !Array.isArray(fields.rejected)) return undefined
  // The rest is judged where it is used: an interval that is no number is not followed.
  return fields as unknown as PushAnswer
}
