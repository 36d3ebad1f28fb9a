import type { CapacityForecast } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import type { Line } from '../../components/chart/types.ts'
import { entities } from '../../messages/entities.ts'

const text = entities.forecast

/** Further ahead the days that were measured would be a small part of the chart. */
const MAX_AHEAD_DAYS = 60

/** The daily maxima, and the line on from the last of them with its interval. Undefined where there is no forecast. Pure. */
export function forecastChart(forecast: CapacityForecast): { from: number; lines: Line[] } | undefined {
  const { days, days_until_full: until, earliest_days: earliest, latest_days: latest, percent_per_day: slope } = forecast
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || until === null || earliest === null || slope === null) return undefined
  const from = Date.parse(first.date)
  const dayOf = (date: string) => Math.round((Date.parse(date) - from) / DAY_MS)
  const lastDay = dayOf(last.date)
  const ahead = Math.min(MAX_AHEAD_DAYS, Math.ceil(latest ?? until) + 1)
  const empty = () => Array.from({ length: lastDay + 1 + ahead }, (): number | null => null)
  const measured = empty()
  for (const { date, percent } of days) measured[dayOf(date)] = percent
  // Where the line is on the last day: not at its maximum, but at what the days around it say.
  const level = Math.max(0, 100 - slope * until)
  // Full within minutes is drawn as a rise within the day: a line by zero days would have no slope.
  const growing = (fullAfter: number | null) =>
    empty().map((_, day) =>
      day < lastDay
        ? null
        : Math.min(100, level + (fullAfter === null ? 0 : ((100 - level) / Math.max(fullAfter, 0.01)) * (day - lastDay))),
    )
  return {
    from,
    lines: [
      { label: text.line, color: 2, values: growing(until), dashed: true },
      { label: text.earliest, color: 2, values: growing(earliest), faint: true },
      { label: text.latest, color: 2, values: growing(latest), faint: true },
      { label: text.measured, color: 1, values: measured, figures: measured.slice(0, lastDay + 1) },
    ],
  }
}
