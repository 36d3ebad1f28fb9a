import { DAY_MS, HOUR_MS, instantOf, type LayerRestriction, offsetMs, WEEKDAYS } from '@vedette/shared'
import { joined, type Span } from './spans.ts'

/** The spans of hours of the week, of all local days that touch a range. They may reach beyond it. Pure. */
export function hoursIn(timeZone: string, hours: readonly LayerRestriction[], range: Span): Span[] {
  const localDay = (atMs: number) => Math.floor((atMs + offsetMs(timeZone, atMs)) / DAY_MS) * DAY_MS
  const last = localDay(range.toMs)
  const found: Span[] = []
  // Times that begin on the day before may reach into the range.
  for (let day = localDay(range.fromMs) - DAY_MS; day <= last; day += DAY_MS) {
    const toInstant = instantsAround(timeZone, day)
    const weekday = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] as (typeof WEEKDAYS)[number]
    for (const { days, from, to } of hours) {
      if (!days.includes(weekday)) continue
      const [begin, end] = [day + clockMs(from), day + clockMs(to)]
      const [fromMs, toMs] = [toInstant(begin), toInstant(end > begin ? end : end + DAY_MS)]
      // Not where it begins in the hour that daylight saving skips, and ends right after it.
      if (fromMs < toMs) found.push({ fromMs, toMs })
    }
  }
  return joined(found)
}

const clockMs = (text: string): number => Number(text.slice(0, 2)) * HOUR_MS + Number(text.slice(3)) * 60_000

/**
 * Makes local times of a day and the next one instants; a time that daylight saving skips is the one an hour later. Far from a change
 * of the clock it is a subtraction: a search for each time of ten layers with ten restrictions took 0.3 s for 92 days.
 */
function instantsAround(timeZone: string, day: number): (localMs: number) => number {
  const [before, between, after] = [-DAY_MS, DAY_MS, 3 * DAY_MS].map((distance) => offsetMs(timeZone, day + distance))
  if (before === between && between === after) return (localMs) => localMs - (before as number)
  return (localMs) => instantOf(timeZone, localMs) ?? instantOf(timeZone, localMs + HOUR_MS) ?? localMs
}
