import type { MaintenanceWindow } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { repeatOf } from '../../lib/repeat.ts'
import { nonexistentTimes, newWindow, toWindowBody, toWindowInput } from './input.ts'

const WINDOW: MaintenanceWindow = {
  id: 'mnt_1',
  name: 'Sunday updates',
  target: { type: 'server', id: null, tag: 'database' },
  silence: null,
  starts_at: '2026-11-22T01:00:00.000Z',
  ends_at: '2026-11-22T03:00:00.000Z',
  repeat: 'FREQ=WEEKLY;BYDAY=SU',
  time_zone: 'Europe/Berlin',
  under_way_until: null,
  next_starts_at: '2026-11-22T01:00:00.000Z',
  managed: null,
  created_at: '2026-11-21T09:31:12.000Z',
  updated_at: '2026-11-21T09:31:12.000Z',
}

describe('the maintenance window editor', () => {
  it.each([null, 'FREQ=DAILY', 'FREQ=WEEKLY', 'FREQ=WEEKLY;BYDAY=MO,SU', 'FREQ=MONTHLY;BYMONTHDAY=22', 'FREQ=MONTHLY;BYDAY=1SU'])(
    'changes nothing of a window that repeats by %s and is saved without changes',
    (repeat) => {
      const { name, target, starts_at, ends_at, time_zone } = WINDOW
      const definition = { name, target, starts_at, ends_at, repeat, time_zone }
      expect(toWindowBody(toWindowInput({ ...WINDOW, repeat }))).toEqual(definition)
    },
  )

  it('shows times in the time zone of the window, not of the viewer', () => {
    expect(toWindowInput(WINDOW)).toMatchObject({ starts: '2026-11-22T02:00', ends: '2026-11-22T04:00' })
  })

  it('keeps an RRULE that it has no fields for', () => {
    expect(repeatOf('FREQ=YEARLY;BYMONTH=1')).toMatchObject({ repeat: 'custom', days: [], rule: 'FREQ=YEARLY;BYMONTH=1' })
  })

  it('names the times that do not exist in the time zone', () => {
    const input = { ...toWindowInput(WINDOW), starts: '2026-03-29T02:30', ends: '' }
    expect(nonexistentTimes(input)).toEqual(['starts_at', 'ends_at'])
    expect(nonexistentTimes(toWindowInput(WINDOW))).toEqual([])
  })

  it('suggests a window from the next full hour', () => {
    expect(newWindow(Date.parse('2026-07-01T10:20:00Z'), 'Europe/Berlin')).toMatchObject({
      starts: '2026-07-01T13:00',
      ends: '2026-07-01T14:00',
      zone: 'Europe/Berlin',
    })
  })
})
