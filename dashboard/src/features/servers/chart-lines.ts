import type { ServerMetrics } from '@vedette/shared'
import type { Line } from '../../components/chart/types.ts'
import { bytes, count, orDash, load, percent, perSecond, rate } from '../../lib/format.ts'
import { messages } from '../../messages/index.ts'

type Series = NonNullable<ServerMetrics['series']>
type Group = 'cpu' | 'memory' | 'disk' | 'network' | 'tcp' | 'host'
type Format = (value: number | null | undefined) => string

export interface ChartSpec {
  title: string
  format: Format
  atLeast?: number
  atMost?: number
  lines: readonly Line[]
}

const { groups, series: names } = messages.servers

/** The values of a field; an absent group gives gaps. */
function valuesOf(series: Series, group: Group, field: string, kind: 'avg' | 'max' = 'avg'): (number | null)[] {
  const fields = series[group] as Record<string, { avg: (number | null)[]; max: (number | null)[] }> | undefined
  return fields?.[field]?.[kind] ?? Array.from({ length: series.points }, () => null)
}

const line = (
  series: Series,
  label: string,
  color: Line['color'],
  group: Group,
  field: string,
  more: Partial<Line> = {},
): Line => ({
  label,
  color,
  metric: `${group}.${field}`,
  values: valuesOf(series, group, field),
  ...more,
})

/** The charts of a server, in the order of the page. */
export function chartsOf(series: Series): ChartSpec[] {
  const of = (...args: Parameters<typeof line> extends [unknown, ...infer Rest] ? Rest : never) => line(series, ...args)
  const share = { format: percent, atLeast: 10, atMost: 100 }
  return [
    {
      title: groups.cpu,
      ...share,
      lines: [
        { label: names.peak, color: 1, faint: true, values: valuesOf(series, 'cpu', 'percent', 'max') },
        of(names.busy, 1, 'cpu', 'percent', { area: true }),
        of(names.user, 2, 'cpu', 'user_percent'),
        of(names.system, 3, 'cpu', 'system_percent'),
        of(names.iowait, 4, 'cpu', 'iowait_percent'),
      ],
    },
    {
      title: groups.memory,
      ...share,
      lines: [of(names.memory, 2, 'memory', 'percent', { area: true }), of(names.swap, 4, 'memory', 'swap_percent')],
    },
    {
      title: groups.load,
      format: load,
      atLeast: 1,
      lines: [of(names.load1, 1, 'cpu', 'load_1'), of(names.load5, 2, 'cpu', 'load_5'), of(names.load15, 6, 'cpu', 'load_15')],
    },
    {
      title: groups.network,
      format: rate,
      atLeast: 1_000,
      lines: [of(names.rx, 1, 'network', 'rx_bytes_per_sec', { area: true }), of(names.tx, 3, 'network', 'tx_bytes_per_sec')],
    },
    {
      title: groups.throughput,
      format: rate,
      atLeast: 1_000,
      lines: [
        of(names.read, 2, 'disk', 'read_throughput_bps', { area: true }),
        of(names.write, 3, 'disk', 'write_throughput_bps'),
      ],
    },
    {
      title: groups.iops,
      format: perSecond,
      atLeast: 1,
      lines: [of(names.read, 2, 'disk', 'read_iops'), of(names.write, 3, 'disk', 'write_iops')],
    },
    {
      title: groups.tcp,
      format: count,
      atLeast: 10,
      lines: [
        of(names.established, 1, 'tcp', 'established', { area: true }),
        of(names.timeWait, 3, 'tcp', 'time_wait'),
        of(names.closeWait, 4, 'tcp', 'close_wait'),
        of(names.listen, 6, 'tcp', 'listen'),
      ],
    },
    {
      title: groups.retransmits,
      format: perSecond,
      atLeast: 1,
      lines: [of(names.retransmits, 5, 'tcp', 'retransmits_per_sec'), of(names.resets, 6, 'tcp', 'resets_per_sec')],
    },
    ...hostCharts(series),
  ]
}

/** Where there was a problem: most hosts have none for weeks. */
function hostCharts(series: Series): ChartSpec[] {
  const { facts } = messages.servers
  const most = (label: string, color: Line['color'], field: string) =>
    line(series, label, color, 'host', field, { values: valuesOf(series, 'host', field, 'max') })
  const lines = [most(facts.failed, 5, 'failed_units'), most(facts.missing, 3, 'missing_processes')].filter(({ values }) =>
    values.some((value) => value !== null && value > 0),
  )
  return lines.length === 0 ? [] : [{ title: groups.host, format: count, atLeast: 1, lines }]
}

const COLORS: readonly Line['color'][] = [1, 2, 3, 4, 5, 6]

export function mountChart(mounts: NonNullable<ServerMetrics['by_mount']>): ChartSpec {
  const lines = mounts
    .toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0))
    .slice(0, COLORS.length)
    .map(({ mount, series }, index) => ({
      label: mount,
      color: COLORS[index] ?? 6,
      metric: 'filesystem.percent',
      values: series?.percent?.avg ?? [],
    }))
  return { title: groups.usage, format: percent, atLeast: 10, atMost: 100, lines }
}

export const size: Format = (value) => orDash(value, bytes)

/** The first line of each chart with that of other samples behind it, moved by `shiftMs` to the same times. */
export function withComparison(
  charts: readonly ChartSpec[],
  series: Series,
  other: Series,
  label: string,
  shiftMs: number,
): ChartSpec[] {
  const [from, otherFrom] = [Date.parse(series.from), Date.parse(other.from) + shiftMs]
  const at = (values: readonly (number | null)[], index: number) =>
    values[Math.round((from + index * series.step_seconds * 1000 - otherFrom) / (other.step_seconds * 1000))] ?? null
  const others = chartsOf(other)
  return charts.map((chart, position) => {
    const main = others[position]?.lines.find(({ faint }) => !faint)
    if (!main) return chart
    const values = Array.from({ length: series.points }, (_, index) => at(main.values, index))
    return { ...chart, lines: [...chart.lines, { label: `${main.label}, ${label}`, color: 5, dashed: true, values }] }
  })
}
