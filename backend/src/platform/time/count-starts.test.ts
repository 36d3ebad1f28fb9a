import { DAY_MS, offsetMs } from '@vedette/shared'
import fc from 'fast-check'
import { RRuleTemporal } from 'rrule-temporal'
import { describe, expect, it } from 'vitest'
import { type DayRule, eachStart, parseDayRule } from './day-rule.ts'
import { countStarts, endOfWindow, nextStart, occurrencesIn, type Recurrence } from './recurrence.ts'

/** All starts until an instant, one after the other from the first one. */
function startsUntil({ starts_at: start, repeat, time_zone: zone }: Recurrence, toMs: number): number[] {
  const local = new Date(start.getTime() + offsetMs(zone, start.getTime())).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  const rruleString = `DTSTART;TZID=${zone}:${local}\nRRULE:${repeat}`
  const rule = new RRuleTemporal({ rruleString, maxIterations: 100_000, cache: false })
  // The library cuts the period at the end of the range before it counts positions in it.
  const found = rule.between(start, new Date(toMs + 400 * DAY_MS), true).map(({ epochMilliseconds: ms }) => ms)
  return [...new Set([start.getTime(), ...found])].filter((ms) => ms < toMs)
}

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
]
const YEAR = 365 * DAY_MS
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const some = (values: readonly (string | number)[], maxLength: number) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength }).map((chosen) => chosen.join(','))
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 1 })
const monthDays = some([1, 13, 15, 29, 30, 31, -1, -3, -31], 3)
const nthDays = (numbers: readonly string[]) =>
  fc.uniqueArray(
    fc.tuple(fc.constantFrom(...numbers), fc.constantFrom(...WEEKDAYS)).map(([nth, day]) => `${nth}${day}`),
    { minLength: 1, maxLength: 4, selector: (day) => day.slice(-2) },
  )
const ofMonth = nthDays(['1', '2', '4', '5', '-1', '-2', '-5', '+3']).map((days) => days.join(','))
const ofYear = nthDays(['1', '20', '52', '-1', '-30']).map((days) => days.join(','))

/** What RFC 5545 lets each frequency have; the library that is compared with reads other parts in its own way. */
const parts = fc.oneof(
  fc.record({ FREQ: fc.constant('DAILY'), BYDAY: maybe(some(WEEKDAYS, 7)), BYMONTHDAY: maybe(monthDays) }),
  fc.record({ FREQ: fc.constant('WEEKLY'), BYDAY: maybe(some(WEEKDAYS, 7)), BYSETPOS: fc.constant(undefined) }),
  fc.record({ FREQ: fc.constant('WEEKLY'), BYDAY: some(WEEKDAYS, 7), BYSETPOS: fc.constantFrom('1', '-1') }),
  fc.record({ FREQ: fc.constant('MONTHLY'), BYMONTHDAY: maybe(monthDays) }),
  fc.record({ FREQ: fc.constant('MONTHLY'), BYMONTHDAY: monthDays, BYDAY: some(WEEKDAYS, 3) }),
  fc.record({ FREQ: fc.constant('MONTHLY'), BYDAY: ofMonth }),
  fc.record({ FREQ: fc.constant('MONTHLY'), BYDAY: some(WEEKDAYS, 7), BYSETPOS: some([1, 2, -1, -2], 3) }),
  fc.record({ FREQ: fc.constant('YEARLY'), BYMONTHDAY: maybe(monthDays) }),
  fc.record({ FREQ: fc.constant('YEARLY'), BYDAY: ofYear, BYMONTH: fc.constant(undefined) }),
  fc.record({ FREQ: fc.constant('YEARLY'), BYDAY: ofMonth, BYMONTH: some([1, 3, 10], 2) }),
)
const layers = fc
  .record({
    parts,
    months: maybe(fc.constantFrom('3', '2,10', '1,4,7')),
    interval: maybe(fc.integer({ min: 1, max: 20 })),
    weekStart: maybe(fc.constantFrom('MO', 'SU', 'TH')),
    end: maybe(
      fc.oneof(
        fc.integer({ min: 1, max: 999 }).map((count) => `COUNT=${count}`),
        fc.constantFrom('20180101T000000Z', '20150329T013000Z', '20200229T120000Z', '20160301').map((until) => `UNTIL=${until}`),
      ),
    ),
    zone: fc.constantFrom(...ZONES),
    startDay: fc.integer({ min: 0, max: 1_500 }),
    // Most changes of the clock are in these hours.
    startQuarter: fc.oneof(fc.integer({ min: 0, max: 95 }), fc.integer({ min: 0, max: 14 })),
    fromMs: fc.integer({ min: 0, max: 12 * YEAR }),
    days: fc.integer({ min: 0, max: 92 }),
  })
  .map(({ parts: given, months, interval, weekStart, end, zone: anyZone, startDay, startQuarter, fromMs, days }) => {
    // Where the clock skips a start, the library gives its position to the next day.
    const zone = 'BYSETPOS' in given ? 'Asia/Kathmandu' : anyZone
    const localMs = Date.UTC(2008, 0, 1) + startDay * DAY_MS + startQuarter * 15 * 60_000
    const starts = new Date(localMs - offsetMs(zone, localMs))
    const isByDays = ['DAILY', 'WEEKLY'].includes(given.FREQ)
    const all = { ...given, INTERVAL: interval, WKST: weekStart, ...(isByDays ? { BYMONTH: months } : {}) }
    const texts = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    const repeat = [...texts, ...(end === undefined ? [] : [end])].join(';')
    const window = { starts_at: starts, ends_at: new Date(starts.getTime() + 1), repeat, time_zone: zone }
    const from = starts.getTime() - 30 * DAY_MS + fromMs
    return { window, fromMs: from, toMs: from + 1 + days * DAY_MS }
  })

describe('the starts of a rule', () => {
  it('are those that another library lists, over changes of the clock', () => {
    fc.assert(
      fc.property(layers, ({ window, fromMs, toMs }) => {
        const all = startsUntil(window, toMs)
        const [before, after] = [all.filter((ms) => ms <= fromMs), all.filter((ms) => ms > fromMs)]
        expect(countStarts(window, fromMs, toMs)).toEqual({ before: before.length, starts: after })
        const hour = { ...window, ends_at: new Date(window.starts_at.getTime() + 36_000_000) }
        const [last, next] = [before.at(-1), after[0]]
        expect(next === undefined || nextStart(hour, fromMs) === next).toBe(true)
        const endMs = last === undefined ? undefined : last + 36_000_000
        expect(endOfWindow(hour, fromMs)).toBe(endMs !== undefined && endMs > fromMs ? endMs : undefined)
        const overlapping = all.filter((ms) => ms + 36_000_000 > fromMs)
        expect(occurrencesIn(hour, fromMs, toMs).map((one) => one.fromMs)).toEqual(overlapping)
      }),
      { numRuns: Number(process.env['TEST_RUNS'] ?? 60) },
    )
  })

  it('are searched from the range on: the same steps after ten years as after a century', () => {
    const rules = [
      'FREQ=DAILY',
      'FREQ=DAILY;INTERVAL=3;BYDAY=MO,TU',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR',
      'FREQ=DAILY;BYMONTH=3',
    ]
    for (const text of [...rules, 'FREQ=MONTHLY;BYDAY=1MO', 'FREQ=YEARLY;BYDAY=-1SU']) {
      const rule = parseDayRule(text) as DayRule
      const steps = [10, 3_650, 36_500].map((fromDay) => {
        let examined = 0
        const startOn = (day: number) => ((examined += 1), day)
        const found = [...eachStart(rule, { firstDay: 0, fromDay, toDay: fromDay + 30, startOn })]
        expect(examined - found.length, text).toBeLessThanOrEqual(32)
        return examined
      })
      for (const count of steps) expect(count, text).toBeLessThanOrEqual(63)
    }
  })
})
