import { createHash } from 'node:crypto'
import { oneLine, truncateText } from '@vedette/shared'
import type { ReceivedAlert } from './format.ts'

/** What is stored of an alert: lengths in UTF-16 units, those of labels in bytes of UTF-8. */
export const ALERT_BOUNDS = {
  key: 512,
  title: 300,
  text: 4_096,
  severity: 64,
  by: 200,
  url: 2_048,
  labels: 64,
  labelBytes: 256,
} as const

/** Control characters but line breaks and tabs: a text with them cannot be stored, or steers a terminal. */
const CONTROL = /[^\P{Cc}\n\t]/gu
const UNCLEAN = /[\p{Cc}\p{Zl}\p{Zp}]/u
const LINK = /^https?:\/\/[^\s\p{Cc}]+$/iu
/** Names that mean something to an object of JavaScript itself. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The alert within `ALERT_BOUNDS`: all that a format reads passes here. Pure. */
export function boundAlert(alert: ReceivedAlert): ReceivedAlert {
  const key = boundKey(alert.key)
  return {
    key,
    status: alert.status,
    title: boundLine(alert.title, ALERT_BOUNDS.title) ?? boundLine(key, ALERT_BOUNDS.title) ?? 'Alert',
    severity: boundLine(alert.severity, ALERT_BOUNDS.severity),
    labels: boundLabels(alert.labels),
    text: boundText(alert.text),
    url: boundUrl(alert.url),
    startsAtMs: alert.startsAtMs,
    endsAtMs: alert.endsAtMs,
    by: boundLine(alert.by, ALERT_BOUNDS.by),
  }
}

/**
 * The key itself where it can be stored. Else its beginning and a digest of all of it: two keys that differ only in what is left out
 * must not be one alert.
 */
function boundKey(key: string): string {
  if (key.length <= ALERT_BOUNDS.key && !UNCLEAN.test(key) && key.isWellFormed()) return key
  const digest = createHash('sha256').update(key).digest('hex')
  return `${boundLine(key, ALERT_BOUNDS.key - digest.length - 1) ?? ''}#${digest}`
}

/** One line of at most `length` units; null where nothing is left. Pure. */
export function boundLine(text: string | null, length: number): string | null {
  // No more is read than can be needed: a text may have a megabyte.
  const line = text === null ? '' : truncateText(oneLine(truncateText(text, 4 * length)), length, '…').trim()
  return line === '' ? null : line
}

function boundText(text: string | null): string | null {
  const beginning = truncateText(text ?? '', 4 * ALERT_BOUNDS.text)
  const lines = beginning.replaceAll('\r\n', '\n').replaceAll(CONTROL, ' ').trim()
  return lines === '' ? null : truncateText(lines, ALERT_BOUNDS.text, '…')
}

/** An address that may be a link; null for any other. Pure. */
export const boundUrl = (url: string | null): string | null =>
  url !== null && url.length <= ALERT_BOUNDS.url && LINK.test(url) ? url.toWellFormed() : null

/** Labels without a value are left out: Prometheus has none of them either. */
function boundLabels(labels: ReceivedAlert['labels']): Record<string, string> {
  const bounded = new Map<string, string>()
  for (const [name, value] of Object.entries(labels)) {
    if (bounded.size === ALERT_BOUNDS.labels) break
    const [shortName, shortValue] = [boundLabel(name), boundLabel(value)]
    if (shortName !== '' && shortValue !== '' && !RESERVED.has(shortName) && !bounded.has(shortName))
      bounded.set(shortName, shortValue)
  }
  return Object.fromEntries(bounded)
}

function boundLabel(text: string): string {
  let line = boundLine(text, ALERT_BOUNDS.labelBytes) ?? ''
  // A character has up to four bytes, and never fewer than one unit.
  while (Buffer.byteLength(line) > ALERT_BOUNDS.labelBytes) {
    const excess = Buffer.byteLength(line) - ALERT_BOUNDS.labelBytes
    line = truncateText(line, line.length - Math.max(1, Math.ceil(excess / 3)))
  }
  return line
}
