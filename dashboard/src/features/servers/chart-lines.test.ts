import type { ServerMetrics } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { chartsOf, mountChart, size, withComparison } from './chart-lines.ts'

type Series = NonNullable<ServerMetrics['series']>

/** A series of CPU and memory; `from` is in minutes after midnight. */
function seriesOf(from: number, stepSeconds: number, busy: readonly (number | null)[], more: object = {}): Series {
  const values = (avg: readonly (number | null)[]) => ({ avg, max: avg.map((value) => value && value + 1) })
  return {
    from: new Date(Date.UTC(2026, 10, 23, 0, from)).toISOString(),
    step_seconds: stepSeconds,
    points: busy.length,
    cpu: { percent: values(busy), load_1: values(busy) },
    ...more,
  } as unknown as Series
}
const NONE = [null, null, null]

describe('the charts of a server', () => {
  const charts = chartsOf(seriesOf(0, 60, [10, null, 30]))

  it('have the values of their fields, the peak behind its mean', () => {
    expect(charts[0]?.lines.slice(0, 2).map(({ label, values, faint }) => [label, values, faint])).toEqual([
      ['Peak', [11, null, 31], true],
      ['Busy', [10, null, 30], undefined],
    ])
    expect(charts[2]?.lines[0]?.values).toEqual([10, null, 30])
  })

  it('are gaps, not zeros, where a field or a whole group is absent', () => {
    const absent = charts
      .flatMap(({ title, lines }) => lines.map((line) => ({ title, ...line })))
      .filter(({ metric }) => metric !== 'cpu.percent' && metric !== 'cpu.load_1' && metric !== undefined)
    expect(absent).toHaveLength(19)
    for (const { values } of absent) expect(values).toEqual(NONE)
  })

  it('have one of the host state where there was a problem, with the most of each step', () => {
    const chart = (failed: readonly (number | null)[]) => {
      const host = { failed_units: { avg: failed, max: failed }, missing_processes: { avg: [0, 0, 0], max: [0, 0, 0] } }
      return chartsOf(seriesOf(0, 60, [1, 1, 1], { host })).slice(8)
    }
    expect([chart([0, 0, null]), chartsOf(seriesOf(0, 60, [1, 1, 1])).slice(8)]).toEqual([[], []])
    const lines = [expect.objectContaining({ metric: 'host.failed_units', values: [0, 2, null] })]
    expect(chart([0, 2, null])).toMatchObject([{ title: 'Failed units and missing processes', lines }])
  })

  it('show each metric once, so that a rule stands in one chart', () => {
    const metrics = charts.flatMap(({ lines }) => lines.flatMap(({ metric }) => metric ?? []))
    expect(new Set(metrics).size).toBe(metrics.length)
    for (const { lines } of charts) expect(new Set(lines.map(({ color, faint }) => `${color} ${faint}`)).size).toBe(lines.length)
  })
})

describe('the chart of filesystems', () => {
  const mount = (name: string, percent: number | null) => ({ mount: name, percent, series: { percent: { avg: [percent] } } })

  it('has the fullest six, the fullest first, an unknown one last', () => {
    const mounts = [
      mount('/a', 5),
      mount('/b', null),
      mount('/c', 90),
      mount('/d', 7),
      mount('/e', 8),
      mount('/f', 9),
      mount('/g', 10),
    ]
    const { lines } = mountChart(mounts as never)
    expect(lines.map(({ label, color }) => [label, color])).toEqual([
      ['/c', 1],
      ['/g', 2],
      ['/f', 3],
      ['/e', 4],
      ['/d', 5],
      ['/a', 6],
    ])
  })
  it('is empty for a filesystem without a series', () =>
    expect(mountChart([{ mount: '/', percent: 1 }] as never).lines[0]?.values).toEqual([]))
})

describe('a comparison', () => {
  const now = seriesOf(60, 60, [1, 2, 3, 4])
  const lineOf = (other: Series, shiftMs: number) =>
    withComparison(chartsOf(now), now, other, 'yesterday', shiftMs)[0]?.lines.at(-1)

  it.each([
    ['with the same steps', seriesOf(0, 60, [5, 6, 7, 8]), 3_600_000, [5, 6, 7, 8]],
    ['that begins later', seriesOf(1, 60, [6, 7, 8]), 3_600_000, [null, 6, 7, 8]],
    ['that ends earlier', seriesOf(0, 60, [5]), 3_600_000, [5, null, null, null]],
    ['with steps twice as long', seriesOf(0, 120, [5, 7]), 3_600_000, [5, 7, 7, null]],
    ['with gaps', seriesOf(0, 60, [null, 0, null, 1]), 3_600_000, [null, 0, null, 1]],
    ['of the same time', seriesOf(60, 60, [9, 9, 9, 9]), 0, [9, 9, 9, 9]],
    ['of another time', seriesOf(0, 60, [9, 9, 9, 9]), 0, [null, null, null, null]],
  ])('%s lies under the same instants', (_name, other, shiftMs, values) =>
    expect(lineOf(other, shiftMs)).toMatchObject({ label: 'Busy, yesterday', dashed: true, values }),
  )
  it('adds one line to each chart, of its first that is no peak', () => {
    const compared = withComparison(chartsOf(now), now, now, 'x', 0)
    for (const [index, { lines }] of chartsOf(now).entries()) expect(compared[index]?.lines).toHaveLength(lines.length + 1)
  })
})

it('a size that is not known is a dash', () => expect([size(null), size(0), size(1_500_000)]).toEqual(['–', '0 B', '1.5 MB']))
