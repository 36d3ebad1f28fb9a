import { PromqlError } from '../model/error.ts'
import { evaluate, matches, planQuery, writeResult } from '../index.ts'
import type { QueryWindow, SeriesData } from '../model/types.ts'
import type { ApiAnswer } from './real-prometheus.ts'

/** The answer of our engine, which gets the samples of its plan and no others. */
export function queryOurs(expression: string, window: QueryWindow, series: readonly SeriesData[]): ApiAnswer {
  try {
    const plan = planQuery(expression, window)
    const data = new Map(
      plan.selections.map(({ id, matchers, fromMs, toMs }) => [
        id,
        series.filter(({ labels }) => matches(matchers, labels)).map((one) => cut(one, fromMs, toMs)),
      ]),
    )
    return JSON.parse([...writeResult(evaluate(plan, data))].join('')) as ApiAnswer
  } catch (error) {
    if (!(error instanceof PromqlError)) throw error
    return { status: 'error', errorType: error.kind, error: error.message }
  }
}

function cut({ labels, atMs, values }: SeriesData, fromMs: number, toMs: number): SeriesData {
  const first = atMs.findIndex((at) => at > fromMs)
  const from = first < 0 ? atMs.length : first
  const to = Math.max(from, atMs.findLastIndex((at) => at <= toMs) + 1)
  return { labels, atMs: atMs.slice(from, to), values: values.slice(from, to) }
}

/** Which series an information names is left out: Prometheus names a histogram only at its first step. */
export const annotationsOf = ({ warnings = [], infos = [] }: ApiAnswer): string[] =>
  [...new Set([...warnings, ...infos].map((message) => message.replace(/(monotonicity .* metric name) "[^"]*"/, '$1')))].sort()

/** Of two numbers, by the larger. */
const TOLERANCE = 1e-9

/** The first difference of two answers; undefined where there is none. The order counts only where `isOrdered` says so. */
export function difference(ours: ApiAnswer, theirs: ApiAnswer, isOrdered = false): string | undefined {
  if (ours.status !== theirs.status) return `ours ${ours.error ?? 'succeeds'}, theirs ${theirs.error ?? 'succeeds'}`
  if (ours.status === 'error')
    return ours.errorType === theirs.errorType ? undefined : `ours ${ours.errorType}, theirs ${theirs.errorType}: ${theirs.error}`
  if (ours.data?.resultType !== theirs.data?.resultType) return `ours ${ours.data?.resultType}, theirs ${theirs.data?.resultType}`
  const [left, right] = [ours, theirs].map(({ data }) => flatten(data?.result, isOrdered))
  return differenceOf(left ?? [], right ?? [])
}

type Row = [key: string, values: [number, string][]]
interface ApiSeries {
  metric: Record<string, string>
  value?: [number, string]
  values?: [number, string][]
}

function flatten(result: unknown, isOrdered: boolean): Row[] {
  const list = result as ApiSeries[] | [number, string]
  if (typeof list[0] === 'number') return [['', [list as [number, string]]]]
  const rows = (list as ApiSeries[]).map(({ metric, value, values }): Row => {
    const labels = Object.entries(metric).sort(([a], [b]) => (a < b ? -1 : 1))
    return [JSON.stringify(labels), values ?? (value ? [value] : [])]
  })
  return isOrdered ? rows : rows.sort(([a], [b]) => (a < b ? -1 : 1))
}

function differenceOf(ours: readonly Row[], theirs: readonly Row[]): string | undefined {
  for (const [index, [key, values]] of theirs.entries()) {
    const [ourKey, ourValues = []] = ours[index] ?? []
    if (ourKey !== key) return `series ${index}: ours ${ourKey}, theirs ${key}`
    for (const [step, [at, value]] of values.entries()) {
      const [ourAt, ourValue] = ourValues[step] ?? []
      if (ourAt !== at || !isClose(ourValue, value))
        return `${key} point ${step}: ours ${ourAt} ${ourValue}, theirs ${at} ${value}`
    }
    if (ourValues.length > values.length) return `${key}: ours has ${ourValues.length} points, theirs ${values.length}`
  }
  return ours.length > theirs.length ? `ours has also ${ours[theirs.length]?.[0]}` : undefined
}

const parse = (text: string): number => (text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text))

function isClose(ours: string | undefined, theirs: string): boolean {
  if (ours === undefined || ours === theirs) return ours === theirs
  const [a, b] = [parse(ours), parse(theirs)]
  return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b))
}
