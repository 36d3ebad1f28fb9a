import { createHash } from 'node:crypto'
import { MAX_ALERT_LABEL_BYTES, MAX_ALERT_LABELS } from '@vedette/shared'
import { invalid } from '../../../platform/errors.ts'
import { parseInstant } from '../../../platform/time/instant.ts'
import type { AlertFormat, ReceivedAlert, ReceivedRequest } from './format.ts'

/** The fields of a JSON object from outside; nothing is known of their values. */
export type Fields = Readonly<Record<string, unknown>>

const NO_FIELDS: Fields = {}
/** Of one request: the rest is counted. */
const MAX_FAULTS = 20
/** Values of one object of labels that are read at all, and how deep. */
const MAX_VALUES = 1_000
const MAX_DEPTH = 4
/** JSON within a text: what is longer, or has more lists and objects (nesting is what costs time), is no JSON to us. */
const MAX_JSON_LENGTH = 65_536
const MAX_JSON_PARTS = 1_000
const SHORT_ZONE = /([+-]\d\d)(\d\d)$/

interface Reading {
  alerts: ReceivedAlert[]
  faults?: string[]
}

/** A format from how it reads the object that was sent. */
export function createFormat(read: (body: Fields, request: ReceivedRequest) => Reading): AlertFormat {
  return {
    read: (request) => {
      const { alerts, faults = [] } = read(bodyOf(request.body), request)
      const more = faults.length - MAX_FAULTS
      const shown = more > 0 ? [...faults.slice(0, MAX_FAULTS), `${more} more could not be read`] : faults
      return { alerts, faults: shown }
    },
  }
}

/** An alert of which only this is known. */
export const alertOf = (alert: Pick<ReceivedAlert, 'key' | 'status' | 'title'> & Partial<ReceivedAlert>): ReceivedAlert => ({
  severity: null,
  labels: {},
  text: null,
  url: null,
  startsAtMs: null,
  endsAtMs: null,
  by: null,
  ...alert,
})

/** Throws validation_error for what is no object. */
export function bodyOf(body: unknown): Fields {
  if (!isFields(body)) throw invalid({ path: '', message: 'the body must be a JSON object' })
  return body
}

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object in a field; without one an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : NO_FIELDS)

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Senders write numbers and switches as such or as text. Anything else is an empty text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The first of them that says something; null where none does. */
export function firstText(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const text = textOf(value)
    // A text of a megabyte is never blank for long.
    if (text.slice(0, 1_000).trim() !== '') return text
  }
  return null
}

/** Throws validation_error that names the field where it says nothing. */
export function requiredText(fields: Fields, name: string, path = name): string {
  const text = firstText(fields[name])
  if (text === null) throw invalid({ path, message: 'must be a text that is not empty' })
  return text
}

/** One of these words, in small letters. Throws validation_error that lists them. */
export function requiredWord<const Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word {
  const text = textOf(fields[name]).slice(0, 100).trim().toLowerCase()
  const word = words.find((candidate) => candidate.toLowerCase() === text)
  if (word === undefined) throw invalid({ path: name, message: `must be one of ${words.join(', ')}` })
  return word
}

/**
 * Milliseconds of an instant with a zone, `+0000` too. Null for anything else and for years before 1970: senders write year 1 where there
 * is no time.
 */
export function instantMsOf(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 64) return null
  const ms = parseInstant(value) ?? parseInstant(value.replace(SHORT_ZONE, '$1:$2'))
  return ms !== undefined && ms > 0 ? ms : null
}

/** Milliseconds of seconds since 1970, as number or text; null for anything else. */
export function unixMsOf(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^\d{1,12}(\.\d{1,9})?$/.test(value) ? Number(value) : value
  return typeof seconds === 'number' && seconds > 0 && seconds < 253_402_300_800 ? Math.round(seconds * 1000) : null
}

/** Texts by name. What is nested is named by its path: `disk.name`, `groups.0`. */
export function labelsOf(value: unknown): Record<string, string> {
  const labels = new Map<string, string>()
  let left = MAX_VALUES
  const collect = (part: unknown, path: string, depth: number): void => {
    if (typeof part !== 'object' || part === null) {
      if (path !== '') labels.set(path, textOf(part))
      return
    }
    if (depth === MAX_DEPTH) return
    // A list is cut before its items get names: it may have half a million of them.
    const inner: Fields = Array.isArray(part) ? Object.fromEntries(part.slice(0, left).entries()) : (part as Fields)
    for (const name of Object.keys(inner)) {
      if (left === 0 || labels.size > 2 * MAX_ALERT_LABELS) return
      left -= 1
      const short = name.slice(0, MAX_ALERT_LABEL_BYTES)
      collect(inner[name], path === '' ? short : `${path}.${short}`, depth + 1)
    }
  }
  collect(value, '', 0)
  return Object.fromEntries(labels)
}

/** A key for a sender that gives none: the same for the same parts. */
export function keyOfParts(...parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex').slice(0, 32)
}

/** Lines that say something, in this order; null where there are none. */
export function linesOf(...values: readonly unknown[]): string | null {
  const lines = values.map((value) => textOf(value)).filter((text) => firstText(text) !== null)
  return lines.length === 0 ? null : lines.join('\n')
}

/** What a text has as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  if (text.length > MAX_JSON_LENGTH || (text.match(/[[{]/g)?.length ?? 0) > MAX_JSON_PARTS) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
