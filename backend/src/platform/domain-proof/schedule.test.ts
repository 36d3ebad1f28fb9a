import { DAY_MS, HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { applyLookup } from './schedule.ts'

const NOW = Date.UTC(2026, 10, 24, 20)
const pending = { verifiedAtMs: null, missingAtMs: null }
const proven = { verifiedAtMs: NOW - 30 * DAY_MS, missingAtMs: null }
const afterMs = (next: { nextAtMs: number }) => next.nextAtMs - NOW

describe('the lookups of a domain', () => {
  it('come each minute for an hour after a change while the record is missing, then each hour', () => {
    expect(afterMs(applyLookup(pending, 'missing', NOW, NOW))).toBe(MINUTE_MS)
    expect(afterMs(applyLookup(pending, 'failed', NOW - HOUR_MS + 1, NOW))).toBe(MINUTE_MS)
    expect(afterMs(applyLookup(pending, 'missing', NOW - HOUR_MS, NOW))).toBe(HOUR_MS)
  })

  it('prove it once the record is found, and come each day from then on', () => {
    expect(applyLookup(pending, 'found', NOW, NOW)).toEqual({ verifiedAtMs: NOW, missingAtMs: null, nextAtMs: NOW + DAY_MS })
    expect(applyLookup({ ...proven, missingAtMs: NOW - DAY_MS }, 'found', 0, NOW)).toEqual({ ...proven, nextAtMs: NOW + DAY_MS })
  })

  it('end the proof when the record is missing for 7 days, and never by failing', () => {
    expect(applyLookup(proven, 'missing', 0, NOW)).toEqual({ ...proven, missingAtMs: NOW, nextAtMs: NOW + DAY_MS })
    const missingFor = (ms: number) => ({ ...proven, missingAtMs: NOW - ms })
    expect(applyLookup(missingFor(7 * DAY_MS - 1), 'missing', 0, NOW).verifiedAtMs).toBe(proven.verifiedAtMs)
    expect(applyLookup(missingFor(7 * DAY_MS), 'missing', 0, NOW)).toMatchObject({ verifiedAtMs: null, missingAtMs: null })
    expect(applyLookup(missingFor(99 * DAY_MS), 'failed', 0, NOW)).toEqual({
      ...missingFor(99 * DAY_MS),
      nextAtMs: NOW + HOUR_MS,
    })
  })
})
