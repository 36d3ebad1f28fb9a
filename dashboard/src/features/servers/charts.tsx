import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart, ChartSkeleton } from '../../components/chart/chart.tsx'
import { ErrorPanel } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import type { Range } from '../../lib/range.ts'
import { messages } from '../../messages/index.ts'
import { chartsOf } from './chart-lines.ts'
import { metricsQuery } from './queries.ts'

/** The number of placeholders while the charts load. */
const CHARTS = 8

interface Props {
  serverId: string
  range: Range
  onZoom: (from: number, to: number) => void
  onReset: () => void
  onPick: (at: number) => void
}

/** The charts of a server, from one request and with a shared cursor. */
export function ServerCharts({ serverId, range, ...events }: Props) {
  const metrics = useQuery(metricsQuery(useViewer(), serverId, range))
  const { series } = metrics.data ?? {}
  const charts = useMemo(() => (series ? chartsOf(series) : undefined), [series])
  if (metrics.isError && !metrics.data) return <ErrorPanel error={metrics.error} onRetry={() => void metrics.refetch()} />
  if (!charts || !series) {
    return (
      <div aria-busy="true" className={CHART_GRID}>
        {Array.from({ length: CHARTS }, (_, index) => (
          <ChartSkeleton key={index} />
        ))}
      </div>
    )
  }
  return (
    <section aria-label={messages.range.label} className={CHART_GRID}>
      {charts.map((chart) => (
        <Chart
          key={chart.title}
          {...chart}
          from={Date.parse(series.from)}
          stepSeconds={series.step_seconds}
          shared={serverId}
          {...events}
        />
      ))}
    </section>
  )
}

export const CHART_GRID = 'grid gap-3 lg:grid-cols-2'
