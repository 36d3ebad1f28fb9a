const MIB = 1024 * 1024

/** Bounds of one fetch. */
export interface FetchLimits {
  /** Of one answer, and of one file. */
  answerBytes: number
  /** Of all answers. */
  totalBytes: number
  totalMs: number
  requests: number
  requestMs: number
  /** How often a request is sent again that came too early, or was not answered. */
  retries: number
  /** The longest wait that an answer may name. */
  waitMs: number
  redirects: number
  /** Of one list. */
  pages: number
  files: number
}

/** A file may have what `readSourceFiles` reads. 6 hours: Splunk On-Call takes two requests a second. */
export const FETCH_LIMITS: FetchLimits = {
  answerBytes: 64 * MIB,
  totalBytes: 1024 * MIB,
  totalMs: 6 * 3_600_000,
  requests: 200_000,
  requestMs: 120_000,
  retries: 6,
  waitMs: 600_000,
  redirects: 5,
  pages: 1_000,
  files: 50_000,
}

const FIRST_WAIT_MS = 1_000
const LONGEST_BACKOFF_MS = 60_000

/**
 * How long to wait before a request is sent again, ms: `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), `RateLimit-Reset` in
 * seconds, else 1, 2, 4, … s. Pure.
 */
export function waitOf(headers: Headers | undefined, waits: number, nowMs: number): number {
  const after = headers?.get('retry-after') ?? headers?.get('ratelimit-reset') ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(after)) return Math.max(FIRST_WAIT_MS, Number(after) * 1000)
  const dateMs = Date.parse(after)
  if (!Number.isNaN(dateMs)) return Math.max(FIRST_WAIT_MS, dateMs - nowMs)
  return Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** waits)
}
