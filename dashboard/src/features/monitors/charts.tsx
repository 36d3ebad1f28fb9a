import type { MonitorDetails, MonitorStats } from '@vedette/shared'
import { MINUTE_MS } from '@vedette/shared/tables'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart, ChartSkeleton } from '../../components/chart/chart.tsx'
import type { Line } from '../../components/chart/types.ts'
import { Stat, ErrorPanel } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { count, milliseconds, uptime } from '../../lib/format.ts'
import { annotationMarks, incidentBands, statusBands, thresholdsOf, windowBands } from '../../lib/chart-notes.ts'
import { boundsOf, type Range, rangeKey } from '../../lib/range.ts'
import { kindOf } from './kind.ts'
import { phaseLines } from './phase-lines.ts'
import { allWindowsQuery, annotationsQuery, targetIncidentsQuery } from '../../lib/target-queries.ts'
import { messages } from '../../messages/index.ts'
import { rangeTransitionsQuery, statsQuery } from './queries.ts'

const text = messages.monitors

interface Props {
  monitor: MonitorDetails
  range: Range
  region: string | undefined
  onZoom: (from: number, to: number) => void
  onReset: () => void
}

const HEIGHT = 220
const NONE: readonly number[] = []

/** Each further line is a request and makes the chart harder to read. */
const MOST_REGIONS = 5
const COLORS: readonly Line['color'][] = [2, 3, 4, 5, 6]

/** The statistics and response times of the range, with a line per region where there are several. */
export function MonitorCharts({ monitor, range, region, onZoom, onReset }: Props) {
  const viewer = useViewer()
  const stats = useQuery(statsQuery(viewer, monitor.id, range, region))
  const { regions = [] } = monitor
  const split = region === undefined && regions.length > 1 ? regions.slice(0, MOST_REGIONS) : []
  const perRegion = useQueries({ queries: split.map((id) => statsQuery(viewer, monitor.id, range, id, false)) })
  const series = stats.data?.series
  const regionSeries = perRegion.map(({ data }) => data?.series)
  // The arrays are new on each render; their values change with an answer.
  const stamp = [...split, ...perRegion.map(({ dataUpdatedAt }) => dataUpdatedAt)].join()
  const lines = useMemo(() => (series ? linesOf(series, split, regionSeries) : []), [series, stamp])
  const phases = useMemo(() => (series?.phases ? phaseLines(series.phases) : []), [series])
  const { bands, marks, thresholds } = useNotes(monitor, range)
  if (stats.isError && !stats.data) return <ErrorPanel error={stats.error} onRetry={() => void stats.refetch()} />
  if (!stats.data || !series) return <Loading />
  const common = {
    from: Date.parse(series.from),
    stepSeconds: series.step_seconds,
    shared: monitor.id,
    bands,
    marks,
    thresholds,
    onZoom,
    onReset,
  }
  return (
    <div className="grid gap-3">
      <Figures stats={monitor.last_checked_at === null ? undefined : stats.data} />
      {hasResponses(monitor, series) && (
        <Chart title={text.charts.response} format={milliseconds} atLeast={10} lines={lines} height={HEIGHT} {...common} />
      )}
      {kindOf(monitor.type).isChecked && phases.length > 0 && (
        <Chart title={text.charts.phases} format={milliseconds} atLeast={10} lines={phases} {...common} thresholds={NONE} />
      )}
    </div>
  )
}

type Series = NonNullable<MonitorStats['series']>

/** Jobs that report no duration have no times: a chart of them would stay empty. */
const hasResponses = ({ type }: MonitorDetails, { avg_response_ms }: Series): boolean =>
  kindOf(type).isChecked || avg_response_ms.some((value) => value !== null)

function linesOf(series: Series, regions: readonly string[], regionSeries: readonly (Series | undefined)[]): Line[] {
  const isSplit = regions.length > 0
  return [
    { label: text.charts.mean, color: 1, values: series.avg_response_ms, area: !isSplit },
    ...(isSplit ? [] : [{ label: text.charts.p95, color: 3, values: series.p95_response_ms } as const]),
    ...regions.map((label, index) => ({
      label,
      color: COLORS[index] ?? 6,
      values: (regionSeries[index]?.avg_response_ms ?? []) as Line['values'],
    })),
  ]
}

/** Down and degraded times, maintenance, incidents of other rules, and the thresholds of rules for the response time. */
function useNotes(monitor: MonitorDetails, range: Range) {
  const viewer = useViewer()
  const { data: transitions } = useQuery(rangeTransitionsQuery(viewer, monitor.id, range))
  const { data: incidents } = useQuery(targetIncidentsQuery(viewer, monitor.id, range))
  const { data: windows } = useQuery(allWindowsQuery(viewer))
  const { data: annotations } = useQuery(annotationsQuery(viewer, range))
  const { id, tags, status, status_since, alert_rules } = monitor
  return useMemo(() => {
    const subject = { type: 'monitor', id, tags } as const
    const statuses = transitions ? statusBands(transitions, { status, status_since }, boundsOf(range, Date.now())) : []
    const isDrawn = ({ opened_at }: { opened_at: string }) =>
      statuses.some(({ from, to }) => Date.parse(opened_at) >= from - MINUTE_MS && Date.parse(opened_at) <= to + MINUTE_MS)
    const others = (incidents ?? []).filter((incident) => !isDrawn(incident))
    return {
      bands: [
        ...windowBands(windows ?? [], subject, boundsOf(range, Date.now())),
        ...statuses,
        ...incidentBands(others, Date.now()),
      ],
      marks: annotationMarks(annotations ?? [], subject),
      thresholds: thresholdsOf(alert_rules, subject, 'response_ms'),
    }
  }, [transitions, incidents, windows, annotations, id, tags, status, status_since, alert_rules, rangeKey(range)])
}

/** Placeholder of the same height as the content. */
function Loading() {
  return (
    <div aria-busy="true" className="grid gap-3">
      <Figures stats={undefined} />
      <ChartSkeleton height={HEIGHT} />
    </div>
  )
}

function Figures({ stats }: { stats: MonitorStats | undefined }) {
  const { figures } = text
  const shown = (value: (stats: MonitorStats) => string) => (stats && stats.total_checks > 0 ? value(stats) : messages.unknown)
  // The API has 0 for a mean of nothing.
  const time = (value: (stats: MonitorStats) => number) =>
    shown((known) => (value(known) === 0 ? messages.unknown : milliseconds(value(known))))
  return (
    <dl className="panel grid grid-cols-2 gap-x-5 gap-y-3 px-4 py-3 sm:grid-cols-3 xl:grid-cols-6">
      <Stat name={figures.uptime} value={shown(({ uptime_percent }) => uptime(uptime_percent))} />
      <Stat name={figures.average} value={time(({ avg_response_ms }) => avg_response_ms)} />
      <Stat name={figures.p95} value={time(({ p95_response_ms }) => p95_response_ms)} />
      <Stat name={figures.p99} value={time(({ p99_response_ms }) => p99_response_ms)} />
      <Stat name={figures.checks} value={stats ? count(stats.total_checks) : messages.unknown} />
      <Stat
        name={figures.failed}
        value={stats ? count(stats.failed_checks) : messages.unknown}
        tone={stats && stats.failed_checks > 0 ? 'text-bad' : ''}
      />
    </dl>
  )
}
