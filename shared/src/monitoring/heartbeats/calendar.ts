import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../wire/durations.ts'
import { endOfGap, instantOf, instantsOf, offsetMs } from '../../wire/local-time.ts'

/** Numbers of one part of a calendar: `start`, and with `step` every step-th up to `end` or the part's maximum. */
export interface CalendarRange {
  start: number
  end: number | undefined
  step: number | undefined
}

/** A day that each month has elsewhere: its last one, its last one from Monday to Friday, or the one of these nearest to a day. */
export type MovingDay = 'last' | 'last workday' | { nearest: number }

/** The first to fifth of a weekday in a month, or its last one. */
export interface WeekdayOfMonth {
  /** 0 is Monday. */
  weekday: number
  nth: number | 'last'
}

/** The local times of a schedule: what cron lines and OnCalendar expressions become. */
export interface Calendar {
  years: ReadonlySet<number>
  months: ReadonlySet<number>
  days: readonly CalendarRange[]
  /** The days count from the end of the month: 1 is the last one. */
  countsFromEnd: boolean
  /** In addition to `days`. */
  movingDays?: readonly MovingDay[]
  /** 0 is Monday. */
  weekdays: ReadonlySet<number>
  /** In addition to `weekdays`. */
  weekdaysOfMonth?: readonly WeekdayOfMonth[]
  /** A day needs to match its number or its weekday, as in cron, not both. */
  matchesEither: boolean
  /** Seconds of the day, ascending. */
  hours: readonly number[]
  minutes: readonly number[]
  seconds: readonly number[]
  /**
   * A local time that a change of the clock skips or repeats. `once`: as systemd, a skipped one does not occur, a repeated one occurs
   * first. `after the gap`: as cron's lines with a fixed time, a skipped one occurs at the end of the gap. `as the clock shows`: as
   * cron's lines with a `*`, as often as the clock shows it.
   */
  overChange: 'once' | 'after the gap' | 'as the clock shows'
}

export const YEARS = { minimum: 1970, maximum: 2199 } as const

/** No zone sets its clock back by more. */
const MAX_CHANGE_MS = 3 * HOUR_MS

/** The first occurrence after an instant, ms; undefined: there is none before 2200. Pure. */
export function nextOccurrence(calendar: Calendar, timeZone: string, afterMs: number): number | undefined {
  const offsetAt = (fromAfterMs: number) => offsetMs(timeZone, afterMs + fromAfterMs)
  const localMs = afterMs + offsetAt(0)
  const mayRepeat = calendar.overChange === 'as the clock shows' && offsetAt(-MAX_CHANGE_MS) !== offsetAt(MAX_CHANGE_MS)
  if (mayRepeat) return nextShown(calendar, timeZone, afterMs, localMs)
  for (const timeMs of localTimesAfter(calendar, localMs)) {
    const skipped = () => (calendar.overChange === 'after the gap' ? endOfGap(timeZone, timeMs) : undefined)
    const instantMs = instantOf(timeZone, timeMs) ?? skipped()
    if (instantMs !== undefined && instantMs > afterMs) return instantMs
  }
  return undefined
}

/** Next to a change of the clock: the earliest of all instants at which it shows one of the times. */
function nextShown(calendar: Calendar, timeZone: string, afterMs: number, localMs: number): number | undefined {
  let nextMs: number | undefined
  for (const timeMs of localTimesAfter(calendar, localMs - MAX_CHANGE_MS)) {
    // No later time is shown sooner.
    if (nextMs !== undefined && timeMs > nextMs + offsetMs(timeZone, nextMs) + MAX_CHANGE_MS) break
    for (const instantMs of instantsOf(timeZone, timeMs))
      if (instantMs > afterMs) nextMs = Math.min(nextMs ?? instantMs, instantMs)
  }
  return nextMs
}

/** Local times of the calendar after this one, as if they were UTC, ascending. */
function* localTimesAfter(calendar: Calendar, localMs: number) {
  const firstDayMs = Math.floor(localMs / DAY_MS) * DAY_MS
  for (const dayMs of daysFrom(calendar, firstDayMs))
    for (const timeMs of timesAfter(calendar, dayMs === firstDayMs ? localMs - dayMs : -1)) yield dayMs + timeMs
}

/** The matching days from this one on, as midnights of UTC. */
function* daysFrom(calendar: Calendar, firstDayMs: number) {
  const { years, months, days, countsFromEnd, movingDays = [], weekdays, weekdaysOfMonth = [], matchesEither } = calendar
  const first = new Date(firstDayMs)
  for (let year = first.getUTCFullYear(); year <= YEARS.maximum; year += 1) {
    if (!years.has(year)) continue
    for (let month = 1; month <= 12; month += 1) {
      if (!months.has(month)) continue
      const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
      const weekdayOf = (day: number) => (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7
      const numbers = daysOfMonth(days, countsFromEnd, last)
      for (const moving of movingDays) numbers.add(movingDayOf(moving, last, weekdayOf))
      for (let day = 1; day <= last; day += 1) {
        const dayMs = Date.UTC(year, month - 1, day)
        if (dayMs < firstDayMs) continue
        const isDay = numbers.has(day)
        const weekday = weekdayOf(day)
        const isNamed = (one: WeekdayOfMonth) =>
          one.weekday === weekday && (one.nth === 'last' ? day + 7 > last : Math.ceil(day / 7) === one.nth)
        const isWeekday = weekdays.has(weekday) || weekdaysOfMonth.some(isNamed)
        if (matchesEither ? isDay || isWeekday : isDay && isWeekday) yield dayMs
      }
    }
  }
}

/** NaN where the month does not have the day. A workday is never in another month than the day that it stands for. */
function movingDayOf(moving: MovingDay, last: number, weekdayOf: (day: number) => number): number {
  if (moving === 'last') return last
  const day = moving === 'last workday' ? last : moving.nearest
  if (day > last) return Number.NaN
  const beyondFriday = weekdayOf(day) - 4
  if (beyondFriday <= 0) return day
  // Saturday is nearer to the Friday, Sunday to the Monday.
  const nearest = beyondFriday === 1 ? day - 1 : day + 1
  if (nearest < 1) return day + 2
  return nearest > last || moving === 'last workday' ? day - beyondFriday : nearest
}

function daysOfMonth(ranges: readonly CalendarRange[], countsFromEnd: boolean, last: number): Set<number> {
  if (!countsFromEnd) return expand(ranges, last)
  const fromEnd = (day: number) => last + 1 - day
  return expand(
    ranges.map(({ start, end, step }) =>
      end === undefined ? { start: fromEnd(start), end, step } : { start: fromEnd(end), end: fromEnd(start), step },
    ),
    last,
  )
}

/** The numbers of these ranges from 0 to `maximum`. */
export function expand(ranges: readonly CalendarRange[], maximum: number): Set<number> {
  const numbers = new Set<number>()
  for (const { start, end, step } of ranges)
    for (let number = start; number <= Math.min(end ?? (step === undefined ? start : maximum), maximum); number += step ?? 1)
      if (number >= 0) numbers.add(number)
  return numbers
}

/** Times of day after this one, ms, ascending. */
function* timesAfter({ hours, minutes, seconds }: Calendar, beforeMs: number) {
  for (const hour of hours) {
    if ((hour + 1) * HOUR_MS <= beforeMs) continue
    for (const minute of minutes) {
      if (hour * HOUR_MS + (minute + 1) * MINUTE_MS <= beforeMs) continue
      for (const second of seconds) {
        const timeMs = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS
        if (timeMs > beforeMs) yield timeMs
      }
    }
  }
}
