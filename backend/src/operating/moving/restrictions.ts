import { type LayerRestriction, offsetMs, WEEKDAYS } from '@vedette/shared'

export const DAY_MINUTES = 24 * 60
export const WEEK_MINUTES = 7 * DAY_MINUTES

/** A time of each week, in minutes of local time from Monday 00:00. It may go on into the next week. */
export interface WeekSpan {
  from: number
  /** Up to a week. */
  minutes: number
}

const clock = (minute: number): string => {
  const ofDay = minute % DAY_MINUTES
  return `${String(Math.floor(ofDay / 60)).padStart(2, '0')}:${String(ofDay % 60).padStart(2, '0')}`
}

/** The span from a time of the week to a later one; of the same time: a whole week. */
export const spanOf = (from: number, to: number): WeekSpan => ({
  from,
  minutes: (to - from + WEEK_MINUTES) % WEEK_MINUTES || WEEK_MINUTES,
})

/** Parts that are no longer than a day: longer ones are split at midnight. */
function partsOf({ from, minutes }: WeekSpan): WeekSpan[] {
  if (minutes <= DAY_MINUTES) return [{ from, minutes }]
  const parts: WeekSpan[] = []
  for (let at = from; at < from + minutes; ) {
    const midnight = (Math.floor(at / DAY_MINUTES) + 1) * DAY_MINUTES
    const end = Math.min(midnight, from + minutes)
    parts.push({ from: at % WEEK_MINUTES, minutes: end - at })
    at = end
  }
  return parts
}

/** Hours by day, as layers have them: those of the same times are one. Empty: always. */
export function restrictionsOf(spans: readonly WeekSpan[]): LayerRestriction[] {
  if (spans.some(({ minutes }) => minutes >= WEEK_MINUTES)) return []
  const byTimes = new Map<string, Set<number>>()
  for (const { from, minutes } of spans.flatMap(partsOf)) {
    const key = `${clock(from)} ${clock(from + minutes)}`
    byTimes.set(key, (byTimes.get(key) ?? new Set()).add(Math.floor(from / DAY_MINUTES)))
  }
  const found = [...byTimes].map(([key, days]) => {
    const [from = '', to = ''] = key.split(' ')
    return { days: WEEKDAYS.filter((_, day) => days.has(day)), from, to }
  })
  return found.some(({ days, from, to }) => days.length === WEEKDAYS.length && from === to) ? [] : found
}

/** Whether two lists of times of the week have a minute in common; an empty list is always. */
export function overlaps(some: readonly WeekSpan[], others: readonly WeekSpan[]): boolean {
  const whole: WeekSpan[] = [{ from: 0, minutes: WEEK_MINUTES }]
  const meets = (one: WeekSpan, other: WeekSpan) =>
    [-WEEK_MINUTES, 0, WEEK_MINUTES].some(
      (shift) => one.from < other.from + shift + other.minutes && other.from + shift < one.from + one.minutes,
    )
  const [first, second] = [some, others].map((spans) => (spans.length === 0 ? whole : spans)) as [WeekSpan[], WeekSpan[]]
  return first.some((one) => second.some((other) => meets(one, other)))
}

/** Minutes of local time since Monday. */
export function weekMinuteOf(ms: number, zone: string): number {
  const date = new Date(ms + offsetMs(zone, ms))
  return ((date.getUTCDay() + 6) % 7) * DAY_MINUTES + date.getUTCHours() * 60 + date.getUTCMinutes()
}
