import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Calendar, nextOccurrence } from './calendar.ts'
import { offsetMs } from '../../wire/local-time.ts'
import { parseCron } from './cron.ts'
import { parseOnCalendar } from './on-calendar.ts'

/** The next occurrences in UTC, to the second. */
function occurrences(parsed: Calendar | string, timeZone: string, from: string, count: number): string[] {
  if (typeof parsed === 'string') throw new Error(parsed)
  const found: string[] = []
  for (let atMs = Date.parse(from); found.length < count; ) {
    const next = nextOccurrence(parsed, timeZone, atMs)
    if (next === undefined) break
    found.push(new Date(next).toISOString().slice(0, 19))
    atMs = next
  }
  return found
}

describe('a cron line', () => {
  it.each<[string, string, string, string[]]>([
    ['*/15 * * * *', 'UTC', '2026-11-24T10:07:00Z', ['2026-11-24T10:15:00', '2026-11-24T10:30:00']],
    ['0 2 * * *', 'Europe/Berlin', '2026-11-24T10:00:00Z', ['2026-11-25T01:00:00', '2026-11-26T01:00:00']],
    ['30 6 * * mon-fri', 'UTC', '2026-11-27T07:00:00Z', ['2026-11-30T06:30:00', '2026-12-01T06:30:00']],
    ['0 0 13 * 5', 'UTC', '2026-11-24T00:00:00Z', ['2026-11-27T00:00:00', '2026-12-04T00:00:00']],
    ['0 0 13 * *', 'UTC', '2026-11-24T00:00:00Z', ['2026-12-13T00:00:00', '2027-01-13T00:00:00']],
    ['0 0 */10 * 1', 'UTC', '2026-11-24T00:00:00Z', ['2026-12-21T00:00:00', '2027-01-11T00:00:00']],
    ['0 0 29 2 *', 'UTC', '2026-11-24T00:00:00Z', ['2028-02-29T00:00:00', '2032-02-29T00:00:00']],
    ['0 12 * * 7', 'UTC', '2026-11-24T00:00:00Z', ['2026-11-29T12:00:00', '2026-12-06T12:00:00']],
    ['0 12 * * fri-sun', 'UTC', '2026-11-24T00:00:00Z', ['2026-11-27T12:00:00', '2026-11-28T12:00:00']],
    ['5/20 3 * * *', 'UTC', '2026-11-24T00:00:00Z', ['2026-11-24T03:05:00', '2026-11-24T03:25:00']],
    ['@weekly', 'UTC', '2026-11-24T00:00:00Z', ['2026-11-29T00:00:00', '2026-12-06T00:00:00']],
    // The night of the change to summer time has no 02:30: cron runs it at 03:00. That of the change back has two.
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T00:00:00Z',
      ['2026-03-28T01:30:00', '2026-03-29T01:00:00', '2026-03-30T00:30:00'],
    ],
    ['15,45 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00', '2026-03-30T00:15:00']],
    ['0 0 * * *', 'Africa/Cairo', '2026-04-23T00:00:00Z', ['2026-04-23T22:00:00', '2026-04-24T21:00:00']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', ['2026-10-03T15:30:00', '2026-10-04T15:15:00']],
    // A star runs as often as the clock shows it.
    ['*/30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['2026-03-30T00:00:00']],
    [
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-25T00:00:00Z',
      ['2026-10-25T00:30:00', '2026-10-25T01:00:00', '2026-10-25T01:30:00', '2026-10-25T02:00:00'],
    ],
    ['30 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', ['2026-03-29T00:30:00', '2026-03-29T01:30:00']],
    [
      '*/20 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T14:35:00Z',
      ['2026-04-04T14:40:00', '2026-04-04T15:10:00', '2026-04-05T14:30:00'],
    ],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00', '2026-10-26T01:30:00']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10:00Z', ['2026-10-26T01:30:00']],
    ['0 1 * * *', 'America/New_York', '2026-11-01T03:00:00Z', ['2026-11-01T05:00:00', '2026-11-02T06:00:00']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00:00Z', ['2026-04-04T14:45:00', '2026-04-05T15:15:00']],
    // The last day, the last workday, the workday nearest to a day, the last and the third Friday.
    ['0 0 L * *', 'UTC', '2027-01-15T00:00:00Z', ['2027-01-31T00:00:00', '2027-02-28T00:00:00', '2027-03-31T00:00:00']],
    ['0 0 1,L 2 *', 'UTC', '2028-01-15T00:00:00Z', ['2028-02-01T00:00:00', '2028-02-29T00:00:00']],
    ['0 0 lw * *', 'UTC', '2026-10-15T00:00:00Z', ['2026-10-30T00:00:00', '2026-11-30T00:00:00', '2026-12-31T00:00:00']],
    ['0 0 LW 1 *', 'UTC', '2027-01-01T00:00:00Z', ['2027-01-29T00:00:00', '2028-01-31T00:00:00']],
    ['0 0 15W 8-11 *', 'UTC', '2026-08-01T00:00:00Z', ['2026-08-14T00:00:00', '2026-09-15T00:00:00', '2026-10-15T00:00:00']],
    ['0 0 15W 11 *', 'UTC', '2026-11-01T00:00:00Z', ['2026-11-16T00:00:00']],
    ['0 0 1W 8 *', 'UTC', '2026-07-15T00:00:00Z', ['2026-08-03T00:00:00']],
    ['0 0 31W * *', 'UTC', '2026-01-01T00:00:00Z', ['2026-01-30T00:00:00', '2026-03-31T00:00:00', '2026-05-29T00:00:00']],
    ['0 9 * * 5L', 'UTC', '2026-11-24T00:00:00Z', ['2026-11-27T09:00:00', '2026-12-25T09:00:00', '2027-01-29T09:00:00']],
    ['0 9 * * sunl', 'UTC', '2026-11-24T00:00:00Z', ['2026-11-29T09:00:00', '2026-12-27T09:00:00']],
    ['0 9 * * 5#3', 'UTC', '2026-11-01T00:00:00Z', ['2026-11-20T09:00:00', '2026-12-18T09:00:00']],
    ['0 9 * * mon#1,wed', 'UTC', '2026-11-01T00:00:00Z', ['2026-11-02T09:00:00', '2026-11-04T09:00:00', '2026-11-11T09:00:00']],
    ['0 9 * * 7#5', 'UTC', '2026-11-01T00:00:00Z', ['2026-11-29T09:00:00', '2027-01-31T09:00:00']],
    // As always, either is enough.
    ['0 0 L * 5#1', 'UTC', '2026-11-01T00:00:00Z', ['2026-11-06T00:00:00', '2026-11-30T00:00:00', '2026-12-04T00:00:00']],
  ])('%s in %s after %s', (line, zone, from, expected) =>
    expect(occurrences(parseCron(line), zone, from, expected.length)).toEqual(expected),
  )

  it.each<[string, string]>([
    ['* * * *', 'five fields'],
    ['60 * * * *', '"60" as minute: must be 0 to 59'],
    ['* 24 * * *', '"24" as hour'],
    ['* * 0 * *', '"0" as day of the month: must be 1 to 31'],
    ['* * * 13 *', '"13" as month'],
    ['* * * * 8', '"8" as day of the week'],
    ['5-1 * * * *', '"5-1" as minute'],
    ['*/0 * * * *', '"*/0" as minute'],
    ['*-5 * * * *', '"*-5" as minute'],
    ['* * * foo *', '"foo" as month'],
    ['a,b * * * *', '"a" as minute'],
    ['0 0 32W * *', '"32W" as day of the month: must be 1 to 31, a range such as 1-31, * or */n, L, LW or 15W'],
    ['0 0 LL * *', '"LL" as day of the month'],
    ['L * * * *', '"L" as minute'],
    ['0 0 * * L', '"L" as day of the week: must be 0 to 7, a range such as 0-7, * or */n, 5L or 5#3'],
    ['0 0 * * 5#6', '"5#6" as day of the week'],
    ['0 0 * * 8L', '"8L" as day of the week'],
    ['0 0 * * fooL', '"fooL" as day of the week'],
  ])('%s is refused with its fault', (line, fault) => expect(parseCron(line)).toContain(fault))
})

describe('cron over a change of the clock', () => {
  const CHANGES = [
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['America/New_York', '2026-11-01T06:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['Antarctica/Troll', '2026-10-25T01:00:00Z'],
  ] as const
  const minute = fc.constantFrom('*', '*/7', '*/30', '0', '15', '30,45')
  const hour = fc.constantFrom('*', '*/2', '1', '2', '3', '0-3')

  /** Minute by minute what the clock shows from six hours before to six hours after the change. */
  function expected(line: string, zone: string, changeMs: number): number[] {
    const { minutes, hours, overChange } = parseCron(line) as Calendar
    const isDue = (localMs: number) => {
      const local = new Date(localMs)
      return minutes.includes(local.getUTCMinutes()) && hours.includes(local.getUTCHours())
    }
    const shown = new Set<number>()
    const found: number[] = []
    const from = changeMs - 6 * 3_600_000
    let lastMs = from + offsetMs(zone, from) - 60_000
    for (let atMs = from; atMs < changeMs + 6 * 3_600_000; atMs += 60_000) {
      const localMs = atMs + offsetMs(zone, atMs)
      let isSkippedDue = false
      for (let between = lastMs + 60_000; between < localMs; between += 60_000) isSkippedDue ||= isDue(between)
      const isStar = overChange === 'as the clock shows'
      if ((isDue(localMs) && (isStar || !shown.has(localMs))) || (isSkippedDue && !isStar)) found.push(atMs)
      shown.add(localMs)
      lastMs = localMs
    }
    return found
  }

  it.each(CHANGES)('in %s at %s every line runs as cron runs it', (zone, change) => {
    const changeMs = Date.parse(change)
    fc.assert(
      fc.property(minute, hour, (minutes, hours) => {
        const line = `${minutes} ${hours} * * *`
        const found: number[] = []
        let atMs: number | undefined = changeMs - 6 * 3_600_000 - 1
        for (;;) {
          atMs = nextOccurrence(parseCron(line) as Calendar, zone, atMs)
          if (atMs === undefined || atMs >= changeMs + 6 * 3_600_000) break
          found.push(atMs)
        }
        expect([line, found]).toEqual([line, expected(line, zone, changeMs)])
      }),
      { numRuns: 6 },
    )
  })
})

describe('an OnCalendar expression', () => {
  it.each<[string, string, string, string[]]>([
    ['hourly', 'UTC', '2026-11-24T10:07:00Z', ['2026-11-24T11:00:00', '2026-11-24T12:00:00']],
    ['Mon..Fri 10:00', 'UTC', '2026-11-27T10:00:00Z', ['2026-11-30T10:00:00', '2026-12-01T10:00:00']],
    ['Wed, 17:48', 'UTC', '2026-11-24T10:07:00Z', ['2026-11-25T17:48:00']],
    ['Mon *-05~07/1', 'UTC', '2026-11-24T00:00:00Z', ['2027-05-31T00:00:00', '2028-05-29T00:00:00']],
    ['*-*~1', 'UTC', '2026-11-24T00:00:00Z', ['2026-11-30T00:00:00', '2026-12-31T00:00:00']],
    ['*-2~03', 'UTC', '2026-11-24T00:00:00Z', ['2027-02-26T00:00:00', '2028-02-27T00:00:00']],
    ['*:0/30', 'Europe/Berlin', '2026-10-25T00:10:00Z', ['2026-10-25T00:30:00', '2026-10-25T02:00:00']],
    ['02:30', 'Europe/Berlin', '2026-03-28T12:00:00Z', ['2026-03-30T00:30:00']],
  ])('%s in %s after %s', (expression, zone, from, expected) =>
    expect(occurrences(parseOnCalendar(expression), zone, from, expected.length)).toEqual(expected),
  )

  it.each<[string, string]>([
    ['', 'must not be empty'],
    ['12', '"12" as date'],
    ['2020-1', '"2020" as month'],
    ['1/4', '"1/4" as date'],
    ['*-*-* 25:00', '"25" as hour: must be 0 to 23'],
    ['2..1:00', '"2..1" as hour'],
    ['Fri..Mon', '"Fri..Mon" as weekday'],
    ['Mon, Tue', '"Tue" as date'],
    ['Mon,, 10:00', '"" as weekday'],
    ['*/5:00', '"*/5" as hour'],
    ['*:0/0', '"0/0" as minute'],
    ['*-*-10/40 0:0', '"10/40" as day'],
    ['05:40:23.42', '"23.42" as second'],
    ['10:00 Europe/Berlin', 'must not name a time zone (Europe/Berlin)'],
    ['10:00 x y', 'must not name a time zone (x)'],
  ])('%s is refused with its fault', (expression, fault) => expect(parseOnCalendar(expression)).toContain(fault))
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata']

const part = (minimum: number, maximum: number) => {
  const number = fc.integer({ min: minimum, max: maximum })
  // systemd misses days of a list that has a range of one number.
  const range = fc
    .uniqueArray(number, { minLength: 2, maxLength: 2 })
    .chain(([one, other]) =>
      fc.tuple(
        fc.constant(one as number),
        fc.constant(other as number),
        fc.option(fc.integer({ min: 1, max: Math.min(maximum, 9) })),
      ),
    )
    .map(([one, other, step]) => `${Math.min(one, other)}..${Math.max(one, other)}${step === null ? '' : `/${step}`}`)
  const stepped = fc.tuple(number, fc.integer({ min: 1, max: Math.min(maximum, 9) })).map(([from, step]) => `${from}/${step}`)
  const one = fc.oneof(number.map(String), range, stepped)
  return fc.oneof(
    fc.constant('*'),
    one,
    fc.array(one, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(',')),
  )
}
const expressions = fc
  .tuple(
    fc.constantFrom('', '', 'Mon ', 'Mon..Fri ', 'Sat,Sun ', 'Tue,Thu..Sat ', 'Wed, ', 'Mon..Fri, '),
    fc.constantFrom('*', '*', '2026..2030', '2027/2'),
    part(1, 12),
    fc.constantFrom('-', '-', '~'),
    part(1, 28),
    part(0, 23),
    part(0, 59),
  )
  .map(([weekdays, year, month, before, day, hour, minute]) => `${weekdays}${year}-${month}${before}${day} ${hour}:${minute}:00`)
/** Around both changes of the clock, and on any day. */
const instants = fc.oneof(
  fc.constantFrom('2026-03-28T22:10:00Z', '2026-10-24T22:10:00Z', '2026-11-01T03:00:00Z', '2026-04-04T10:00:00Z'),
  fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2028, 0) }).map((ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`),
)

describe.runIf(hasSystemd)('next to systemd-analyze', () => {
  it('any expression has the same next occurrences', () => {
    fc.assert(
      fc.property(expressions, fc.constantFrom(...ZONES), instants, (expression, zone, from) => {
        const base = `${from.slice(0, 19).replace('T', ' ')} UTC`
        const { stdout, status } = spawnSync(
          'systemd-analyze',
          ['calendar', '--iterations=5', `--base-time=${base}`, expression],
          {
            encoding: 'utf8',
            env: { ...process.env, TZ: zone, LC_ALL: 'C' },
          },
        )
        // It refuses some that are clear, as a single value with a step beyond the maximum.
        fc.pre(status === 0)
        // In UTC it prints no second line.
        const lines = zone === 'UTC' ? stdout.match(/(?:elapse|Iter\. #\d+): .* UTC/g) : stdout.match(/\(in UTC\): .* UTC/g)
        const theirs = (lines ?? []).map((line) => line.replace(/^.*(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$/, '$1T$2'))
        // It misses the first hours after a change of the year.
        const ofYear = (times: readonly string[]) => times.filter((time) => time < `${from.slice(0, 4)}-12-30`)
        expect(ofYear(occurrences(parseOnCalendar(expression), zone, from, 5))).toEqual(ofYear(theirs))
      }),
      { numRuns: 150 },
    )
  })
})
