import type { AlertRule, IncidentItem, MaintenanceWindow } from '@vedette/shared'
import type { Band } from './chart-types.ts'
import { type AlertSubject, appliesTo } from './target-queries.ts'
import { messages } from '../messages/index.ts'

const TONES = { critical: 'bad', warning: 'warn', info: 'idle' } as const

/** The times in which incidents were open. */
export const incidentBands = (incidents: readonly IncidentItem[], nowMs: number): Band[] =>
  incidents.map(({ opened_at, resolved_at, severity, summary }) => ({
    from: Date.parse(opened_at),
    to: resolved_at === null ? nowMs : Date.parse(resolved_at),
    tone: TONES[severity],
    label: summary,
  }))

/** The maintenance windows that apply to the subject: the first occurrence, and the current one of those that repeat. */
export const windowBands = (windows: readonly MaintenanceWindow[], subject: AlertSubject): Band[] =>
  windows
    .filter(({ target }) => appliesTo(target, subject))
    .flatMap(({ name, starts_at, ends_at, under_way_until }) => {
      const [from, to] = [Date.parse(starts_at), Date.parse(ends_at)]
      const untilMs = under_way_until === null ? to : Date.parse(under_way_until)
      const label = messages.chart.maintenance(name)
      const first: Band = { from, to, tone: 'idle', label }
      return untilMs === to ? [first] : [first, { ...first, from: untilMs - (to - from), to: untilMs }]
    })

/** The values at which enabled rules for a metric open an incident. */
export const thresholdsOf = (rules: readonly AlertRule[], subject: AlertSubject, metric: string): number[] =>
  rules
    .filter(({ enabled, target, condition }) => enabled && condition.metric === metric && appliesTo(target, subject))
    .flatMap(({ condition: { value } }) => (typeof value === 'number' ? [value] : []))

/** The times in which a monitor had a status, by its transitions in a range, the newest first. */
export function statusBands(
  transitions: readonly { at: string; from_status: string; to_status: string }[],
  current: { status: string; status_since: string },
  { from, to }: { from: number; to: number },
): Band[] {
  const times = transitions.map(({ at }) => Date.parse(at))
  // Each status lasts from its transition to the next; before the first one the monitor had what that one ended.
  const spans = transitions.map(({ to_status }, index) => ({
    status: to_status,
    from: times[index] as number,
    to: times[index - 1] ?? to,
  }))
  const oldest = transitions.at(-1)
  if (oldest) spans.push({ status: oldest.from_status, from, to: times.at(-1) as number })
  else if (Date.parse(current.status_since) < to)
    spans.push({ status: current.status, from: Math.max(from, Date.parse(current.status_since)), to })
  const tones = { down: 'bad', degraded: 'warn', paused: 'idle' } as const
  return spans.flatMap((span) => {
    const tone = tones[span.status as keyof typeof tones]
    return tone ? [{ from: span.from, to: span.to, tone, label: messages.status[span.status] ?? span.status }] : []
  })
}
