import type { ServerDetails } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart, ChartSkeleton } from '../../components/chart/chart.tsx'
import { ErrorPanel } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import type { Range } from '../../lib/range.ts'
import { messages } from '../../messages/index.ts'
import { incidentBands, thresholdsOf, windowBands } from '../../lib/chart-notes.ts'
import { allRulesQuery, allWindowsQuery, targetIncidentsQuery } from '../../lib/target-queries.ts'
import { CHARTED_METRICS, chartsOf } from './chart-lines.ts'
import { metricsQuery } from './queries.ts'

/** The number of placeholders while the charts load. */
const CHARTS = 8

interface Props {
  server: ServerDetails
  range: Range
  onZoom: (from: number, to: number) => void
  onReset: () => void
  onPick: (at: number) => void
}

/** The charts of a server, from one request and with a shared cursor. */
export function ServerCharts({ server, range, ...events }: Props) {
  const viewer = useViewer()
  const metrics = useQuery(metricsQuery(viewer, server.id, range))
  const notes = useNotes(server, range)
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
      {charts.map(({ metric, ...chart }) => (
        <Chart
          key={chart.title}
          {...chart}
          from={Date.parse(series.from)}
          stepSeconds={series.step_seconds}
          shared={server.id}
          bands={notes.bands}
          marks={notes.marks}
          thresholds={notes.thresholds.get(metric ?? '')}
          {...events}
        />
      ))}
    </section>
  )
}

/** Incidents, maintenance, the restart of the host and the thresholds of rules, for the charts. */
function useNotes(server: ServerDetails, range: Range) {
  const viewer = useViewer()
  const { data: incidents } = useQuery(targetIncidentsQuery(viewer, server.id, range))
  const { data: windows } = useQuery(allWindowsQuery(viewer))
  const { data: rules } = useQuery(allRulesQuery(viewer))
  const { id, tags, boot_time } = server
  return useMemo(() => {
    const subject = { type: 'server', id, tags } as const
    return {
      bands: [...windowBands(windows ?? [], subject), ...incidentBands(incidents ?? [], Date.now())],
      marks: boot_time === null ? [] : [{ at: Date.parse(boot_time), label: messages.chart.restarted }],
      thresholds: new Map(CHARTED_METRICS.map((metric) => [metric, thresholdsOf(rules ?? [], subject, metric)])),
    }
  }, [incidents, windows, rules, id, tags, boot_time])
}

export const CHART_GRID = 'grid gap-3 lg:grid-cols-2'
