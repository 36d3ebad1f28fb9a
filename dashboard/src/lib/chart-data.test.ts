import { describe, expect, it } from 'vitest'
import { ceiling, columns, hasValues, newest } from './chart-data.ts'
import { runsOf } from './runs.ts'
import { daySlots } from './uptime.ts'

describe('the data of a chart', () => {
  it('has an instant for each step, in seconds, and a gap stays a gap', () => {
    const data = columns(60_000, 30, [{ values: [1, null, 3] }, { values: [5] }])
    expect(data).toEqual([
      [60, 90, 120],
      [1, null, 3],
      [5, null, null],
    ])
  })

  it('is empty where no line has a value', () => {
    expect([
      hasValues([]),
      hasValues([{ values: [] }]),
      hasValues([{ values: [null, null] }]),
      hasValues([{ values: [null, 0] }]),
    ]).toEqual([false, false, false, true])
    expect(columns(0, 10, [])).toEqual([[]])
  })

  it('tells the newest value that there is', () => {
    expect([newest([1, 2, null]), newest([null]), newest([])]).toEqual([2, null, null])
  })

  it.each([
    [[0], 10, undefined, 10],
    [[null], 0, undefined, 1],
    [[46], 10, 100, 50],
    [[99], 10, 100, 100],
    [[100], 10, 100, 100],
    [[1_900_000], 1_000, undefined, 2_500_000],
    [[0.03], 0, undefined, 0.05],
  ] as const)('the height over %j, at least %d, at most %s is %d', (values, atLeast, atMost, top) => {
    expect(ceiling([values], atLeast, atMost)).toBeCloseTo(top, 9)
  })
})

describe('a sparkline', () => {
  it('is drawn in as many pieces as there are stretches without a gap', () => {
    const stretches = (values: (number | null)[]) => runsOf(values).map((run) => run.map(({ value }) => value))
    expect(stretches([null, 1, 2, null, 3, null])).toEqual([[1, 2], [3]])
    expect(stretches([1, 2])).toEqual([[1, 2]])
    expect(stretches([null])).toEqual([])
  })
})

describe('an uptime bar', () => {
  it('tells a hiccup from an outage, and both from a day without a check', () => {
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
