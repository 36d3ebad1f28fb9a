import { expect, test } from 'vitest'
import { matches } from '../model/matchers.ts'
import { planQuery } from '../planning/plan.ts'
import { setStale } from '../model/stale.ts'
import type { QueryWindow, SeriesData } from '../model/types.ts'
import { evaluate } from './evaluate.ts'

const MINUTE_MS = 60_000

/** A sample each minute from 0; undefined is no sample, null a stale marker. */
function series(labels: Record<string, string>, values: readonly (number | null | undefined)[]): SeriesData {
  const samples = [...values.entries()].filter(([, value]) => value !== undefined)
  const data = {
    labels,
    atMs: Float64Array.from(samples, ([at]) => at * MINUTE_MS),
    values: Float64Array.from(samples, ([, value]) => value ?? 0),
  }
  for (const [index, [, value]] of samples.entries()) if (value === null) setStale(data.values, index)
  return data
}

const DATA: readonly SeriesData[] = [
  series({ __name__: 'a', host: 'x' }, [1, 2, 3, 4, 5, 6]),
  series({ __name__: 'a', host: 'y' }, [10, 20, undefined, undefined, undefined, undefined]),
  series({ __name__: 'b_total', host: 'x' }, [0, 60, 120, 0, 60, 120]),
  series({ __name__: 'ended' }, [1, 2, null, undefined, 5]),
  { ...series({ __name__: 'short' }, [1, 2, undefined, undefined, 5]), lookbackMs: MINUTE_MS },
  { ...series({ __name__: 'long' }, [1]), lookbackMs: 4 * MINUTE_MS },
  series({ __name__: 'bucket', le: '1' }, [1]),
  series({ __name__: 'bucket', le: '2' }, [3]),
  series({ __name__: 'bucket', le: '+Inf' }, [4]),
]

function run(expression: string, window: QueryWindow, data = DATA) {
  const plan = planQuery(expression, window)
  return evaluate(
    plan,
    new Map(plan.selections.map(({ id, matchers }) => [id, data.filter(({ labels }) => matches(matchers, labels))])),
  )
}

/** Values by labels; null at a step without a value. */
function rows(expression: string, window: QueryWindow): Record<string, (number | null)[]> {
  const result = run(expression, window)
  if (!('series' in result)) throw new Error(`${expression} has no series`)
  return Object.fromEntries(
    result.series.map(({ labels, values, present }) => [
      Object.values(labels).join(),
      Array.from(values, (value, step) => (present[step] === 1 ? value : null)),
    ]),
  )
}

const at = (minute: number, lookbackMs = 5 * MINUTE_MS): QueryWindow => ({
  startMs: minute * MINUTE_MS,
  endMs: minute * MINUTE_MS,
  stepMs: 0,
  lookbackMs,
})
const steps: QueryWindow = { startMs: 0, endMs: 6 * MINUTE_MS, stepMs: MINUTE_MS, lookbackMs: 2 * MINUTE_MS }

test.each([
  ['1 + 2 * 3', 7],
  ['-2 ^ 2', -4],
  ['2 ^ 3 ^ 2', 512],
  ['2 ^ -1', 0.5],
  ['1 - 2 - 3', -4],
  ['7 % 3 * 2', 2],
  ['1 + 1 == bool 2', 1],
  ['0x10 + 010', 24],
  ['1h', 3_600],
  ['2. / 4.', 0.5],
  ['scalar(a)', NaN],
])('%s is the scalar %d', (expression, value) => {
  expect(run(expression, at(1))).toMatchObject({ resultType: 'scalar', value })
})

test.each([
  ['a', { 'a,x': [1, 2, 3, 4, 5, 6, 6], 'a,y': [10, 20, 20, null, null, null, null] }],
  ['a offset 1m', { 'a,x': [null, 1, 2, 3, 4, 5, 6], 'a,y': [null, 10, 20, 20, null, null, null] }],
  ['ended', { ended: [1, 2, null, null, 5, 5, null] }],
  ['short', { short: [1, 2, null, null, 5, null, null] }],
  ['long', { long: [1, 1, 1, 1, null, null, null] }],
  ['sum(a)', { '': [11, 22, 23, 4, 5, 6, 6] }],
  ['a > 3', { 'a,x': [null, null, null, 4, 5, 6, 6], 'a,y': [10, 20, 20, null, null, null, null] }],
  ['a + on (host) b_total', { x: [1, 62, 123, 4, 65, 126, 126] }],
  ['absent(ended)', { '': [null, null, 1, 1, null, null, 1] }],
  ['count_over_time(ended[2m])', { '': [1, 2, 1, null, 1, 1, null] }],
  ['sum_over_time(a{host="x"}[2m])', { x: [1, 3, 5, 7, 9, 11, 6] }],
  ['timestamp(a{host="x"})', { x: [0, 60, 120, 180, 240, 300, 300] }],
])('%s over steps', (expression, expected) => {
  expect(rows(expression, steps)).toEqual(expected)
})

test('a range and a lookback do not contain the sample at their left bound', () => {
  expect(rows('count_over_time(a{host="x"}[2m])', at(2))).toEqual({ x: [2] })
  expect(rows('a{host="y"}', at(6, 5 * MINUTE_MS))).toEqual({})
  expect(rows('a{host="y"}', at(6, 5 * MINUTE_MS + 1))).toEqual({ 'a,y': [20] })
})

test('a rate is extrapolated to the bounds of its range, and a reset does not lower it', () => {
  // 120 in three minutes, and a third more at the left. A counter is never extrapolated below zero.
  expect(rows('increase(b_total[4m])', at(5))).toEqual({ x: [160] })
  expect(rows('increase(b_total[3m])', at(5))).toEqual({ x: [120] })
  expect(rows('rate(b_total[2m])', at(2))).toEqual({ x: [1] })
})

test('a quantile of a classic histogram is interpolated in its bucket', () => {
  expect(rows('histogram_quantile(0.5, bucket)', at(0))).toEqual({ '': [1.5] })
})

test('a rate of what is not named like a counter is answered with an information', () => {
  const { infos } = run('rate(a[5m])', at(5))
  expect(infos).toEqual([
    'PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "a" (1:6)',
  ])
  expect(run('rate(b_total[5m])', at(5)).infos).toEqual([])
})

test.each([
  ['{host="x"} + 1', 'vector cannot contain metrics with the same labelset'],
  ['a * on () b_total', 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)'],
  ['b_total * on () a', 'found duplicate series for the match group {} on the right hand-side'],
  ['label_replace(a, "host", "z", "host", ".*")', 'vector cannot contain metrics with the same labelset'],
])('%s fails', (expression, message) => {
  expect(() => run(expression, at(1))).toThrow(message)
})

test('a query is refused above its points, its samples and its memory', () => {
  const long = { ...steps, endMs: 11_000 * MINUTE_MS }
  expect(() => run('a', long)).toThrow('exceeded maximum resolution of 11,000 points per timeseries')
  const plan = planQuery('a', at(1))
  expect(() => evaluate(plan, new Map([[0, DATA]]), { maxSamples: 10 })).toThrow(
    'query processing would load too many samples into memory',
  )
  expect(() => evaluate(planQuery('a', steps), new Map([[0, DATA]]), { maxBytes: 4_000 })).toThrow(
    'query processing would load too many samples into memory: more than',
  )
})

test('a subquery with too many steps is refused before it is evaluated', () => {
  expect(() => run('max_over_time(a[1y:1ms])', at(1))).toThrow('query processing would load too many samples into memory')
  expect(() => run('max_over_time(vector(1)[1000y:1ms])', at(1))).toThrow(
    'query processing would load too many samples into memory',
  )
})
