import { DAY_MS, HOUR_MS, type LayerRestriction, offsetMs, WEEKDAYS } from '@vedette/shared'
import { joined, type Span } from './spans.ts'
import { quickInstantOf } from './zone.ts'

/** The spans of hours of the week, of all local days that touch a range. They may reach beyond it. Pure. */
export function hoursIn(timeZone: string, hours: readonly LayerRestriction[], range: Span): Span[] {
  const localDay = (atMs: number) => Math.floor((atMs + offsetMs(timeZone, atMs)) / DAY_MS) * DAY_MS
  const last = localDay(range.toMs)
  const found: Span[] = []
  // Times that begin on the day before may reach into the range.
  for (let day = localDay(range.fromMs) - DAY_MS; day <= last; day += DAY_MS) {
    const weekday = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] as (typeof WEEKDAYS)[number]
    for (const { days, from, to } of hours) {
      if (!days.includes(weekday)) continue
      const [begin, end] = [day + clockMs(from), day + clockMs(to)]
      const [fromMs, toMs] = [begin, end > begin ? end : end + DAY_MS].map((ms) => instantIn(timeZone, ms)) as [number, number]
      // Not where it begins in the hour that daylight saving skips, and ends right after it.
      if (fromMs < toMs) found.push({ fromMs, toMs })
    }
  }
  return joined(found)
}

/** A time that daylight saving skips is the one an hour later. */
const instantIn = (timeZone: string, localMs: number): number =>
  quickInstantOf(timeZone, localMs) ?? quickInstantOf(timeZone, localMs + HOUR_MS) ?? localMs

const clockMs = (text: string): number => Number(text.slice(0, 2)) * HOUR_MS + Number(text.slice(3)) * 60_000
