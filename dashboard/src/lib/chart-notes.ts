import type { AlertRule, Annotation, IncidentItem, MaintenanceWindow } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { usualDistance } from './chart-data.ts'
import type { Band, Mark } from './chart-types.ts'
import { instantAt, localTimeAt } from './time-zone.ts'
import { type AlertSubject, appliesTo } from './target-queries.ts'
import { messages } from '../messages/index.ts'

/** More bands of one window cover a chart. */
const MOST_OCCURRENCES = 100
/** Shorter silences are delays. */
const MIN_GAP_MS = 180_000

const TONES = { critical: 'bad', warning: 'warn', info: 'idle' } as const

/** The times in which incidents were open. */
export const incidentBands = (incidents: readonly IncidentItem[], nowMs: number): Band[] =>
  incidents.map(({ opened_at, resolved_at, severity, summary }) => ({
    from: Date.parse(opened_at),
    to: resolved_at === null ? nowMs : Date.parse(resolved_at),
    tone: TONES[severity],
    label: summary,
  }))

/** What happened to the subject, to everything with one of its tags, or to everything. */
export const annotationMarks = (annotations: readonly Annotation[], { type, id, tags }: AlertSubject): Mark[] =>
  annotations
    .filter((one) => {
      const own = one[`${type}_id`]
      if (one.server_id !== null || one.monitor_id !== null) return own === id
      return one.tags.length === 0 || one.tags.some((tag) => tags.includes(tag))
    })
    .map(({ at, text }) => ({ at: Date.parse(at), label: text }))

interface Span {
  from: number
  to: number
}

/** The maintenance windows that apply to the subject, in a range. */
export const windowBands = (windows: readonly MaintenanceWindow[], subject: AlertSubject, range: Span): Band[] =>
  windows
    .filter(({ target }) => appliesTo(target, subject))
    .flatMap((window) =>
      startsIn(window, range).map((from): Band => {
        const to = from + Date.parse(window.ends_at) - Date.parse(window.starts_at)
        return { from, to, tone: 'idle', label: messages.chart.maintenance(window.name) }
      }),
    )

/**
 * When a window starts so that it is in the range. Of rules that the editor does not make, and of windows with too many starts, the
 * first and the current one alone.
 */
function startsIn({ starts_at, ends_at, repeat, time_zone, under_way_until }: MaintenanceWindow, range: Span): number[] {
  const first = Date.parse(starts_at)
  const lengthMs = Date.parse(ends_at) - first
  const inRange = (from: number) => from >= first && from < range.to && from + lengthMs > range.from
  const current = under_way_until === null ? first : Date.parse(under_way_until) - lengthMs
  const few = [...new Set([first, current])].filter(inRange)
  const fits = repeat === null ? undefined : dayTest(repeat, localTimeAt(first, time_zone))
  if (!fits) return few
  const clock = localTimeAt(first, time_zone).slice(10)
  const starts: number[] = []
  // Noon in UTC is on the same date as local noon, or a day off: one more day on each side.
  for (let day = range.from - lengthMs - DAY_MS; day < range.to + DAY_MS; day += DAY_MS) {
    const date = new Date(day).toISOString().slice(0, 10)
    const at = fits(date) ? instantAt(`${date}${clock}`, time_zone) : undefined
    if (at !== undefined && inRange(at)) starts.push(at)
  }
  return starts.length > MOST_OCCURRENCES ? few : starts
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const
const weekdayOf = (date: string): string => WEEKDAYS[new Date(date).getUTCDay()] ?? ''

/** Whether a rule of the editor has an occurrence on a local date; undefined for other rules. */
function dayTest(rule: string, firstLocal: string): ((date: string) => boolean) | undefined {
  if (rule === 'FREQ=DAILY') return () => true
  const [, days] = /^FREQ=WEEKLY(?:;BYDAY=([A-Z,]+))?$/.exec(rule) ?? ['']
  if (rule.startsWith('FREQ=WEEKLY') && (days !== undefined || rule === 'FREQ=WEEKLY')) {
    const chosen = days?.split(',') ?? [weekdayOf(firstLocal.slice(0, 10))]
    return (date) => chosen.includes(weekdayOf(date))
  }
  const dayOfMonth = /^FREQ=MONTHLY;BYMONTHDAY=(\d{1,2})$/.exec(rule)?.[1]
  return dayOfMonth === undefined ? undefined : (date) => Number(date.slice(8)) === Number(dayOfMonth)
}

/** The times without samples, longer than usual, after the first sample; until `nowMs` where they last. */
export function gapBands(values: readonly (number | null)[], fromMs: number, stepSeconds: number, nowMs: number): Band[] {
  const most = Math.max(2 * usualDistance(values), Math.ceil(MIN_GAP_MS / (stepSeconds * 1000)))
  const at = (index: number) => fromMs + index * stepSeconds * 1000
  const known = values.flatMap((value, index) => (value === null ? [] : [index]))
  const last = Math.floor((nowMs - fromMs) / (stepSeconds * 1000))
  return known.flatMap((index, position): Band[] => {
    const next = known[position + 1] ?? Math.min(values.length, last)
    return next - index > most ? [{ from: at(index + 1), to: at(next), tone: 'idle', label: messages.chart.noSamples }] : []
  })
}

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
  const tones = { down: 'bad', degraded: 'warn', paused: 'idle', idle: 'idle' } as const
  return spans.flatMap((span) => {
    const tone = tones[span.status as keyof typeof tones]
    return tone ? [{ from: span.from, to: span.to, tone, label: messages.status[span.status] ?? span.status }] : []
  })
}
