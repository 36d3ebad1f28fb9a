import { invalid } from '../../../platform/errors.ts'
import type { AlertFormat, ReceivedAlert } from './format.ts'

interface SentAlert {
  status?: unknown
  labels?: unknown
  annotations?: unknown
  startsAt?: unknown
  endsAt?: unknown
  generatorURL?: unknown
}

/** The webhook of Alertmanager, version 4. One request has alerts that fire and others that are over. */
export const alertmanager: AlertFormat = {
  read({ body }) {
    const { alerts } = toObject(body)
    if (!Array.isArray(alerts))
      throw invalid({ path: 'alerts', message: 'must be the list of alerts of the webhook of Alertmanager' })
    return readAlerts(alerts)
  },
}

/** Each alert by itself. Pure. */
export function readAlerts(alerts: readonly unknown[]): { alerts: ReceivedAlert[]; faults: string[] } {
  const read = alerts.map((alert, index) => readAlert(toObject(alert), index))
  return {
    alerts: read.filter((one) => typeof one !== 'string'),
    faults: read.filter((one) => typeof one === 'string'),
  }
}

function readAlert(sent: SentAlert, index: number): ReceivedAlert | string {
  const labels = textsOf(sent.labels)
  if (Object.keys(labels).length === 0) return `alerts.${index} has no labels`
  const { summary, title, description, message } = textsOf(sent.annotations)
  const name = labels['alertname'] ?? 'alert'
  return {
    key: fingerprintOf(labels),
    status: sent.status === 'resolved' ? 'resolved' : 'firing',
    title: summary ?? title ?? name,
    severity: labels['severity'] ?? null,
    labels,
    text: description ?? message ?? null,
    url: typeof sent.generatorURL === 'string' && sent.generatorURL !== '' ? sent.generatorURL : null,
    startsAtMs: instantOf(sent.startsAt),
    endsAtMs: instantOf(sent.endsAt),
    by: null,
  }
}

const toObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** The entries that are texts. */
const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(toObject(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

/** Null for what is no instant, and for the year 1, which Go writes for none. */
export function instantOf(value: unknown): number | null {
  const atMs = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isFinite(atMs) && atMs > 0 ? atMs : null
}

const OFFSET = { high: 0xcbf2_9ce4, low: 0x8422_2325 }
/** 2^40 + 435. */
const PRIME_LOW = 435
const TWO_32 = 0x1_0000_0000
const SEPARATOR = 0xff
const LAST_ASCII = 0x7f

/**
 * The fingerprint of labels as Prometheus and Alertmanager compute it: FNV-1a of 64 bits over their names and values, in the order of
 * the names. Pure.
 */
export function fingerprintOf(labels: Readonly<Record<string, string>>): string {
  let { high, low } = OFFSET
  // By halves, whose products are exact: ten times as fast as with BigInt.
  const add = (byte: number) => {
    const mixed = (low ^ byte) >>> 0
    const product = mixed * PRIME_LOW
    high = (high * PRIME_LOW + mixed * 256 + Math.floor(product / TWO_32)) >>> 0
    low = product >>> 0
  }
  const addText = (text: string) => {
    let index = 0
    for (; index < text.length && text.charCodeAt(index) <= LAST_ASCII; index += 1) add(text.charCodeAt(index))
    if (index < text.length) for (const byte of Buffer.from(text.slice(index))) add(byte)
    add(SEPARATOR)
  }
  for (const name of Object.keys(labels).toSorted()) {
    addText(name)
    addText(labels[name] as string)
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}
