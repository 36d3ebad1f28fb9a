import type { Incident, IncidentTarget } from '@vedette/shared'
import { HOUR_MS } from '@vedette/shared/tables'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart, ChartSkeleton } from '../../components/chart/chart.tsx'
import { type Api, useViewer } from '../../lib/api.ts'
import { annotationMarks, incidentBands } from '../../lib/chart-notes.ts'
import { milliseconds, percent } from '../../lib/format.ts'
import { annotationsQuery } from '../../lib/target-queries.ts'
import { incidentPage } from '../../messages/incident-page.ts'
import { messages } from '../../messages/index.ts'

const POINTS = 240
const HEIGHT = 180
/** Of a long incident the chart shows the beginning. */
const MOST_MS = 24 * HOUR_MS

/** From an hour before the incident to half an hour after it. */
export function spanOf({ opened_at, resolved_at }: Pick<Incident, 'opened_at' | 'resolved_at'>, nowMs: number) {
  const openedMs = Date.parse(opened_at)
  const from = openedMs - HOUR_MS
  const endMs = resolved_at === null ? nowMs : Date.parse(resolved_at) + HOUR_MS / 2
  return { from, to: Math.max(openedMs + 1, Math.min(endMs, nowMs, from + MOST_MS)) }
}

type Values = readonly (number | null)[]
interface Moment {
  from: number
  stepSeconds: number
  lines: readonly { label: string; values: Values }[]
}

/** Response times of a monitor, or CPU and memory of a server; undefined where nothing was measured. */
const momentQuery = ({ organizationId, client }: Api, { id, target, opened_at, resolved_at }: Incident) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'moment', id, resolved_at],
    queryFn: async ({ signal }): Promise<Moment | null> => {
      const { from, to } = spanOf({ opened_at, resolved_at }, Date.now())
      const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), points: POINTS }
      if (target.type === 'monitor') {
        const { series } = await client.monitors.stats(target.id, query, { signal })
        return series ? momentOf(series, [{ label: messages.monitors.charts.mean, values: series.avg_response_ms }]) : null
      }
      const { series } = await client.servers.metrics(target.id, query, { signal })
      if (!series) return null
      return momentOf(series, [
        { label: incidentPage.evidence.cpu, values: series.cpu?.percent?.avg ?? [] },
        { label: incidentPage.evidence.memory, values: series.memory?.percent?.avg ?? [] },
      ])
    },
    enabled: isMeasured(target),
    retry: false,
    staleTime: 60_000,
  })

/** Of the error budget of an SLO and of a series nothing is measured at a moment. */
const isMeasured = (target: IncidentTarget): target is IncidentTarget & { type: 'monitor' | 'server' } =>
  target.type === 'monitor' || target.type === 'server'

const momentOf = (series: { from: string; step_seconds: number }, lines: Moment['lines']): Moment => ({
  from: Date.parse(series.from),
  stepSeconds: series.step_seconds,
  lines: lines.filter(({ values }) => values.some((value) => value !== null)),
})

/** What was measured of the target before and while the incident was open; nothing of a deleted target. */
export default function MomentChart({ incident }: { incident: Incident }) {
  const viewer = useViewer()
  const { data: moment, isLoading } = useQuery(momentQuery(viewer, incident))
  const { opened_at, resolved_at, target } = incident
  const range = useMemo(() => spanOf({ opened_at, resolved_at }, Date.now()), [opened_at, resolved_at])
  const annotations = useQuery({ ...annotationsQuery(viewer, range), enabled: isMeasured(target) }).data
  const notes = useMemo(
    () => ({
      bands: incidentBands([incident], Date.now()),
      marks: isMeasured(target) ? annotationMarks(annotations ?? [], { type: target.type, id: target.id, tags: [] }) : [],
    }),
    [incident, annotations, target],
  )
  const lines = useMemo(
    () => moment?.lines.map((line, index) => ({ ...line, color: index === 0 ? (1 as const) : (3 as const) })) ?? [],
    [moment],
  )
  // What follows stays where it is.
  if (isLoading) return <ChartSkeleton height={HEIGHT} />
  if (!moment || lines.length === 0) return null
  return (
    <Chart
      title={incidentPage.chart}
      format={target.type === 'monitor' ? milliseconds : percent}
      atLeast={10}
      lines={lines}
      from={moment.from}
      stepSeconds={moment.stepSeconds}
      height={HEIGHT}
      {...notes}
    />
  )
}
