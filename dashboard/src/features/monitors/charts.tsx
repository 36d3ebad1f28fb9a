import type { MonitorDetails, MonitorStats } from '@vedette/shared'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart, ChartSkeleton } from '../../components/chart/chart.tsx'
import type { Line } from '../../components/chart/types.ts'
import { Figure, Trouble } from '../../components/page.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { count, milliseconds, uptime } from '../../lib/format.ts'
import type { Range } from '../../lib/range.ts'
import { text } from '../../messages/index.ts'
import { statsQuery } from './queries.ts'

const words = text.monitors

interface Props {
  monitor: MonitorDetails
  range: Range
  region: string | undefined
  onZoom: (from: number, to: number) => void
  onReset: () => void
}

const HEIGHT = 220

/** More lines than this nobody tells apart, and each is a request. */
const MOST_REGIONS = 5
const COLORS: readonly Line['color'][] = [2, 3, 4, 5, 6]

/** Figures and response times of the range; each region a line of its own where there are several. */
export function MonitorCharts({ monitor, range, region, onZoom, onReset }: Props) {
  const { client } = useViewer()
  const scope = useScope()
  const stats = useQuery(statsQuery(scope, client, monitor.id, range, region))
  const split = region === undefined && monitor.regions.length > 1 ? monitor.regions.slice(0, MOST_REGIONS) : []
  const perRegion = useQueries({ queries: split.map((id) => statsQuery(scope, client, monitor.id, range, id)) })
  const series = stats.data?.series
  const regionSeries = perRegion.map(({ data }) => data?.series)
  // The arrays are new each time; what they hold changes with an answer.
  const stamp = [...split, ...perRegion.map(({ dataUpdatedAt }) => dataUpdatedAt)].join()
  const lines = useMemo(() => (series ? linesOf(series, split, regionSeries) : []), [series, stamp])
  if (stats.isError && !stats.data) return <Trouble error={stats.error} onRetry={() => void stats.refetch()} />
  if (!stats.data || !series) return <Loading />
  const common = { from: Date.parse(series.from), stepSeconds: series.step_seconds, shared: monitor.id, onZoom, onReset }
  return (
    <div className="grid gap-3">
      <Figures stats={stats.data} />
      <Chart title={words.charts.response} format={milliseconds} atLeast={10} lines={lines} height={HEIGHT} {...common} />
    </div>
  )
}

type Series = NonNullable<MonitorStats['series']>
type Values = readonly (number | null)[]

function linesOf(series: Series, regions: readonly string[], regionSeries: readonly (Series | undefined)[]): Line[] {
  const isSplit = regions.length > 0
  return [
    { label: words.charts.mean, color: 1, values: series.avg_response_ms as Values, area: !isSplit },
    ...(isSplit ? [] : [{ label: words.charts.p95, color: 3, values: series.p95_response_ms as Values } as const]),
    ...regions.map((label, place) => ({
      label,
      color: COLORS[place] ?? 6,
      values: (regionSeries[place]?.avg_response_ms ?? []) as Values,
    })),
  ]
}

/** As high as what comes: nothing below moves. */
function Loading() {
  return (
    <div aria-busy="true" className="grid gap-3">
      <Figures stats={undefined} />
      <ChartSkeleton height={HEIGHT} />
    </div>
  )
}

function Figures({ stats }: { stats: MonitorStats | undefined }) {
  const { figures } = words
  const told = (value: (stats: MonitorStats) => string) => (stats && stats.total_checks > 0 ? value(stats) : text.unknown)
  return (
    <dl className="panel grid grid-cols-2 gap-x-5 gap-y-3 px-4 py-3 sm:grid-cols-3 xl:grid-cols-6">
      <Figure name={figures.uptime} value={told(({ uptime_percent }) => uptime(uptime_percent))} />
      <Figure name={figures.average} value={told(({ avg_response_ms }) => milliseconds(avg_response_ms))} />
      <Figure name={figures.p95} value={told(({ p95_response_ms }) => milliseconds(p95_response_ms))} />
      <Figure name={figures.p99} value={told(({ p99_response_ms }) => milliseconds(p99_response_ms))} />
      <Figure name={figures.checks} value={stats ? count(stats.total_checks) : text.unknown} />
      <Figure
        name={figures.failed}
        value={stats ? count(stats.failed_checks) : text.unknown}
        tone={stats && stats.failed_checks > 0 ? 'text-bad' : ''}
      />
    </dl>
  )
}
