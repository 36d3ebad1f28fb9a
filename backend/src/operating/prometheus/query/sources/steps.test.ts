import { describe, expect, it } from 'vitest'
import { isStale } from '../../../../querying/promql/index.ts'
import { type Step, stepSeries } from './steps.ts'
import { valueAt } from './test/queries.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const steps: Step[] = [
  { atMs: 10 * MINUTE, value: 1 },
  { atMs: 20 * MINUTE + 7, value: 2 },
  { atMs: 30 * MINUTE, value: undefined },
  { atMs: 40 * MINUTE, value: 4 },
]
const now = { nowMs: 50 * MINUTE }

describe('steps at an instant', () => {
  it.each([
    ['before the first', 10 * MINUTE - 1, undefined],
    ['at the first', 10 * MINUTE, 1],
    ['long after a step', 20 * MINUTE + 6, 1],
    ['at the millisecond of the next', 20 * MINUTE + 7, 2],
    ['at the end', 30 * MINUTE, undefined],
    ['while nothing is stated', 39 * MINUTE, undefined],
    ['now', 50 * MINUTE, 4],
    ['by a clock that is half a minute ahead', 50 * MINUTE + 30_000, 4],
    ['in the future', 52 * MINUTE, undefined],
  ])('%s', (_, atMs, value) => {
    const series = stepSeries({}, steps, { fromMs: atMs - 5 * MINUTE, toMs: atMs, rangeMs: undefined }, now)
    expect(series && valueAt(series, atMs)).toBe(value)
  })

  it('of a window have the value of its begin first, and no sample of another time', () => {
    const series = stepSeries({ a: 'b' }, steps, { fromMs: 15 * MINUTE, toMs: 35 * MINUTE, rangeMs: undefined }, now)
    expect(series?.labels).toEqual({ a: 'b' })
    expect([...(series?.atMs ?? [])]).toEqual([15 * MINUTE + 1, 20 * MINUTE + 7, 30 * MINUTE])
    expect([...(series?.values ?? [])].slice(0, 2)).toEqual([1, 2])
    expect(series && isStale(series.values, 2)).toBe(true)
  })

  it('are one sample, however long the window is', () => {
    const series = stepSeries(
      {},
      steps.slice(3),
      { fromMs: 40 * MINUTE, toMs: 40 * MINUTE + 400 * DAY, rangeMs: undefined },
      {
        nowMs: 40 * MINUTE + 400 * DAY,
      },
    )
    expect(series && [series.atMs.length, valueAt(series, 40 * MINUTE + 400 * DAY)]).toEqual([1, 4])
  })
})

it('steps have a sample a minute for a range, as far as there is a value', () => {
  const series = stepSeries({}, steps, { fromMs: 18 * MINUTE, toMs: 60 * MINUTE, rangeMs: 5 * MINUTE }, now)
  const minutes = [...(series?.atMs ?? [])].map((at) => at / MINUTE)
  expect(minutes).toEqual(
    [...Array(11).keys()].map((index) => 19 + index).concat([...Array(11).keys()].map((index) => 40 + index)),
  )
  expect(series && [valueAt(series, 20 * MINUTE), valueAt(series, 21 * MINUTE)]).toEqual([1, 2])
  expect(stepSeries({}, steps, { fromMs: 31 * MINUTE, toMs: 39 * MINUTE, rangeMs: MINUTE }, now)).toBeUndefined()
})
