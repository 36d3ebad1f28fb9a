import type { MaintenanceWindow } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { windowStatus, nextChangeMs, nextChangeText } from './schedule-text.ts'

const NOW = Date.parse('2026-11-22T02:10:00Z')
const SUNDAYS: MaintenanceWindow = {
  id: 'mnt_1',
  name: 'Sunday updates',
  target: { type: 'server', id: null, tag: 'database' },
  silence: null,
  starts_at: '2026-11-15T01:00:00.000Z',
  ends_at: '2026-11-15T03:00:00.000Z',
  repeat: 'FREQ=WEEKLY;BYDAY=SU',
  time_zone: 'Europe/Berlin',
  under_way_until: '2026-11-22T03:00:00.000Z',
  next_starts_at: '2026-11-29T01:00:00.000Z',
  managed: null,
  created_at: '2026-11-10T09:31:12.000Z',
  updated_at: '2026-11-10T09:31:12.000Z',
}
const BETWEEN = { ...SUNDAYS, under_way_until: null }
const OVER = { ...BETWEEN, next_starts_at: null }

describe('a maintenance window in a list', () => {
  it.each([
    ['in_progress', SUNDAYS, 'until 04:00'],
    ['scheduled', BETWEEN, 'next on 29 Nov 02:00'],
    ['ended', OVER, undefined],
    ['in_progress', { ...SUNDAYS, under_way_until: '2026-11-24T03:00:00.000Z' }, 'until 24 Nov 04:00'],
    ['scheduled', { ...BETWEEN, repeat: null }, undefined],
  ])('is %s, with its end or its next start in its own time zone', (state, window, expected) => {
    expect([windowStatus(window), nextChangeText(window, NOW)]).toEqual([state, expected])
  })

  it.each([
    ['when the next one of several starts or ends', [BETWEEN, SUNDAYS, OVER], 50 * 60_000],
    ['every hour where that is far away', [BETWEEN], 3_600_000],
    ['after a short wait where the clocks differ', [{ ...SUNDAYS, under_way_until: '2026-11-22T02:00:00.000Z' }], 5_000],
    ['never where no window starts or ends', [OVER], false],
  ] as const)('is read again %s', (_, windows, pace) => {
    expect(nextChangeMs(windows, NOW)).toBe(pace)
  })
})
