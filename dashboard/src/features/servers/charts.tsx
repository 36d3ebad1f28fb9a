import type { ServerDetails, ServerMetrics } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart, ChartSkeleton } from '../../components/chart/chart.tsx'
import type { Line } from '../../components/chart/types.ts'
import { ErrorPanel } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { boundsOf, type Range, rangeKey } from '../../lib/range.ts'
import { serverName } from '../../lib/server-name.ts'
import { messages } from '../../messages/index.ts'
import { annotationMarks, gapBands, incidentBands, thresholdsOf, windowBands } from '../../lib/chart-notes.ts'
import { allRulesQuery, allWindowsQuery, annotationsQuery, targetIncidentsQuery } from '../../lib/target-queries.ts'
import { chartsOf, withComparison } from './chart-lines.ts'
import { metricsQuery, serverQuery } from './queries.ts'

type Series = NonNullable<ServerMetrics['series']>
const WEEK_MS = 7 * DAY_MS
const NONE: readonly number[] = []

/** The number of placeholders while the charts load. */
const CHARTS = 8

interface Props {
  server: ServerDetails
  range: Range
  /** `week`, or the id of another server. */
  compare: string | undefined
  onZoom: (from: number, to: number) => void
  onReset: () => void
  onPick: (at: number) => void
}

/** The charts of a server, from one request and with a shared cursor. */
export function ServerCharts({ server, range, compare, ...events }: Props) {
  const viewer = useViewer()
  const metrics = useQuery(metricsQuery(viewer, server.id, range))
  const { series } = metrics.data ?? {}
  const notes = useNotes(server, range, series)
  const compared = useComparison(server.id, series, compare)
  const charts = useMemo(() => {
    if (!series) return undefined
    const own = chartsOf(series)
    return compared ? withComparison(own, series, compared.series, compared.label, compared.shiftMs) : own
  }, [series, compared])
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
          shared={server.id}
          bands={notes.bands}
          marks={notes.marks}
          thresholds={notes.thresholds.get(chart.title) ?? NONE}
          {...events}
        />
      ))}
    </section>
  )
}

/** Incidents, maintenance, the restart of the host and the thresholds of rules, for the charts. */
export function useNotes(server: ServerDetails, range: Range, series: Series | undefined) {
  const viewer = useViewer()
  const { data: incidents } = useQuery(targetIncidentsQuery(viewer, server.id, range))
  const { data: windows } = useQuery(allWindowsQuery(viewer))
  const { data: rules } = useQuery(allRulesQuery(viewer))
  const { data: annotations } = useQuery(annotationsQuery(viewer, range))
  const { id, tags, boot_time } = server
  return useMemo(() => {
    const subject = { type: 'server', id, tags } as const
    const thresholdsOfLines = (lines: readonly Line[]) =>
      lines.flatMap(({ metric }) => (metric === undefined ? [] : thresholdsOf(rules ?? [], subject, metric)))
    return {
      bands: [
        ...(series ? gapBands(busyOf(series), Date.parse(series.from), series.step_seconds, Date.now()) : []),
        ...windowBands(windows ?? [], subject, boundsOf(range, Date.now())),
        ...incidentBands(incidents ?? [], Date.now()),
      ],
      marks: [
        ...(boot_time === null ? [] : [{ at: Date.parse(boot_time), label: messages.chart.restarted }]),
        ...annotationMarks(annotations ?? [], subject),
      ],
      thresholds: new Map(series ? chartsOf(series).map(({ title, lines }) => [title, thresholdsOfLines(lines)]) : []),
    }
  }, [incidents, windows, rules, annotations, id, tags, boot_time, series, rangeKey(range)])
}

const busyOf = (series: Series): readonly (number | null)[] => series.cpu?.percent?.avg ?? []

/** The samples that a comparison draws, for the times of the series. */
function useComparison(serverId: string, series: Series | undefined, compare: string | undefined) {
  const viewer = useViewer()
  const isWeek = compare === 'week'
  const otherId = isWeek || compare === undefined ? serverId : compare
  const shiftMs = isWeek ? WEEK_MS : 0
  const fromMs = series ? Date.parse(series.from) - shiftMs : 0
  const range = { from: fromMs, to: fromMs + (series ? series.points * series.step_seconds * 1000 : 0) }
  const isOn = series !== undefined && compare !== undefined
  const { data } = useQuery({ ...metricsQuery(viewer, otherId, range), enabled: isOn })
  const { data: other } = useQuery({ ...serverQuery(viewer, otherId), enabled: isOn && !isWeek, refetchInterval: false })
  const label = isWeek ? messages.servers.compare.weekBefore : other && serverName(other)
  const found = isOn ? data?.series : undefined
  return useMemo(() => (found && label !== undefined ? { series: found, label, shiftMs } : undefined), [found, label, shiftMs])
}

export const CHART_GRID = 'grid gap-3 lg:grid-cols-2'
