import {
  MAX_ALERT_LABEL_BYTES,
  MAX_ALERT_LABELS,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  RESOLVE_AFTER_SECONDS,
  type AlertSourceType,
  type Severity,
} from '@vedette/shared'
import { cutText } from '../../monitoring/checks/index.ts'
import type { ExternalAlert, StoredRoute } from '../../platform/db/index.ts'
import { idOfText } from '../../platform/ids.ts'
import type { ReceivedAlert } from './formats/format.ts'
import { OWN_WORDS } from './formats/severity-words.ts'
import { lineOf, urlOf } from './formats/texts.ts'

export { lineOf }

// What becomes of the texts and instants of a sender. All of it is pure.

const SEVERITIES: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  page: 'critical',
  '1': 'critical',
  disaster: 'critical',
  high: 'critical',
  warning: 'warning',
  '2': 'warning',
  average: 'warning',
}
/** Grafana sends one for each query without data, which says nothing of what is queried. */
const NO_DATA = 'DatasourceNoData'

export interface SeveritySettings {
  type: AlertSourceType
  severity_map: Readonly<Record<string, Severity>>
  default_severity: Severity
}

/** The severity of a sender's word, in any case: those of the source come first, then those of its type. */
export function severityOf(
  { type, severity_map: own, default_severity: none }: SeveritySettings,
  { severity, labels }: Pick<ReceivedAlert, 'severity' | 'labels'>,
): Severity {
  const ownOf = (text: string) => Object.entries(own).find(([name]) => name.toLowerCase() === text.toLowerCase())?.[1]
  if (labels['alertname'] === NO_DATA) return ownOf(NO_DATA) ?? 'info'
  const word = severity?.trim() ?? ''
  if (word === '') return none
  const small = word.toLowerCase()
  return ownOf(word) ?? OWN_WORDS[type]?.[small] ?? SEVERITIES[small] ?? 'info'
}

/** What names an alert within all sources: nobody but its sender can name another's. */
export const fingerprintOf = (sourceId: string, key: string): string => idOfText(JSON.stringify([sourceId, key]))

/** Of the incident that says that a source has too many: no alert has it. */
export const overflowOf = (sourceId: string): string => idOfText(JSON.stringify([sourceId]))

export const MAX_SUMMARY_BYTES = 500
export const MAX_TEXT_BYTES = 4_096
const MAX_NAME_BYTES = 200
const MAX_BY_BYTES = 200

/** Other control characters than line breaks and tabs: PostgreSQL refuses one of them, and some steer a terminal. */
const CONTROLS_OF_TEXT = /[^\P{Cc}\n\t]/gu

/** Of several lines; null where nothing is left. */
function textOf(text: string): string | null {
  const lines = text
    .slice(0, 4 * MAX_TEXT_BYTES)
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROLS_OF_TEXT, ' ')
    .trim()
  return lines === '' ? null : cutText(lines, MAX_TEXT_BYTES)
}

const MAX_BYTES_A_UNIT = 3
const isTooLong = (text: string): boolean =>
  text.length * MAX_BYTES_A_UNIT > MAX_ALERT_LABEL_BYTES && Buffer.byteLength(text) > MAX_ALERT_LABEL_BYTES

/** Labels within their bounds, in the order of their names, and how many are missing or shorter than they were sent. One without a value is none. */
function cutLabels(labels: Readonly<Record<string, string>>): { labels: Record<string, string>; cut: number } {
  const sent = Object.entries(labels)
    .filter(([, value]) => value.trim() !== '')
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  let cut = Math.max(0, sent.length - MAX_ALERT_LABELS)
  const kept = sent.slice(0, MAX_ALERT_LABELS).map(([name, value]): [string, string] => {
    const line: [string, string] = [lineOf(name, MAX_ALERT_LABEL_BYTES) || '_', lineOf(value, MAX_ALERT_LABEL_BYTES)]
    if (isTooLong(name) || isTooLong(value)) cut += 1
    return line
  })
  // What has control characters alone says nothing either.
  return { labels: Object.fromEntries(kept.filter(([, value]) => value !== '')), cut }
}

/** What names the host of an alert, the most certain first. */
export const SUBJECT_LABELS = ['server_id', 'monitor_id', 'host.id', 'host', 'instance', 'hostname'] as const

export interface LabelSettings {
  tags: readonly string[]
  tag_labels: readonly string[]
  group_by: readonly string[]
  routes: readonly StoredRoute[]
}

/** An alert as an incident keeps it. */
export interface DescribedAlert {
  external: ExternalAlert
  labelsCut: number
  summary: string
  text: string | null
  startedAtMs: number | null
}

export function describe(settings: LabelSettings, alert: ReceivedAlert): DescribedAlert {
  const { labels, cut } = cutLabels(alert.labels)
  const title = lineOf(alert.title, MAX_SUMMARY_BYTES) || lineOf(alert.key, MAX_SUMMARY_BYTES) || 'alert'
  const host = SUBJECT_LABELS.flatMap((name) => (name.endsWith('_id') || name === 'host.id' ? [] : (labels[name] ?? [])))[0]
  const groups = settings.group_by.map((name) => `${name}=${labels[name] ?? ''}`)
  const route = settings.routes.find((one) => Object.entries(one.labels).every(([name, value]) => labels[name] === value))
  const tagged = settings.tag_labels.flatMap((name) => (labels[name] ? [lineOf(`${name}:${labels[name]}`, MAX_TAG_LENGTH)] : []))
  return {
    external: {
      name: cutText(host || title, MAX_NAME_BYTES),
      url: urlOf(alert.url),
      labels,
      tags: [...new Set([...settings.tags, ...tagged])].slice(0, MAX_TAGS + settings.tag_labels.length),
      group: groups.length === 0 ? null : groups.join(', '),
      ...(route && { policy: route.policy_id }),
    },
    labelsCut: cut,
    summary: title,
    text: alert.text === null ? null : textOf(alert.text),
    startedAtMs: instantOf(alert.startsAtMs),
  }
}

/** Who did something at the sender, for the timeline. */
export const byText = (sourceName: string, by: string | null): string =>
  by === null || by.trim() === '' ? `by ${sourceName}` : `by ${lineOf(by, MAX_BY_BYTES)} in ${sourceName}`

const MAX_COMMENT_BYTES = 2_000

/** What somebody wrote at the sender, for the timeline. */
export const commentText = (text: string, sourceName: string, by: string | null): string =>
  `${lineOf(text, MAX_COMMENT_BYTES)} (${byText(sourceName, by)})`

const [FIRST_MS, LAST_MS] = [0, Date.parse('9999-12-31T23:59:59.999Z')]

/** The year 1 means none, and so does what no calendar has. */
export const instantOf = (atMs: number | null): number | null =>
  atMs !== null && atMs > FIRST_MS && atMs <= LAST_MS ? atMs : null

/** Whether it is over: its sender says so, or it was to end by now. */
export function isOver({ status, endsAtMs }: Pick<ReceivedAlert, 'status' | 'endsAtMs'>, nowMs: number): boolean {
  const endMs = instantOf(endsAtMs)
  return status === 'resolved' || (status === 'firing' && endMs !== null && endMs <= nowMs)
}

/** When an alert ends unless it is sent again, ms; null: its sender says when. What is later than a week is no end. */
export function endOf(
  { endsAtMs }: Pick<ReceivedAlert, 'endsAtMs'>,
  resolveAfterSeconds: number | null,
  nowMs: number,
): number | null {
  const sentMs = instantOf(endsAtMs)
  const ends = [
    ...(sentMs !== null && sentMs > nowMs && sentMs <= nowMs + RESOLVE_AFTER_SECONDS.maximum * 1000 ? [sentMs] : []),
    ...(resolveAfterSeconds === null ? [] : [nowMs + resolveAfterSeconds * 1000]),
  ]
  return ends.length === 0 ? null : Math.min(...ends)
}

/** What is stored of an end: a quarter later, so that it need not be moved each time that the alert is sent again. */
export const storedEnd = (endMs: number, nowMs: number): number => Math.round(endMs + (endMs - nowMs) / 4)

/** Whether a stored end must be moved for the one that an alert has now. */
export function mustMove(storedMs: number | null, endMs: number | null, nowMs: number): boolean {
  if (storedMs === null || endMs === null) return storedMs !== endMs
  return endMs > storedMs || storedMs - endMs > (endMs - nowMs) / 2
}
