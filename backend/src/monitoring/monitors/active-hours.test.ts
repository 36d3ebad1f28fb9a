import { type ActiveHours, DAY_MS, HOUR_MS, offsetMs, WEEKDAYS } from '@vedette/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { activeSpans, activityAt } from './active-hours.ts'

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 45))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
const days = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 7 })
const hoursOf = fc.record({ time_zone: fc.constantFrom(...ZONES), days, from: clock, to: clock })
/** Around both changes of the clock of each zone, and far from them. */
const CHANGES = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01', '2026-07-01']
const instant = fc
  .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -3 * 96, max: 3 * 96 }))
  .map(([day, quarters]) => Date.parse(`${day}T02:00:00Z`) + quarters * 900_000)

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

/** By the clock on the wall alone: right wherever no change of the clock falls into the hours. */
function isOnWall({ time_zone: zone, days: own, from, to }: ActiveHours, atMs: number): boolean {
  const local = atMs + offsetMs(zone, atMs)
  const minutes = (local % DAY_MS) / 60_000
  const weekday = (ago: number) => WEEKDAYS[(new Date(local - ago * DAY_MS).getUTCDay() + 6) % 7] as ActiveHours['days'][number]
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  if (begin < end) return own.includes(weekday(0)) && begin <= minutes && minutes < end
  return (own.includes(weekday(0)) && begin <= minutes) || (own.includes(weekday(1)) && minutes < end)
}
/** Whether the offset of the zone changes within a day of an instant. */
const isNearChange = (zone: string, atMs: number) => offsetMs(zone, atMs - DAY_MS) !== offsetMs(zone, atMs + DAY_MS)

describe('the active time of a monitor', () => {
  it('is what the clock on the wall says', () => {
    fc.assert(
      fc.property(fc.array(hoursOf, { minLength: 1, maxLength: 3 }), instant, (hours, atMs) => {
        fc.pre(hours.every(({ time_zone: zone }) => !isNearChange(zone, atMs)))
        expect(activityAt(hours, atMs).isActive).toBe(hours.some((one) => isOnWall(one, atMs)))
      }),
      { numRuns: 500 },
    )
  })

  it('is the same by instants as by spans, and stays until it says, also over changes of the clock', () => {
    fc.assert(
      fc.property(fc.array(hoursOf, { minLength: 1, maxLength: 10 }), instant, (hours, atMs) => {
        const { isActive, untilMs } = activityAt(hours, atMs)
        const spans = activeSpans(hours, { fromMs: atMs - DAY_MS, toMs: atMs + 16 * DAY_MS })
        const holds = (ms: number) => spans.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)
        expect(holds(atMs)).toBe(isActive)
        const until = untilMs as number
        expect(until).toBeGreaterThan(atMs)
        for (const ms of [atMs, (atMs + until) / 2, until - 1]) expect(holds(ms)).toBe(isActive)
        expect(until >= atMs + 8 * DAY_MS || holds(until) !== isActive).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  const weekdays = { time_zone: 'Europe/Berlin', days: WEEKDAYS.slice(0, 5), from: '08:00', to: '18:00' }
  const at = (text: string) => Date.parse(text)

  it('always is without hours', () => expect(activityAt([], 0)).toEqual({ isActive: true, untilMs: null }))

  it('ends with the week, and begins with the next one, an hour earlier after the change of the clock', () => {
    expect(activityAt([weekdays], at('2026-03-27T12:00:00Z'))).toEqual({ isActive: true, untilMs: at('2026-03-27T17:00:00Z') })
    expect(activityAt([weekdays], at('2026-03-27T17:00:00Z'))).toEqual({ isActive: false, untilMs: at('2026-03-30T06:00:00Z') })
  })

  it.each([
    // Berlin, 22:00 to 06:00: seven hours in the night of March, nine in that of October.
    ['2026-03-28', '2026-03-28T21:00:00Z', '2026-03-29T04:00:00Z', 7],
    ['2026-10-24', '2026-10-24T20:00:00Z', '2026-10-25T05:00:00Z', 9],
  ])('over midnight of %s has the hours of the clock on the wall', (_day, from, to, length) => {
    const nights = { ...weekdays, days: ['SA' as const], from: '22:00', to: '06:00' }
    expect(activeSpans([nights], { fromMs: at(from), toMs: at(from) + 1 })).toEqual([{ fromMs: at(from), toMs: at(to) }])
    expect((at(to) - at(from)) / HOUR_MS).toBe(length)
  })

  it('of a whole day ends at no midnight', () => {
    const always = { ...weekdays, days: [...WEEKDAYS], from: '00:00', to: '00:00' }
    const { isActive, untilMs } = activityAt([always], at('2026-10-24T12:00:00Z'))
    expect([isActive, (untilMs as number) - at('2026-10-24T12:00:00Z') >= 15 * DAY_MS]).toEqual([true, true])
  })
})
