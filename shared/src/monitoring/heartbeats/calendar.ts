import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../wire/durations.ts'
import { instantOf, offsetMs } from '../../wire/local-time.ts'

/** Numbers of one part of a calendar: `start`, and with `step` every step-th up to `end` or the part's maximum. */
export interface CalendarRange {
  start: number
  end: number | undefined
  step: number | undefined
}

/** The local times of a schedule: what cron lines and OnCalendar expressions become. */
export interface Calendar {
  years: ReadonlySet<number>
  months: ReadonlySet<number>
  days: readonly CalendarRange[]
  /** The days count from the end of the month: 1 is the last one. */
  countsFromEnd: boolean
  /** 0 is Monday. */
  weekdays: ReadonlySet<number>
  /** A day needs to match its number or its weekday, as in cron, not both. */
  matchesEither: boolean
  /** Seconds of the day, ascending. */
  hours: readonly number[]
  minutes: readonly number[]
  seconds: readonly number[]
}

export const YEARS = { minimum: 1970, maximum: 2199 } as const

/**
 * The first occurrence after an instant, ms; undefined: there is none before 2200. As systemd does it: a local time that the change
 * of the clock skips does not occur, and one that it repeats occurs once, at its first instant. Pure.
 */
export function nextOccurrence(calendar: Calendar, timeZone: string, afterMs: number): number | undefined {
  const localMs = afterMs + offsetMs(timeZone, afterMs)
  const firstDayMs = Math.floor(localMs / DAY_MS) * DAY_MS
  for (const dayMs of daysFrom(calendar, firstDayMs)) {
    const beforeMs = dayMs === firstDayMs ? localMs - dayMs : -1
    for (const timeMs of timesAfter(calendar, beforeMs)) {
      const instantMs = instantOf(timeZone, dayMs + timeMs)
      if (instantMs !== undefined && instantMs > afterMs) return instantMs
    }
  }
  return undefined
}

/** The matching days from this one on, as midnights of UTC. */
function* daysFrom({ years, months, days, countsFromEnd, weekdays, matchesEither }: Calendar, firstDayMs: number) {
  const first = new Date(firstDayMs)
  for (let year = first.getUTCFullYear(); year <= YEARS.maximum; year += 1) {
    if (!years.has(year)) continue
    for (let month = 1; month <= 12; month += 1) {
      if (!months.has(month)) continue
      const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
      const numbers = daysOfMonth(days, countsFromEnd, last)
      for (let day = 1; day <= last; day += 1) {
        const dayMs = Date.UTC(year, month - 1, day)
        if (dayMs < firstDayMs) continue
        const isDay = numbers.has(day)
        const isWeekday = weekdays.has((new Date(dayMs).getUTCDay() + 6) % 7)
        if (matchesEither ? isDay || isWeekday : isDay && isWeekday) yield dayMs
      }
    }
  }
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
