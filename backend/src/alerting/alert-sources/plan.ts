import type { Severity } from '@vedette/shared'
import {
  byText,
  commentText,
  describe,
  type DescribedAlert,
  endOf,
  fingerprintOf,
  isOver,
  type LabelSettings,
  lineOf,
  mustMove,
  overflowOf,
  type SeveritySettings,
  severityOf,
  storedEnd,
} from './alert.ts'
import type { ReceivedAlert } from './formats/format.ts'

/** What a source says of what becomes of its alerts. */
export interface SourceSettings extends SeveritySettings, LabelSettings {
  id: string
  name: string
  resolve_after_seconds: number | null
  max_open: number
  muted: boolean
}

/** What is known of an alert with an open incident, or one that was resolved by hand. */
export interface OpenAlert {
  endsAtMs: number | null
  isMuted: boolean
  isAcknowledged: boolean
}

/** What is open of a source. */
export interface OpenAlerts {
  /** By fingerprint: those that alerts of the request name, and the incident about too many. */
  known: ReadonlyMap<string, OpenAlert>
  /** All of them, without the incident about too many. */
  total: number
}

/** An alert that opens. */
export interface NewAlert {
  fingerprint: string
  alert: ReceivedAlert
  severity: Severity
}

export interface OpeningAlert extends DescribedAlert {
  fingerprint: string
  key: string
  severity: Severity
  /** As it is stored. */
  endsAtMs: number | null
}

/** What the alerts of one request change; nothing where all are as they were. */
export interface AlertPlan {
  open: NewAlert[]
  /** With what their timelines say. */
  resolve: { fingerprint: string; reason: string }[]
  acknowledge: { fingerprint: string; message: string }[]
  comment: { fingerprint: string; message: string }[]
  move: { fingerprint: string; endsAtMs: number | null }[]
  /** That open nothing, as too many are open. */
  beyond: string[]
  /** The incident that says so has ended. */
  endsOverflow: boolean
}

const ORDER: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

/** Of several with one key the last counts. Pure. */
export const byFingerprint = (sourceId: string, alerts: readonly ReceivedAlert[]): Map<string, ReceivedAlert> =>
  new Map(alerts.map((alert) => [fingerprintOf(sourceId, alert.key), alert]))

/** What alerts, by their fingerprints, do to what is open of their source, each by itself. Pure. */
export function planAlerts(
  source: SourceSettings,
  alerts: ReadonlyMap<string, ReceivedAlert>,
  { known: open, total }: OpenAlerts,
  nowMs: number,
): AlertPlan {
  const plan: AlertPlan = { open: [], resolve: [], acknowledge: [], comment: [], move: [], beyond: [], endsOverflow: false }
  const news: NewAlert[] = []
  for (const [fingerprint, alert] of alerts) {
    const known = open.get(fingerprint)
    if (!known) {
      if (alert.status === 'firing' && !source.muted && !isOver(alert, nowMs))
        news.push({ fingerprint, alert, severity: severityOf(source, alert) })
      continue
    }
    const by = byText(source.name, alert.by)
    if (isOver(alert, nowMs)) plan.resolve.push({ fingerprint, reason: `resolved ${by}` })
    else if (alert.status === 'firing') keepOpen(plan, source, fingerprint, alert, known, nowMs)
    else if (known.isMuted) continue
    else if (alert.status === 'commented')
      plan.comment.push({ fingerprint, message: commentText(alert.text ?? alert.title, source.name, alert.by) })
    else if (!known.isAcknowledged) plan.acknowledge.push({ fingerprint, message: `acknowledged ${by}` })
  }
  const overflow = overflowOf(source.id)
  const left = total - plan.resolve.length
  const room = Math.max(0, source.max_open - left)
  const ordered = news.toSorted((one, other) => ORDER[one.severity] - ORDER[other.severity])
  plan.open = ordered.slice(0, room)
  plan.beyond = ordered.slice(room).map(({ fingerprint }) => fingerprint)
  plan.endsOverflow = open.has(overflow) && plan.beyond.length === 0 && left + plan.open.length < source.max_open
  return plan
}

function keepOpen(
  plan: AlertPlan,
  { resolve_after_seconds: seconds }: SourceSettings,
  fingerprint: string,
  alert: ReceivedAlert,
  { endsAtMs: storedMs }: OpenAlert,
  nowMs: number,
): void {
  const endMs = endOf(alert, seconds, nowMs)
  if (mustMove(storedMs, endMs, nowMs)) plan.move.push({ fingerprint, endsAtMs: endMs === null ? null : storedEnd(endMs, nowMs) })
}

/** An alert as its incident has it. Pure. */
export function openingOf(source: SourceSettings, { fingerprint, alert, severity }: NewAlert, nowMs: number): OpeningAlert {
  const endMs = endOf(alert, source.resolve_after_seconds, nowMs)
  return {
    ...describe(source, alert),
    fingerprint,
    key: lineOf(alert.key, 256),
    severity,
    endsAtMs: endMs === null ? null : storedEnd(endMs, nowMs),
  }
}

/** Whether it changes nothing that is stored; what is beyond the bound may. Pure. */
export const isEmpty = ({ open, resolve, acknowledge, comment, move, endsOverflow }: AlertPlan): boolean =>
  open.length + resolve.length + acknowledge.length + comment.length + move.length === 0 && !endsOverflow
