import type { MaintenanceWindow } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { stateOf, turnPace, turnWords } from './words.ts'

const NOW = Date.parse('2026-11-22T02:10:00Z')
const SUNDAYS: MaintenanceWindow = {
  id: 'mnt_1',
  name: 'Sunday updates',
  target: { type: 'server', id: null, tag: 'database' },
  starts_at: '2026-11-15T01:00:00.000Z',
  ends_at: '2026-11-15T03:00:00.000Z',
  repeat: 'FREQ=WEEKLY;BYDAY=SU',
  time_zone: 'Europe/Berlin',
  under_way_until: '2026-11-22T03:00:00.000Z',
  next_starts_at: '2026-11-29T01:00:00.000Z',
  created_at: '2026-11-10T09:31:12.000Z',
  updated_at: '2026-11-10T09:31:12.000Z',
}
const BETWEEN = { ...SUNDAYS, under_way_until: null }
const OVER = { ...BETWEEN, next_starts_at: null }

describe('a maintenance window in a list', () => {
  it.each([
    ['now', SUNDAYS, 'until 04:00'],
    ['planned', BETWEEN, 'next on 29 Nov 02:00'],
    ['over', OVER, undefined],
    ['now', { ...SUNDAYS, under_way_until: '2026-11-24T03:00:00.000Z' }, 'until 24 Nov 04:00'],
    ['planned', { ...BETWEEN, repeat: null }, undefined],
  ])('is %s, and says until when or when next, by its own clock', (state, window, words) => {
    expect([stateOf(window), turnWords(window, NOW)]).toEqual([state, words])
  })

  it.each([
    ['at the next turn of any', [BETWEEN, SUNDAYS, OVER], 50 * 60_000],
    ['each hour, where it is far', [BETWEEN], 3_600_000],
    ['not at once, where the clocks differ', [{ ...SUNDAYS, under_way_until: '2026-11-22T02:00:00.000Z' }], 5_000],
    ['never, where nothing follows', [OVER], false],
  ] as const)('is read again %s', (_, windows, pace) => {
    expect(turnPace(windows, NOW)).toBe(pace)
  })
})
