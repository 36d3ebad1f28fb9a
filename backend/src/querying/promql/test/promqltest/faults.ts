import type { QueryWindow } from '../../model/types.ts'
import type { ApiAnswer } from '../real-prometheus.ts'
import { keyOf, metricOf, numberOf, parseDuration, pointsOf } from './text.ts'

/** As the test engine of Prometheus compares. */
const TOLERANCE = 1e-6

export interface Expected {
  expects: readonly string[]
  rows: readonly string[]
  window: QueryWindow
  isFailing: boolean
}

/** What is wrong with an answer; undefined: nothing. Pure. */
export function faultOf(answer: ApiAnswer, { expects, rows, window, isFailing }: Expected): string | undefined {
  if (answer.status === 'error') return isFailing ? undefined : `fails: ${answer.error}`
  if (isFailing) return 'succeeds'
  for (const [kind, messages = []] of [
    ['warn', answer.warnings],
    ['info', answer.infos],
  ] as const) {
    if (expects.some((each) => new RegExp(`^expect ${kind}\\b`).test(each)) && messages.length === 0) return `gives no ${kind}`
    if (expects.includes(`expect no_${kind}`) && messages.length > 0) return `gives ${messages[0]}`
  }
  const text = expects.find((each) => each.startsWith('expect string'))
  const { resultType, result } = answer.data as { resultType: string; result: never }
  if (text !== undefined)
    return (result as string[])[1] === JSON.parse(text.slice('expect string '.length).replaceAll('`', '"'))
      ? undefined
      : `is ${(result as string[])[1]}`
  const range = /^expect range vector from (\S+) to (\S+) step (\S+)/.exec(
    expects.find((each) => each.startsWith('expect range')) ?? '',
  )
  const [startMs, stepMs] = range
    ? [parseDuration(range[1] as string), parseDuration(range[3] as string)]
    : [window.startMs, window.stepMs]
  const isScalar = resultType === 'scalar'
  const found = isScalar
    ? [{ metric: {}, value: result }]
    : (result as { metric: Record<string, string>; value?: [number, string]; values?: [number, string][] }[])
  const ours = new Map(
    found.map(({ metric, value, values = [] }) => [
      keyOf(metric),
      new Map((value ? [value] : values).map(([at, own]) => [Math.round(at * 1_000), numberOf(own)])),
    ]),
  )
  const wanted = rows.map((row) => (isScalar || /^[+-]?(?:[\d.]|inf|nan)/i.test(row) ? { labels: {}, rest: row } : metricOf(row)))
  if (expects.includes('expect ordered') && String(wanted.map(({ labels }) => keyOf(labels))) !== String([...ours.keys()]))
    return 'is in another order'
  for (const { labels, rest } of wanted) {
    const own = ours.get(keyOf(labels))
    const points = pointsOf(rest)
    if (!own || !points) return `has no ${keyOf(labels)}, but ${[...ours.keys()].slice(0, 4).join(' ')}`
    let count = 0
    for (const [index, point] of points.entries()) {
      const at = stepMs === 0 ? window.startMs : startMs + index * stepMs
      const value = own.get(at)
      if (point === undefined ? value !== undefined : !isClose(value, point as number))
        return `${keyOf(labels)} at ${at}: ${value}, wanted ${String(point)}`
      if (point !== undefined) count++
    }
    if (count !== own.size) return `${keyOf(labels)} has ${own.size} points, wanted ${count}`
  }
  return wanted.length === ours.size
    ? undefined
    : `has ${ours.size} series, wanted ${wanted.length}: ${[...ours.keys()].slice(0, 3).join(' ')}`
}

const isClose = (one: number | undefined, other: number): boolean =>
  one !== undefined &&
  (Object.is(one, other) ||
    one === other ||
    (Number.isNaN(one) && Number.isNaN(other)) ||
    Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other)))
