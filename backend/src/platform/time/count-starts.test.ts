import { DAY_MS, offsetMs } from '@vedette/shared'
import fc from 'fast-check'
import { RRuleTemporal } from 'rrule-temporal'
import { describe, expect, it } from 'vitest'
import { countStarts, endOfWindow, nextStart, occurrencesIn, type Recurrence } from './recurrence.ts'

/** All starts until an instant, one after the other from the first one. */
function startsUntil({ starts_at: start, repeat, time_zone: zone }: Recurrence, toMs: number): number[] {
  const local = new Date(start.getTime() + offsetMs(zone, start.getTime())).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  const rruleString = `DTSTART;TZID=${zone}:${local}\nRRULE:${repeat}`
  const rule = new RRuleTemporal({ rruleString, maxIterations: 100_000, cache: false })
  const found = rule.between(start, new Date(toMs), true).map(({ epochMilliseconds: ms }) => ms)
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
const days = fc.uniqueArray(fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'), { minLength: 1, maxLength: 7 })
const YEAR = 365 * DAY_MS
const layers = fc
  .record({
    freq: fc.constantFrom('DAILY', 'WEEKLY'),
    interval: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    byDay: fc.option(days, { nil: undefined }),
    months: fc.option(fc.constantFrom('3', '2,10', '1,4,7'), { nil: undefined, freq: 1 }),
    monthDays: fc.option(fc.constantFrom('1', '-1', '29', '31', '29,-3'), { nil: undefined, freq: 1 }),
    weekStart: fc.option(fc.constantFrom('MO', 'SU', 'TH'), { nil: undefined }),
    end: fc.option(
      fc.oneof(fc.integer({ min: 1, max: 999 }), fc.constantFrom('20180101T000000Z', '20150329T013000Z', '20200229T120000Z')),
      {
        nil: undefined,
      },
    ),
    zone: fc.constantFrom(...ZONES),
    startDay: fc.integer({ min: 0, max: 1_500 }),
    // Most changes of the clock are in these hours.
    startQuarter: fc.oneof(fc.integer({ min: 0, max: 95 }), fc.integer({ min: 0, max: 14 })),
    fromMs: fc.integer({ min: 0, max: 12 * YEAR }),
    days: fc.integer({ min: 0, max: 92 }),
  })
  .map(({ freq, interval, byDay, months, monthDays, weekStart, end, zone, startDay, startQuarter, fromMs, days: length }) => {
    const localMs = Date.UTC(2008, 0, 1) + startDay * DAY_MS + startQuarter * 15 * 60_000
    const starts = new Date(localMs - offsetMs(zone, localMs))
    const parts = [
      `FREQ=${freq}`,
      ...(interval === undefined ? [] : [`INTERVAL=${interval}`]),
      ...(byDay ? [`BYDAY=${byDay.join(',')}`] : []),
      ...(months ? [`BYMONTH=${months}`] : []),
      ...(monthDays && freq === 'DAILY' ? [`BYMONTHDAY=${monthDays}`] : []),
      ...(weekStart ? [`WKST=${weekStart}`] : []),
      ...(end === undefined ? [] : [typeof end === 'number' ? `COUNT=${end}` : `UNTIL=${end}`]),
    ]
    const window = { starts_at: starts, ends_at: new Date(starts.getTime() + 1), repeat: parts.join(';'), time_zone: zone }
    const from = starts.getTime() - 30 * DAY_MS + fromMs
    return { window, fromMs: from, toMs: from + 1 + length * DAY_MS }
  })

describe('the starts of a rule by days or weeks', () => {
  it('are counted without going through them, and are those that are counted one after the other, over changes of the clock', () => {
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

  it('are listed from a few days before the range: the same steps after ten years as after ten days', () => {
    const starts_at = new Date('2016-03-01T08:00:00Z')
    const base = { starts_at, ends_at: new Date(starts_at.getTime() + 1), time_zone: 'Europe/Berlin' }
    for (const repeat of [
      'FREQ=DAILY',
      'FREQ=DAILY;INTERVAL=3;BYDAY=MO,TU',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR',
      'FREQ=DAILY;BYMONTH=3',
    ]) {
      const steps = [10, 3_650, 7_300, 36_500].map((distance) => {
        const fromMs = starts_at.getTime() + distance * DAY_MS
        return stepsOf(() => countStarts({ ...base, repeat }, fromMs, fromMs + 1))
      })
      for (const count of steps) expect(count).toBeLessThanOrEqual(20)
    }
  })
})

/** How many starts the library lists. */
function stepsOf(work: () => unknown): number {
  const original = RRuleTemporal.prototype.between
  let steps = 0
  RRuleTemporal.prototype.between = function between(_from, to, isInclusive) {
    const found = original.call(this, new Date(0), to, isInclusive)
    steps += found.length
    return found
  }
  try {
    work()
  } finally {
    RRuleTemporal.prototype.between = original
  }
  return steps
}
