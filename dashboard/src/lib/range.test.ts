import { METRIC_PERIODS } from '@vedette/shared/tables'
import { describe, expect, it } from 'vitest'
import { rangeOf, rangeQuery, rangeSearch, refreshMs, shiftedRange, defaultPeriod } from './range.ts'
import { parseSearch } from './search.ts'

const range = (query: string) => rangeSearch(parseSearch(query))
const NOW = Date.parse('2026-01-01T00:00:00.000Z')
const HOUR = 3_600_000

describe('the time range of a chart', () => {
  it('is a period or two times in the URL', () => {
    expect(range('?range=6h')).toEqual({ range: '6h' })
    expect(range('?from=1763661600000&to=1763661700000')).toEqual({ from: 1_763_661_600_000, to: 1_763_661_700_000 })
  })

  it.each([
    '',
    '?range=5m',
    '?from=1',
    '?from=9&to=1',
    '?from=x&to=y',
    '?from=1763661600000&to=1763661600001',
    '?from=1700000000000&to=1763661600000',
  ])('%s gives the default period', (query) => expect(rangeOf(range(query), '1h')).toEqual({ period: '1h' }))

  it('is sent by the name that the API knows, else as two times', () => {
    expect(rangeQuery({ period: '6h' }, METRIC_PERIODS, NOW)).toEqual({ period: '6h' })
    expect(rangeQuery({ period: '90d' }, METRIC_PERIODS, NOW)).toEqual({
      from: '2025-10-03T00:00:00.000Z',
      to: '2026-01-01T00:00:00.000Z',
    })
    expect(rangeQuery({ from: NOW - HOUR, to: NOW }, METRIC_PERIODS, NOW)).toEqual({
      from: '2025-12-31T23:00:00.000Z',
      to: '2026-01-01T00:00:00.000Z',
    })
  })

  it('moves by its own length, and forward until now', () => {
    const before = shiftedRange({ period: '1h' }, -1, NOW)
    expect(before).toEqual({ from: NOW - 2 * HOUR, to: NOW - HOUR })
    const earlier = shiftedRange(rangeOf(before, '1h'), -1, NOW)
    expect(earlier).toEqual({ from: NOW - 3 * HOUR, to: NOW - 2 * HOUR })
    expect(shiftedRange(rangeOf(earlier, '1h'), 1, NOW)).toEqual(before)
    expect(shiftedRange(rangeOf(before, '1h'), 1, NOW)).toEqual({ range: '1h' })
    expect(shiftedRange({ from: NOW - 3 * HOUR, to: NOW - HOUR + 7 }, 1, NOW)).toEqual({ from: NOW - 2 * HOUR - 7, to: NOW })
  })

  it('is read again as often as a point is added, and never once it has ended', () => {
    expect(refreshMs({ period: '1h' }, 240)).toBe(15_000)
    expect(refreshMs({ period: '7d' }, 240)).toBe(1_260_000)
    expect(refreshMs({ from: 0, to: 1 }, 240)).toBe(false)
  })
})

it.each([
  [0, '24h', '15m'],
  [15 * 60_000, '24h', '15m'],
  [15 * 60_000 + 1, '24h', '1h'],
  [7 * 3_600_000, '24h', '24h'],
  [400 * 86_400_000, '24h', '24h'],
  [5 * 60_000, '1h', '15m'],
  [2 * 3_600_000, '1h', '1h'],
  [-5_000, '24h', '15m'],
  [Number.NaN, '24h', '24h'],
] as const)('after a life of %s ms a page shows at most %s: %s', (ageMs, longest, period) => {
  expect(defaultPeriod(1_000_000 - ageMs, 1_000_000, longest)).toBe(period)
})
