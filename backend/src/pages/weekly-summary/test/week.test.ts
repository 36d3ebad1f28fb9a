import { expect, it } from 'vitest'
import { dueWeek } from '../week.ts'

const at = (text: string) => Date.parse(`${text}.000Z`)

// 2026-11-23 is a Monday.
it.each([
  ['2026-11-23T06:59:59', '2026-11-09', '2026-11-16', '2026-11-23'],
  ['2026-11-23T07:00:00', '2026-11-16', '2026-11-23', '2026-11-30'],
  ['2026-11-29T23:59:59', '2026-11-16', '2026-11-23', '2026-11-30'],
  ['2026-11-30T06:59:59', '2026-11-16', '2026-11-23', '2026-11-30'],
  ['1970-01-05T07:00:00', '1969-12-29', '1970-01-05', '1970-01-12'],
])('at %s the summary of the week from %s to %s is due, and the next one on %s at 07:00', (now, from, to, next) =>
  expect(dueWeek(at(now))).toEqual({
    fromMs: at(`${from}T00:00:00`),
    toMs: at(`${to}T00:00:00`),
    nextDueMs: at(`${next}T07:00:00`),
  }),
)
