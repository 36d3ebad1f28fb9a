import { ALERT_HISTORY_DAYS, DAY_MS, type EndedAlert, type ErrorDetail, toTimestamp } from '@vedette/shared'
import { instantFaults, parseInstant } from '../../../platform/time/instant.ts'
import { byText, commentText } from '../alert.ts'
import { alertOf } from '../formats/fields.ts'
import type { ReceivedAlert } from '../formats/format.ts'

// Alerts that another tool had, and that are over. All of it is pure.

/** With its instants as ms. */
export interface ReadAlert {
  alert: EndedAlert
  openedMs: number
  acknowledgedMs: number | null
  resolvedMs: number
  comments: { atMs: number; text: string; by: string | null }[]
}

/** What the schema does not say of instants, by the paths of the body. */
export const endedFaults = (alerts: readonly EndedAlert[], nowMs: number): ErrorDetail[] =>
  alerts.flatMap((alert, index) => faultsOf(alert, `alerts.${index}`, nowMs))

function faultsOf(alert: EndedAlert, path: string, nowMs: number): ErrorDetail[] {
  const { opened_at, acknowledged_at, resolved_at, comments = [] } = alert
  const unread = [
    ...instantFaults(`${path}.opened_at`, opened_at),
    ...instantFaults(`${path}.acknowledged_at`, acknowledged_at ?? undefined),
    ...instantFaults(`${path}.resolved_at`, resolved_at),
    ...comments.flatMap(({ at }, index) => instantFaults(`${path}.comments.${index}.at`, at)),
  ]
  if (unread.length > 0) return unread
  const read = readEnded(alert)
  const { openedMs, acknowledgedMs, resolvedMs } = read
  const faultIf = (isFault: boolean, field: string, message: string): ErrorDetail[] =>
    isFault ? [{ path: `${path}.${field}`, message }] : []
  return [
    ...faultIf(
      openedMs < nowMs - ALERT_HISTORY_DAYS * DAY_MS,
      'opened_at',
      `must be at most ${ALERT_HISTORY_DAYS} days ago: incidents are kept for that long`,
    ),
    ...faultIf(resolvedMs < openedMs, 'resolved_at', 'must not be before opened_at'),
    ...faultIf(resolvedMs > nowMs, 'resolved_at', 'must not be in the future: only alerts that are over are added'),
    ...faultIf(
      acknowledgedMs !== null && (acknowledgedMs < openedMs || acknowledgedMs > resolvedMs),
      'acknowledged_at',
      'must be between opened_at and resolved_at',
    ),
    ...read.comments.flatMap(({ atMs }, index) =>
      faultIf(atMs < openedMs || atMs > nowMs, `comments.${index}.at`, 'must be between opened_at and now'),
    ),
  ]
}

/** Of one without faults. */
export function readEnded(alert: EndedAlert): ReadAlert {
  const ms = (text: string) => parseInstant(text) as number
  return {
    alert,
    openedMs: ms(alert.opened_at),
    acknowledgedMs: typeof alert.acknowledged_at === 'string' ? ms(alert.acknowledged_at) : null,
    resolvedMs: ms(alert.resolved_at),
    comments: (alert.comments ?? []).map(({ at, text, by = null }) => ({ atMs: ms(at), text, by })),
  }
}

/** As its sender would have sent it. */
export const toReceived = ({ alert: { key, title, severity, labels, text, url }, openedMs }: ReadAlert): ReceivedAlert =>
  alertOf({
    key,
    status: 'resolved',
    title,
    severity: severity ?? null,
    labels: labels ?? {},
    text: text ?? null,
    url: url ?? null,
    startsAtMs: openedMs,
  })

/** An entry of its timeline. `by`: who did it, as the other tool says. */
export interface EndedEvent {
  atMs: number
  type: 'opened' | 'acknowledged' | 'comment' | 'resolved'
  message: string
  by: string | null
}

const ORDER = ['opened', 'acknowledged', 'comment', 'resolved']

/** What happened to it, in the order of its times. */
export function timelineOf(sourceName: string, summary: string, read: ReadAlert): EndedEvent[] {
  const { alert, openedMs, acknowledgedMs, resolvedMs, comments } = read
  const [acknowledgedBy, resolvedBy] = [alert.acknowledged_by ?? null, alert.resolved_by ?? null]
  const events: EndedEvent[] = [
    { atMs: openedMs, type: 'opened', message: summary, by: null },
    ...(acknowledgedMs === null
      ? []
      : [
          {
            atMs: acknowledgedMs,
            type: 'acknowledged' as const,
            message: `acknowledged ${byText(sourceName, acknowledgedBy)}`,
            by: acknowledgedBy,
          },
        ]),
    ...comments.map(({ atMs, text, by }) => ({
      atMs,
      type: 'comment' as const,
      message: commentText(text, sourceName, by),
      by,
    })),
    { atMs: resolvedMs, type: 'resolved', message: `resolved ${byText(sourceName, resolvedBy)}`, by: resolvedBy },
  ]
  return events.toSorted((one, other) => one.atMs - other.atMs || ORDER.indexOf(one.type) - ORDER.indexOf(other.type))
}

/** The people whom alerts name, in small letters. */
export const peopleOf = (alerts: readonly ReadAlert[]): string[] => [
  ...new Set(
    alerts.flatMap(({ alert, comments }) =>
      [alert.acknowledged_by, alert.resolved_by, ...comments.map(({ by }) => by)].flatMap((by) => (by ? emailOf(by) : [])),
    ),
  ),
]

export const emailOf = (by: string): string => by.trim().toLowerCase()

/** What the evidence says in addition: when it was added, by which an incident of another tool is known. */
export const addedOf = (nowMs: number) => ({ added_at: toTimestamp(nowMs) })
