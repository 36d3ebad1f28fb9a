import { describe, expect, test } from 'vitest'
import { localTime, parseDay, startOfPeriod } from './zone.ts'

const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

describe('a day', () => {
  test.each([
    ['UTC', '2026-11-01', '2026-11-01T00:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
    // Midnight is skipped there on this day.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
  ])('in %s %s begins at %s', (zone, day, start) => expect(iso(parseDay(zone, day))).toBe(start))

  test.each(['2026-02-29', '2026-13-01', '2026-1-1', '2026-11-01T00:00:00Z', '', '0000-01-01'])('%j is none', (text) =>
    expect(parseDay('UTC', text)).toBeUndefined(),
  )
})

test('months and quarters begin at local midnight', () => {
  const at = Date.parse('2026-01-31T23:30:00Z')
  expect(iso(startOfPeriod('UTC', at, 1))).toBe('2026-01-01T00:00:00.000Z')
  expect(iso(startOfPeriod('UTC', at, 1, 1))).toBe('2025-12-01T00:00:00.000Z')
  expect(iso(startOfPeriod('Europe/Berlin', at, 1))).toBe('2026-01-31T23:00:00.000Z')
  expect(iso(startOfPeriod('Europe/Berlin', at, 3))).toBe('2025-12-31T23:00:00.000Z')
  expect(iso(startOfPeriod('UTC', at, 3, 1))).toBe('2025-10-01T00:00:00.000Z')
  expect(localTime('Europe/Berlin', at)).toBe('2026-02-01 00:30')
})
