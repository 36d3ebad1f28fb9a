import { METRIC_PERIODS, type MetricPeriod, STATS_PERIODS, type StatsPeriod } from '@vedette/shared/tables'

/** The time range of a chart: a period that ends now, or two times. In the URL as `range=24h` or `from=…&to=…`. */
export type Range = { period: string } | { from: number; to: number }

export const SERVER_PERIODS = Object.keys(METRIC_PERIODS) as MetricPeriod[]
export const MONITOR_PERIODS = Object.keys(STATS_PERIODS) as StatsPeriod[]
const PERIOD_MS: Readonly<Record<string, number>> = { ...METRIC_PERIODS, ...STATS_PERIODS }

export interface RangeSearch {
  range?: string
  from?: number
  to?: number
}

/** Reads the range of a query string; anything else is left out. */
export function rangeSearch(search: Record<string, unknown>, periods: readonly string[]): RangeSearch {
  const { range } = search
  const [from, to] = [Number(search['from']), Number(search['to'])]
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from > 0 && to - from >= 60_000) return { from, to }
  return typeof range === 'string' && periods.includes(range) ? { range } : {}
}

export function rangeOf({ range, from, to }: RangeSearch, fallback: string): Range {
  return from !== undefined && to !== undefined ? { from, to } : { period: range ?? fallback }
}

/** The query parameters of the API for a range. */
export function rangeQuery<Period extends string>(
  range: Range,
  periods: readonly Period[],
): { period?: Period } | { from: string; to: string } {
  if ('period' in range) {
    const period = periods.find((each) => each === range.period)
    return period === undefined ? {} : { period }
  }
  return { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }
}

export const rangeKey = (range: Range): string => ('period' in range ? range.period : `${range.from}-${range.to}`)

/** How often to read a range again: one that ends now gets a new point, one that has ended does not change. */
export function refreshMs(range: Range, points: number): number | false {
  if (!('period' in range)) return false
  return Math.max(15_000, Math.round((PERIOD_MS[range.period] ?? 0) / points / 2))
}
