import { ExactMean, ExactSum, quantileOf } from './sums.ts'

/** The samples of one series in the range of one step: from index `from` up to and without `to`, at least one. */
export interface Range {
  atMs: Float64Array
  values: Float64Array
  from: number
  to: number
  /** The range, open at its left. */
  startMs: number
  endMs: number
  /** The instant of the step, which an offset or `@` does not shift. */
  stepAtMs: number
}

/** Undefined where a range has too few samples. */
export type RangeFunction = (range: Range, parameter: number) => number | undefined

const valueAt = ({ values }: Range, index: number): number => values[index] ?? NaN
const secondsBetween = ({ atMs }: Range, a: number, b: number): number => ((atMs[b] ?? NaN) - (atMs[a] ?? NaN)) / 1_000

function reduce(range: Range, first: number, next: (result: number, value: number) => number): number {
  let result = first
  for (let index = range.from; index < range.to; index++) result = next(result, valueAt(range, index))
  return result
}

/** How often two neighbours fulfil a condition. */
function countPairs(range: Range, is: (previous: number, value: number) => boolean): number {
  let count = 0
  for (let index = range.from + 1; index < range.to; index++) if (is(valueAt(range, index - 1), valueAt(range, index))) count++
  return count
}

/**
 * The growth over the range, extrapolated to its bounds where the outermost samples are about as near as samples are to each other,
 * and half such a distance otherwise. A counter is never extrapolated below zero.
 */
function extrapolate(range: Range, isCounter: boolean, perSecond: boolean): number | undefined {
  const { atMs, from, to, startMs, endMs } = range
  const last = to - 1
  if (last <= from) return undefined
  let growth = valueAt(range, last) - valueAt(range, from)
  if (isCounter)
    for (let index = from + 1; index < to; index++) {
      const previous = valueAt(range, index - 1)
      if (valueAt(range, index) < previous) growth += previous
    }
  let toStart = ((atMs[from] ?? NaN) - startMs) / 1_000
  let toEnd = (endMs - (atMs[last] ?? NaN)) / 1_000
  const sampled = secondsBetween(range, from, last)
  const interval = sampled / (last - from)
  const nearEnough = interval * 1.1
  if (toStart >= nearEnough) toStart = interval / 2
  if (isCounter && growth > 0 && valueAt(range, from) >= 0) {
    const toZero = sampled * (valueAt(range, from) / growth)
    if (toZero < toStart) toStart = toZero
  }
  if (toEnd >= nearEnough) toEnd = interval / 2
  const factor = (sampled + toStart + toEnd) / sampled
  return growth * (perSecond ? factor / ((endMs - startMs) / 1_000) : factor)
}

function lastTwo(range: Range, isRate: boolean): number | undefined {
  const last = range.to - 1
  if (last <= range.from) return undefined
  const seconds = secondsBetween(range, last - 1, last)
  if (seconds === 0) return undefined
  const [previous, value] = [valueAt(range, last - 1), valueAt(range, last)]
  if (!isRate) return value - previous
  return (value < previous ? value : value - previous) / seconds
}

/** Least squares: growth per second, and the value at an instant. */
function regress(range: Range, interceptAtMs: number): { slope: number; intercept: number } | undefined {
  const { atMs, from, to } = range
  const count = to - from
  if (count < 2) return undefined
  const first = valueAt(range, from)
  const [x, y, xy, x2] = [new ExactSum(), new ExactSum(), new ExactSum(), new ExactSum()]
  let isConstant = true
  for (let index = from; index < to; index++) {
    const value = valueAt(range, index)
    if (index > from && value !== first) isConstant = false
    const seconds = ((atMs[index] ?? NaN) - interceptAtMs) / 1_000
    x.add(seconds)
    y.add(value)
    xy.add(seconds * value)
    x2.add(seconds * seconds)
  }
  if (isConstant)
    return Number.isFinite(first) || Number.isNaN(first) ? { slope: 0, intercept: first } : { slope: NaN, intercept: NaN }
  const [sumX, sumY] = [x.sum + x.lost, y.sum + y.lost]
  const covariance = xy.sum + xy.lost - (sumX * sumY) / count
  const variance = x2.sum + x2.lost - (sumX * sumX) / count
  const slope = covariance / variance
  return { slope, intercept: sumY / count - (slope * sumX) / count }
}

function variance(range: Range): number {
  const [mean, squares] = [new ExactSum(), new ExactSum()]
  for (let index = range.from; index < range.to; index++) {
    const value = valueAt(range, index)
    const delta = value - (mean.sum + mean.lost)
    mean.add(delta / (index - range.from + 1))
    squares.add(delta * (value - (mean.sum + mean.lost)))
  }
  return (squares.sum + squares.lost) / (range.to - range.from)
}

function mean(range: Range): number {
  const exact = new ExactMean(valueAt(range, range.from))
  for (let index = range.from + 1; index < range.to; index++) exact.add(valueAt(range, index))
  return exact.mean()
}

function sum(range: Range): number {
  const exact = new ExactSum()
  for (let index = range.from; index < range.to; index++) exact.add(valueAt(range, index))
  return exact.total()
}

function predict(range: Range, seconds: number): number | undefined {
  const line = regress(range, range.stepAtMs)
  return line && line.slope * seconds + line.intercept
}

const bothNaN = (a: number, b: number): boolean => Number.isNaN(a) && Number.isNaN(b)

export const RANGE_FUNCTIONS: Readonly<Record<string, RangeFunction>> = {
  rate: (range) => extrapolate(range, true, true),
  increase: (range) => extrapolate(range, true, false),
  delta: (range) => extrapolate(range, false, false),
  irate: (range) => lastTwo(range, true),
  idelta: (range) => lastTwo(range, false),
  deriv: (range) => regress(range, range.atMs[range.from] ?? NaN)?.slope,
  predict_linear: predict,
  changes: (range) => countPairs(range, (previous, value) => value !== previous && !bothNaN(previous, value)),
  resets: (range) => countPairs(range, (previous, value) => value < previous),
  avg_over_time: mean,
  sum_over_time: sum,
  count_over_time: ({ from, to }) => to - from,
  present_over_time: () => 1,
  absent_over_time: () => 1,
  first_over_time: (range) => valueAt(range, range.from),
  last_over_time: (range) => valueAt(range, range.to - 1),
  max_over_time: (range) => reduce(range, NaN, (max, value) => (value > max || Number.isNaN(max) ? value : max)),
  min_over_time: (range) => reduce(range, NaN, (min, value) => (value < min || Number.isNaN(min) ? value : min)),
  stdvar_over_time: variance,
  stddev_over_time: (range) => Math.sqrt(variance(range)),
  quantile_over_time: (range, q) => quantileOf(q, [...range.values.subarray(range.from, range.to)]),
}

/** They answer a sample as it is, with its name. */
export const KEEPS_NAME: ReadonlySet<string> = new Set(['first_over_time', 'last_over_time'])
