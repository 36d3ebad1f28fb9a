import { describe, expect, it } from 'vitest'
import { axisMaximum, columns, hasValues, latestValue, valueNear } from './chart-data.ts'
import { segmentsOf } from './segments.ts'
import { daySlots } from './uptime.ts'

describe('the data of a chart', () => {
  it('has a time in seconds for each step, and keeps gaps', () => {
    const data = columns(60_000, 30, [{ values: [1, null, 3] }, { values: [5] }])
    expect(data).toEqual([
      [60, 90, 120],
      [1, null, 3],
      [5, null, null],
    ])
  })

  it('has no values where every line has gaps only', () => {
    expect([
      hasValues([]),
      hasValues([{ values: [] }]),
      hasValues([{ values: [null, null] }]),
      hasValues([{ values: [null, 0] }]),
    ]).toEqual([false, false, false, true])
    expect(columns(0, 10, [])).toEqual([[]])
  })

  it('names the latest value that is not a gap', () => {
    expect([latestValue([1, 2, null]), latestValue([null]), latestValue([])]).toEqual([2, null, null])
  })

  it('takes the value of the nearest sample where samples are rarer than steps', () => {
    const sparse = [1, null, null, null, 2, null, null, null, 3, null, null, null, null, null, null]
    expect([0, 1, 3, 6, 9, 14].map((index) => valueNear(sparse, index))).toEqual([1, 1, 2, 2, 3, null])
    expect(valueNear([1, null, 3], 1)).toBeNull()
  })

  it('names no value of a line that has ended', () => {
    expect([latestValue([1, 2, null, null]), latestValue([1, 2, null, null, null])]).toEqual([2, null])
    const sparse = [1, null, null, null, 2, null, null, null, 3]
    expect(latestValue([...sparse, null, null, null, null])).toBe(3)
    expect(latestValue([...sparse, ...Array.from({ length: 9 }, () => null)])).toBeNull()
  })

  it('draws through the steps between samples that are rarer than steps, and not through an outage', () => {
    const [, values] = columns(0, 10, [
      { values: [null, 1, null, 2, null, 3, null, null, null, 4, null, null, null, null, null, 5] },
    ])
    const shape = values?.map((value) => (value === undefined ? '-' : (value ?? 'gap')))
    expect(shape).toEqual(['gap', 1, '-', 2, '-', 3, '-', '-', '-', 4, 'gap', 'gap', 'gap', 'gap', 'gap', 5])
    expect(columns(0, 10, [{ values: [1, null, 2, 3, 4] }])[1]).toEqual([1, null, 2, 3, 4])
  })

  it.each([
    [[0], 10, undefined, 10],
    [[null], 0, undefined, 1],
    [[46], 10, 100, 50],
    [[99], 10, 100, 100],
    [[100], 10, 100, 100],
    // Not half empty.
    [[99.75], 0, undefined, 120],
    [[138], 0, undefined, 150],
    [[1_900_000], 1_000, undefined, 2_500_000],
    [[0.03], 0, undefined, 0.04],
  ] as const)('the axis over %j, with at least %d and at most %s, ends at %d', (values, atLeast, atMost, top) => {
    expect(axisMaximum([values], atLeast, atMost)).toBeCloseTo(top, 9)
  })
})

describe('a sparkline', () => {
  it('is drawn as one segment for each run of values without a gap', () => {
    const segments = (values: (number | null)[]) => segmentsOf(values).map((run) => run.map(({ value }) => value))
    expect(segments([null, 1, 2, null, 3, null])).toEqual([[1, 2], [3]])
    expect(segments([1, 2])).toEqual([[1, 2]])
    expect(segments([null])).toEqual([])
  })
})

describe('an uptime bar', () => {
  it('shows a hiccup, an outage and a day without checks in different tones', () => {
    expect(daySlots([100, 99.99, 95, 94.9, 0, null]).map(({ tone }) => tone)).toEqual([
      'good',
      'warn',
      'warn',
      'bad',
      'bad',
      'none',
    ])
  })
})
