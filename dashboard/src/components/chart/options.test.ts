import { describe, expect, it } from 'vitest'
import { lowestOf, plotOptions, timesOf } from './options.ts'
import type { ChartProps } from './types.ts'

const START = Date.UTC(2026, 10, 23, 23, 0)
const chart = (more: Partial<ChartProps> = {}): ChartProps => ({
  title: 'CPU',
  from: START,
  stepSeconds: 60,
  lines: [{ label: 'Busy', color: 1, values: [1, null, 3] }],
  format: (value) => `${value}.0 %`,
  ...more,
})
const optionsOf = (props: ChartProps, view?: [number, number]) =>
  plotOptions({
    width: 700,
    props: () => props,
    ink: (name) => `rgb(${name})`,
    top: () => 10,
    onCursor: () => undefined,
    view: () => view,
  })

describe('the times of a chart', () => {
  it.each([
    ['three values', [{ label: '', color: 1, values: [1, 2, 3] }], 120],
    [
      'lines of different lengths',
      [
        { label: '', color: 1, values: [1] },
        { label: '', color: 2, values: [1, 2, 3, 4] },
      ],
      180,
    ],
    ['one value', [{ label: '', color: 1, values: [1] }], 60],
    ['no line', [], 60],
  ] as const)('with %s', (_name, lines, seconds) =>
    expect(timesOf(chart({ lines }))).toEqual([START / 1000, START / 1000 + seconds]),
  )

  it('are those of a gesture while there is one', () => {
    const rangeOf = (view?: [number, number]) =>
      (optionsOf(chart(), view).scales as { x: { range: () => [number, number] } }).x.range()
    expect([rangeOf(), rangeOf([5, 6])]).toEqual([
      [START / 1000, START / 1000 + 120],
      [5, 6],
    ])
  })
})

describe('the labels of the axes', () => {
  const label = (axis: number, splits: number[], increment = 60) => {
    const axes = optionsOf(chart()).axes as unknown as { values: (...args: unknown[]) => string[] }[]
    return axes[axis]?.values(undefined, splits, axis, 0, increment) ?? []
  }

  it('are times of day, and the date where a day begins', () => {
    process.env['TZ'] ??= 'UTC'
    const hours = [0, 1, 2, 3].map((hour) => START / 1000 + hour * 3600)
    expect(label(0, hours).filter((text) => /\d\d:\d\d/.test(text))).toHaveLength(3)
    expect(label(0, hours)[0]).toMatch(/^\d\d:\d\d$/)
  })
  it('are dates for steps of a day', () =>
    expect(label(0, [START / 1000, START / 1000 + 86_400], 86_400).every((text) => /^\d+ \w{3}$/.test(text))).toBe(true))
  it('have seconds for steps below a minute, so that no two are the same', () =>
    expect(label(0, [START / 1000, START / 1000 + 15], 15).map((text) => text.slice(-3))).toEqual([':00', ':15']))
  it('have no needless decimals', () => expect(label(1, [0, 50])).toEqual(['0 %', '50 %']))
})

describe('the points of a line', () => {
  const points = (values: (number | null)[], isShown = true) => {
    const filter = optionsOf(chart()).series[1]?.points?.filter as unknown as (...args: unknown[]) => number[] | null
    return filter({ data: [[], values] }, 1, isShown)
  }
  it.each([
    [
      [1, null, 3],
      [0, 2],
    ],
    [[1, 2, null], []],
    [[null, 0, null], [1]],
    [[5], [0]],
    [[], []],
  ])('of %j are the values between gaps: %j', (values, found) => expect(points(values)).toEqual(found))
  it('of a line that is not shown are none', () => expect(points([1], false)).toBeNull())
})

describe('a drag', () => {
  const drag = (left: number, width: number) => {
    const zooms: number[][] = []
    const select = optionsOf(chart({ onZoom: (from, to) => zooms.push([from, to]) })).hooks?.setSelect?.[0]
    // Ten seconds to a pixel.
    select?.({ select: { left, width }, posToVal: (position: number) => position * 10, setSelect: () => undefined } as never)
    return zooms
  }
  it('chooses a range', () => expect(drag(10, 20)).toEqual([[100_000, 300_000]]))
  it('of less than six pixels is a click', () => expect(drag(10, 5)).toEqual([]))
  it('of less than a minute chooses nothing', () => {
    const zooms: number[][] = []
    const select = optionsOf(chart({ onZoom: (...range) => zooms.push(range) })).hooks?.setSelect?.[0]
    select?.({ select: { left: 0, width: 50 }, posToVal: (position: number) => position, setSelect: () => undefined } as never)
    expect(zooms).toEqual([])
  })
})

it('a pale line is that of a maximum, an area is filled, and a comparison is dashed', () => {
  const lines = [
    { label: '', color: 1, values: [], faint: true },
    { label: '', color: 2, values: [], area: true },
    { label: '', color: 3, values: [], solid: true },
    { label: '', color: 4, values: [], dashed: true },
  ] as const
  const [, ...series] = optionsOf(chart({ lines })).series
  expect(series.map(({ stroke, fill, dash }) => [stroke, fill, dash])).toEqual([
    ['rgb(chart-1 / 0.45)', undefined, undefined],
    ['rgb(chart-2)', 'rgb(chart-2 / 0.13)', undefined],
    ['rgb(chart-3)', 'rgb(chart-3)', undefined],
    ['rgb(chart-4)', undefined, [4, 4]],
  ])
})

it.each([
  [[1, null, 3], 0],
  [[], 0],
  [[-4, null, 3], -4],
  [[null, -2, -49.4], -49.4],
])('the axis of %j begins at %s', (values, lowest) => {
  expect(
    lowestOf({
      lines: [
        { label: '', color: 1, values: [1] },
        { label: '', color: 2, values },
      ],
    }),
  ).toBe(lowest)
})
