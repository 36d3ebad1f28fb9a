import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart, ChartSkeleton } from '../../components/chart/chart.tsx'
import { Trouble } from '../../components/page.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import type { Range } from '../../lib/range.ts'
import { text } from '../../messages/index.ts'
import { chartsOf } from './lines.ts'
import { metricsQuery } from './queries.ts'

/** As many as there will be. */
const CHARTS = 8

interface Props {
  serverId: string
  range: Range
  onZoom: (from: number, to: number) => void
  onReset: () => void
  onPick: (at: number) => void
}

/** All charts of one request; they share their cursor. */
export function ServerCharts({ serverId, range, ...events }: Props) {
  const { client } = useViewer()
  const metrics = useQuery(metricsQuery(useScope(), client, serverId, range))
  const { series } = metrics.data ?? {}
  const charts = useMemo(() => (series ? chartsOf(series) : undefined), [series])
  if (metrics.isError && !metrics.data) return <Trouble error={metrics.error} onRetry={() => void metrics.refetch()} />
  if (!charts || !series) {
    return (
      <div aria-busy="true" className={CHART_GRID}>
        {Array.from({ length: CHARTS }, (_, place) => (
          <ChartSkeleton key={place} />
        ))}
      </div>
    )
  }
  return (
    <section aria-label={text.range.label} className={CHART_GRID}>
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
