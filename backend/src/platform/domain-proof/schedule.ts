import { DAY_MS, HOUR_MS, MINUTE_MS } from '@vedette/shared'

export interface DomainState {
  verifiedAtMs: number | null
  /** Since when the record of a proven domain is missing. */
  missingAtMs: number | null
}

/** How long a record may be missing before the proof ends. */
const MAX_MISSING_MS = 7 * DAY_MS

/**
 * What a lookup of the record that proves a domain changes, and when the next one is due. A domain without proof is looked up each
 * minute for an hour after the last change of what it is for, then each hour; a proven one each day. A lookup that failed says nothing about the record.
 */
export function applyLookup(
  { verifiedAtMs, missingAtMs }: DomainState,
  result: 'found' | 'missing' | 'failed',
  changedAtMs: number,
  nowMs: number,
): DomainState & { nextAtMs: number } {
  if (result === 'found') return { verifiedAtMs: verifiedAtMs ?? nowMs, missingAtMs: null, nextAtMs: nowMs + DAY_MS }
  if (verifiedAtMs === null) {
    const isNew = nowMs - changedAtMs < HOUR_MS
    return { verifiedAtMs, missingAtMs: null, nextAtMs: nowMs + (isNew ? MINUTE_MS : HOUR_MS) }
  }
  if (result === 'failed') return { verifiedAtMs, missingAtMs, nextAtMs: nowMs + HOUR_MS }
  const sinceMs = missingAtMs ?? nowMs
  if (nowMs - sinceMs >= MAX_MISSING_MS) return { verifiedAtMs: null, missingAtMs: null, nextAtMs: nowMs + HOUR_MS }
  return { verifiedAtMs, missingAtMs: sinceMs, nextAtMs: nowMs + DAY_MS }
}
