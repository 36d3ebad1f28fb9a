import { describe, expect, it } from 'vitest'
import { endOfWindow, nextStart, type Recurrence, repeatFault } from './recurrence.ts'

const window = (repeat: string | null, startsAt: string, endsAt: string, timeZone = 'UTC'): Recurrence => ({
  starts_at: new Date(startsAt),
  ends_at: new Date(endsAt),
  repeat,
  time_zone: timeZone,
})
const endAt = (given: Recurrence, at: string): string | undefined => {
  const ms = endOfWindow(given, Date.parse(at))
  return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16)
}
const nextAt = (given: Recurrence, at: string): string | undefined => {
  const ms = nextStart(given, Date.parse(at))
  return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16)
}

describe('a window', () => {
  const once = window(null, '2026-11-21T10:00:00Z', '2026-11-21T12:00:00Z')
  const sundays = window('FREQ=WEEKLY;BYDAY=SU', '2026-11-22T01:00:00Z', '2026-11-22T03:00:00Z')
  it.each([
    ['is not before it begins', once, '2026-11-21T09:59:59Z', undefined],
    ['is from its beginning on [WINDOW-01]', once, '2026-11-21T10:00:00Z', '2026-11-21T12:00'],
    ['is not at its end', once, '2026-11-21T12:00:00Z', undefined],
    ['is once', once, '2026-11-22T11:00:00Z', undefined],
    ['repeats [WINDOW-01]', sundays, '2026-12-06T02:00:00Z', '2026-12-06T03:00'],
    ['repeats on its days only', sundays, '2026-12-05T02:00:00Z', undefined],
    ['does not repeat before its first', sundays, '2026-11-15T02:00:00Z', undefined],
    [
      'goes over midnight',
      window('FREQ=DAILY', '2026-11-21T23:00:00Z', '2026-11-22T02:00:00Z'),
      '2026-12-01T01:30:00Z',
      '2026-12-01T02:00',
    ],
    [
      'that overlaps itself ends with the last',
      window('FREQ=DAILY', '2026-11-21T00:00:00Z', '2026-11-22T12:00:00Z'),
      '2026-12-01T06:00:00Z',
      '2026-12-02T12:00',
    ],
    [
      'ends with COUNT',
      window('FREQ=DAILY;COUNT=2', '2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z'),
      '2026-11-23T01:30:00Z',
      undefined,
    ],
    [
      'ends with UNTIL',
      window('FREQ=DAILY;UNTIL=20261122T010000Z', '2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z'),
      '2026-11-23T01:30:00Z',
      undefined,
    ],
  ] as const)('%s', (_, given, at, end) => expect(endAt(given, at)).toBe(end))

  it.each([
    [once, '2026-11-21T09:59:59Z', '2026-11-21T10:00'],
    [once, '2026-11-21T10:00:00Z', undefined],
    [sundays, '2026-11-15T00:00:00Z', '2026-11-22T01:00'],
    [sundays, '2026-11-22T01:00:00Z', '2026-11-29T01:00'],
    [window('FREQ=DAILY;COUNT=2', '2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z'), '2026-11-22T01:00:00Z', undefined],
  ])('of %o begins next after %s at %s [WINDOW-05]', (given, at, next) => expect(nextAt(given, at)).toBe(next))

  const nightly = window('FREQ=DAILY', '2026-03-20T02:30:00+01:00', '2026-03-20T03:30:00+01:00', 'Europe/Berlin')
  it.each([
    ['2026-03-28T02:45:00+01:00', '2026-03-28T02:30'],
    // The clock goes from two to three: there is no half past two.
    ['2026-03-29T03:45:00+02:00', undefined],
    ['2026-03-30T02:45:00+02:00', '2026-03-30T01:30'],
    // Half past two comes twice; the first counts.
    ['2026-10-25T02:45:00+02:00', '2026-10-25T01:30'],
    ['2026-10-25T02:45:00+01:00', undefined],
    ['2026-10-26T02:45:00+01:00', '2026-10-26T02:30'],
  ] as const)('keeps its hour by the clock of its zone through changes of the clock: %s [WINDOW-01]', (at, end) =>
    expect(endAt(nightly, at)).toBe(end),
  )
})

describe('a rule to repeat', () => {
  const isGood = (repeat: string) =>
    repeatFault({ ...window(repeat, '2026-11-21T10:00:00Z', '2026-11-21T12:00:00Z'), repeat }) === undefined
  it.each(['FREQ=DAILY', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR', 'FREQ=MONTHLY;BYDAY=-1SU', 'FREQ=MONTHLY;BYMONTHDAY=-1'])(
    'may be %s',
    (repeat) => expect(isGood(repeat)).toBe(true),
  )
  it.each([
    '',
    'DAILY',
    'FREQ=SECONDLY',
    'FREQ=HOURLY',
    'FREQ=DAILY;FREQ=DAILY',
    'FREQ=DAILY;COUNT=1000000000',
    'FREQ=DAILY;BYHOUR=1,2,3',
    'FREQ=DAILY\nRDATE:20260101T000000',
    'INTERVAL=2',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30,31',
    'FREQ=DAILY;BYMONTH=13',
    'FREQ=MONTHLY;BYMONTHDAY=32',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0',
    'FREQ=YEARLY;BYDAY=54MO',
    'FREQ=WEEKLY;BYDAY=2MO',
    'FREQ=WEEKLY;BYMONTHDAY=5',
    'FREQ=DAILY;UNTIL=20261399',
    'FREQ=DAILY;UNTIL=20270231T000000Z',
    '__proto__',
    'constructor=FREQ',
  ])('may not be %j', (repeat) => expect(isGood(repeat)).toBe(false))
})
