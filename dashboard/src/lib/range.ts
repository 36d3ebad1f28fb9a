/** What a chart shows: a period that ends now, or two instants. In the URL as `range=24h` or `from=…&to=…`. */
export type Range = { period: string } | { from: number; to: number }

export const PERIOD_MS: Readonly<Record<string, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  '90d': 7_776_000_000,
}

export const SERVER_PERIODS = ['15m', '1h', '6h', '24h', '7d'] as const
export const MONITOR_PERIODS = ['1h', '6h', '24h', '7d', '30d'] as const

export interface RangeSearch {
  range?: string
  from?: number
  to?: number
}

/** Of any query string: what is not a range is left out. */
export function rangeSearch(search: Record<string, unknown>, periods: readonly string[]): RangeSearch {
  const { range } = search
  const [from, to] = [Number(search['from']), Number(search['to'])]
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from > 0 && to - from >= 60_000) return { from, to }
  return typeof range === 'string' && periods.includes(range) ? { range } : {}
}

export function rangeOf({ range, from, to }: RangeSearch, usual: string): Range {
  return from !== undefined && to !== undefined ? { from, to } : { period: range ?? usual }
}

/** As a query of the API. */
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

/** How long data of a range stays as it is: what ended does not change, what ends now does with each point. */
export function refreshMs(range: Range, points: number): number | false {
  if (!('period' in range)) return false
  return Math.max(15_000, Math.round((PERIOD_MS[range.period] ?? 0) / points / 2))
}
