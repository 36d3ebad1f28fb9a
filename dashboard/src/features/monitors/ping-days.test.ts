import { DAY_MS } from '@vedette/shared/tables'
import { expect, test } from 'vitest'
import { calendarWeeks, type PingHistory, pingDay } from './ping-days.ts'

const FIRST = Date.parse('2026-11-02T00:00:00Z')
const at = (text: string) => `2026-11-${text}Z`
const down = (text: string, code: 'timeout' | 'status') => ({ checked_at: at(text), error: { code, message: '' } })

const HISTORY: PingHistory = {
  fromMs: FIRST,
  uptime: [null, 100, 50, 0, 95, 80, 70],
  downs: [
    down('04T02:30:00', 'timeout'),
    down('05T02:30:00', 'timeout'),
    down('06T02:30:00', 'timeout'),
    down('06T09:30:00', 'status'),
    down('08T23:30:00', 'timeout'),
  ],
  transitions: [
    { at: at('04T03:10:00'), to_status: 'up' },
    { at: at('05T01:00:00'), to_status: 'up' },
    { at: at('06T12:00:00'), to_status: 'up' },
    { at: at('09T00:10:00'), to_status: 'up' },
  ],
}

test.each([
  ['without a ping that was due there is none', 0, 'none'],
  ['all in time', 1, 'came'],
  ['a ping after its grace on the same day is late', 2, 'late'],
  ['a ping that came before the deadline passed does not count', 3, 'missed'],
  ['a failure counts more than a late ping', 4, 'failed'],
  ['what is not listed has no name', 5, 'trouble'],
  ['a ping of the next day is none of this one', 6, 'missed'],
  ['a day outside of the history has none', 7, 'none'],
])('%s', (_title, day, expected) => {
  expect(pingDay(HISTORY, FIRST + day * DAY_MS)).toBe(expected)
})

test.each(['2026-11-02T00:00:00Z', '2026-11-05T12:00:00Z', '2026-11-08T23:59:59Z'])('the weeks of %s end with its own', (now) => {
  const weeks = calendarWeeks(Date.parse(now))
  expect(weeks.map((days) => days.length)).toEqual([7, 7, 7, 7, 7, 7])
  expect(weeks.at(-1)?.[0]).toBe(FIRST)
  const known = weeks.flat().filter((day) => day !== undefined)
  expect(known.at(-1)).toBe(Math.floor(Date.parse(now) / DAY_MS) * DAY_MS)
  expect(known.every((day, index) => index === 0 || day - (known[index - 1] ?? 0) === DAY_MS)).toBe(true)
})
