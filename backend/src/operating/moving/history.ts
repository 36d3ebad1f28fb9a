import type { EndedAlert } from '@vedette/shared'
import {
  ALERT_HISTORY_DAYS,
  DAY_MS,
  MAX_ALERT_LABEL_BYTES,
  MAX_ALERT_LABELS,
  MAX_HISTORY_COMMENTS,
  MAX_SEVERITY_WORD_LENGTH,
  toTimestamp,
} from '@vedette/shared'
import type { SourceFiles } from './files.ts'
import { type Json, listOf } from './json.ts'

// Alerts that the source had, as they are added here. All of it is pure.

/** An alert of the source, as its files say. */
export interface PastAlert {
  id: string
  key: string
  title: string
  text?: string
  severity?: string | null
  labels?: Readonly<Record<string, string>>
  url?: string
  /** Undefined: no file says it. */
  openedMs: number | undefined
  acknowledgedMs?: number | undefined
  acknowledgedBy?: string
  /** Undefined: it is open, or no file says when it ended. */
  resolvedMs: number | undefined
  resolvedBy?: string
  isOpen: boolean
  comments?: readonly { atMs: number | undefined; text: string; by: string }[]
  /** Of the alert source that what it came by became: `alert_source:…`. Undefined: it names none. */
  ref: string | undefined
  /** What it came by, in words of the source. */
  by: string
}

/** The objects of a list that a fetch has saved: `past/incidents-1.json` and so on. */
export const pastIn = (files: SourceFiles, name: string): Json[] =>
  [...files].flatMap(([path, content]) => (PAST_FILE.exec(path)?.[1] === name ? listOf(content) : []))

const PAST_FILE = /^past\/(\w+)-\d+\.json$/

/** What of the alerts comes. */
export interface History {
  /** By the reference of their alert source, the oldest first. */
  alerts: Map<string, EndedAlert[]>
  left: { alert: PastAlert; reason: string }[]
}

/** Of one run; of more the newest come. */
export const MAX_MOVED_ALERTS = 100_000

const IS_OPEN = 'it is open at the source: close it there, or it comes with the next export once it is over'

/** The alerts that are over and began in the last 400 days, by their alert sources; all others with the reason. */
export function historyOf(alerts: readonly PastAlert[], nowMs: number): History {
  const left: History['left'] = []
  const ended = alerts.flatMap((alert) => {
    const one = endedOf(alert, nowMs)
    if (typeof one === 'string') left.push({ alert, reason: one })
    return typeof one === 'string' ? [] : [one]
  })
  const sorted = ended.toSorted((one, other) => one.openedMs - other.openedMs)
  const kept = sorted.slice(-MAX_MOVED_ALERTS)
  for (const { alert } of sorted.slice(0, sorted.length - kept.length))
    left.push({ alert, reason: `only the newest ${MAX_MOVED_ALERTS} alerts come at once` })
  const byRef = Map.groupBy(kept, ({ ref }) => ref)
  return { alerts: new Map([...byRef].map(([ref, own]) => [ref, own.map(({ ended: one }) => one)])), left }
}

interface Ended {
  alert: PastAlert
  ended: EndedAlert
  openedMs: number
  ref: string
}

/** As it is added, or why it is not. */
function endedOf(alert: PastAlert, nowMs: number): Ended | string {
  const { id, openedMs, resolvedMs, isOpen, ref, by } = alert
  if (id === '') return 'it has no id'
  if (isOpen) return IS_OPEN
  if (openedMs === undefined || resolvedMs === undefined || resolvedMs < openedMs || resolvedMs > nowMs)
    return 'its times cannot be read'
  // A day less: the clock there may be another one, and the plan may take a while.
  if (openedMs < nowMs - (ALERT_HISTORY_DAYS - 1) * DAY_MS) return `it began more than ${ALERT_HISTORY_DAYS - 1} days ago`
  if (ref === undefined) return `${by} does not come as an alert source`
  return { alert, ended: toEnded(alert, openedMs, resolvedMs, nowMs), openedMs, ref }
}

const MAX = { id: 256, key: 512, title: 500, text: 4_096, by: 200, url: 2_048, comment: 2_000 } as const

function toEnded(alert: PastAlert, openedMs: number, resolvedMs: number, nowMs: number): EndedAlert {
  const { acknowledgedMs, acknowledgedBy = '', resolvedBy = '', text = '', url = '', severity, labels = {} } = alert
  const isAcknowledged = acknowledgedMs !== undefined && acknowledgedMs >= openedMs && acknowledgedMs <= resolvedMs
  return {
    id: alert.id.slice(0, MAX.id),
    key: (alert.key || alert.id).slice(0, MAX.key),
    title: lineOf(alert.title, MAX.title) || 'alert',
    ...(text.trim() !== '' && { text: text.slice(0, MAX.text) }),
    ...(typeof severity === 'string' && { severity: severity.slice(0, MAX_SEVERITY_WORD_LENGTH) }),
    labels: labelsOf(labels),
    ...(url !== '' && url.length <= MAX.url && { url }),
    opened_at: toTimestamp(openedMs),
    ...(isAcknowledged && {
      acknowledged_at: toTimestamp(acknowledgedMs),
      acknowledged_by: acknowledgedBy.slice(0, MAX.by) || null,
    }),
    resolved_at: toTimestamp(resolvedMs),
    resolved_by: resolvedBy.slice(0, MAX.by) || null,
    comments: (alert.comments ?? [])
      .flatMap(({ atMs, text: words, by }) => {
        const line = lineOf(words, MAX.comment)
        if (line === '' || atMs === undefined || atMs < openedMs || atMs > nowMs) return []
        return [{ at: toTimestamp(atMs), text: line, by: by.slice(0, MAX.by) || null }]
      })
      .slice(0, MAX_HISTORY_COMMENTS),
  }
}

const lineOf = (text: string, length: number): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, length)
    .toWellFormed()

const labelsOf = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels)
      .map(([name, value]): [string, string] => [lineOf(name, MAX_ALERT_LABEL_BYTES), lineOf(value, MAX_ALERT_LABEL_BYTES)])
      .filter(([name, value]) => name !== '' && value !== '' && name !== '__proto__')
      .slice(0, MAX_ALERT_LABELS),
  )

/** `env:prod` is a label of its own; tags without a colon are listed in `tags`, as those of alerts that are sent. */
export function labelsOfTags(tags: readonly string[]): Record<string, string> {
  const pairs = tags.flatMap((tag): [string, string][] => {
    const [, name, value] = /^([^:]+):(.+)$/s.exec(tag) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  })
  const others = tags.filter((tag) => !/^[^:]+:./s.test(tag))
  return Object.fromEntries([...pairs, ...(others.length > 0 ? [['tags', others.join(', ')] as const] : [])])
}

const MAX_PART_BYTES = 800_000
const MAX_PART = 500

/** As few requests as take all: each has at most 500 alerts and 800 kB. */
export function partsOf(alerts: readonly EndedAlert[]): EndedAlert[][] {
  const parts: EndedAlert[][] = []
  let bytes = Infinity
  for (const alert of alerts) {
    const own = Buffer.byteLength(JSON.stringify(alert)) + 1
    if (bytes + own > MAX_PART_BYTES || (parts.at(-1)?.length ?? 0) >= MAX_PART) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(alert)
    bytes += own
  }
  return parts
}
