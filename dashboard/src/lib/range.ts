import { DAY_MS, HOUR_MS, MINUTE_MS } from '@vedette/shared/tables'

/** The time range of a chart: a period that ends now, or two times. In the URL as `range=24h` or `from=…&to=…`. */
export type Range = { period: Period } | { from: number; to: number }

/** What the pages offer, in ms. The longest is what is stored. */
export const PERIOD_MS = {
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '400d': 400 * DAY_MS,
} as const
export type Period = keyof typeof PERIOD_MS
export const PERIODS = Object.keys(PERIOD_MS) as Period[]

/** Shorter and longer ranges are refused by the pages. */
export const RANGE_MS = { least: MINUTE_MS, most: PERIOD_MS['400d'] } as const

export interface RangeSearch {
  range?: Period
  from?: number
  to?: number
}

/** Reads the range of a query string; anything else is left out. */
export function rangeSearch(search: Record<string, unknown>): RangeSearch {
  const [from, to] = [Number(search['from']), Number(search['to'])]
  if (isRange(from, to)) return { from, to }
  const range = PERIODS.find((period) => period === search['range'])
  return range === undefined ? {} : { range }
}

export interface ComparedSearch extends RangeSearch {
  /** `week`, or the id of another server. */
  compare?: string
}

export function comparedSearch(search: Record<string, unknown>): ComparedSearch {
  const { compare } = search
  return { ...rangeSearch(search), ...(typeof compare === 'string' && /^(?:week|srv_\w+)$/.test(compare) ? { compare } : {}) }
}

export const isRange = (from: number, to: number): boolean =>
  Number.isSafeInteger(from) && Number.isSafeInteger(to) && from > 0 && to - from >= RANGE_MS.least && to - from <= RANGE_MS.most

export function rangeOf({ range, from, to }: RangeSearch, fallback: Period): Range {
  return from !== undefined && to !== undefined ? { from, to } : { period: range ?? fallback }
}

/** What a page shows of a thing before somebody chooses: the shortest period that covers its life, at most `longest`; so much too while its beginning is unknown (NaN). */
export const defaultPeriod = (bornMs: number, nowMs: number, longest: Period): Period =>
  PERIODS.find((period) => PERIOD_MS[period] >= nowMs - bornMs || period === longest) ?? longest

/** The query parameters of the API for a range; `known` are the periods that it takes by name. */
export function rangeQuery<Name extends string>(
  range: Range,
  known: Readonly<Record<Name, number>>,
  nowMs: number,
): { period: Name } | { from: string; to: string } {
  if ('period' in range && range.period in known) return { period: range.period as string as Name }
  const { from, to } = boundsOf(range, nowMs)
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

export const boundsOf = (range: Range, nowMs: number): { from: number; to: number } =>
  'period' in range ? { from: nowMs - PERIOD_MS[range.period], to: nowMs } : range

/** The range of the same length before (-1) or after (1); one that would end in the last hundredth of its length, or in the future, ends now. */
export function shiftedRange(range: Range, direction: -1 | 1, nowMs: number): RangeSearch {
  const { from, to } = boundsOf(range, nowMs)
  const span = to - from
  if (to + direction * span < nowMs - span / 100) return { from: from + direction * span, to: to + direction * span }
  const period = PERIODS.find((each) => PERIOD_MS[each] === span)
  return period === undefined ? { from: nowMs - span, to: nowMs } : { range: period }
}

export const rangeKey = (range: Range): string => ('period' in range ? range.period : `${range.from}-${range.to}`)

/** How often to read a range again: one that ends now gets a new point, one that has ended does not change. */
export function refreshMs(range: Range, points: number): number | false {
  if (!('period' in range)) return false
  return Math.max(15_000, Math.round(PERIOD_MS[range.period] / points / 2))
}
