import { MAX_SAMPLES_PER_BATCH } from '@vedette/shared'
import { DOOR_FIELDS, type GivenColumn, type SentSamples } from './readings.ts'

/** Columns that were read from the bytes of a body; what a parsed body holds in their place. No JSON becomes one. */
export class ScannedColumns implements SentSamples {
  readonly atMs: Float64Array
  readonly given: GivenColumn[]
  constructor(atMs: Float64Array, given: GivenColumn[]) {
    this.atMs = atMs
    this.given = given
  }
}

/** Where columns ended, and what they are. */
export interface Scan {
  end: number
  columns: ScannedColumns
}

/**
 * The columns whose first instant begins at `start`, right behind `{"at_ms":[`. Undefined wherever they are not as our agents write
 * them, whether or not they are fit to be taken: no blanks, no exponents, no more than 15 digits to a number, only groups and
 * fields that are known, each once, and all as long as the instants. Of those each number is the very double that JSON.parse makes
 * of it: digits and power of ten are both exact doubles, so that their quotient is rounded once.
 */
export function scanColumns(bytes: Uint8Array, start: number): Scan | undefined {
  let end = scanNumbers(bytes, start)
  if (end < 0) return undefined
  const count = scanned
  const atMs = numbers.slice(0, count)
  if (!atMs.every(Number.isInteger)) return undefined
  const columns: (readonly number[] | undefined)[] = DOOR_FIELDS.map(() => undefined)
  while (bytes[end] === COMMA) {
    end = scanGroup(bytes, end + 1, count, columns)
    if (end < 0) return undefined
  }
  if (bytes[end] !== CLOSE_OBJECT) return undefined
  const given: GivenColumn[] = []
  for (let place = 0; place < columns.length; place++) {
    const column = columns[place]
    if (column) given.push({ field: DOOR_FIELDS[place] as GivenColumn['field'], column })
  }
  return { end: end + 1, columns: new ScannedColumns(atMs, given) }
}

const [QUOTE, COMMA, DOT, ZERO, COLON] = [0x22, 0x2c, 0x2e, 0x30, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** `"cpu":{"percent":[…],…}`. Where it ends; -1 where it is another. */
function scanGroup(bytes: Uint8Array, start: number, count: number, columns: (readonly number[] | undefined)[]): number {
  let end = scanName(bytes, start)
  const group = GROUPS.get(hash)
  if (end < 0 || !group || !isAt(bytes, start + 1, group.name) || bytes[end] !== OPEN_OBJECT) return -1
  // Of two with one name JSON.parse takes the last alone.
  for (const { place } of group.fields.values()) if (columns[place]) return -1
  do {
    const nameAt = end + 1
    end = scanName(bytes, nameAt)
    const field = group.fields.get(hash)
    if (end < 0 || !field || !isAt(bytes, nameAt + 1, field.name) || bytes[end] !== OPEN_LIST) return -1
    end = scanNumbers(bytes, end + 1)
    if (end < 0 || scanned !== count || columns[field.place]) return -1
    columns[field.place] = taken(count)
  } while (bytes[end] === COMMA)
  return bytes[end] === CLOSE_OBJECT ? end + 1 : -1
}

/** A list of doubles and nothing else: one null would have every number of it lie in a place of its own. */
function taken(count: number): number[] {
  // oxlint-disable-next-line unicorn/no-new-array -- of this length at once: one that grows takes three times the room
  const column = new Array<number>(count)
  for (let index = 0; index < count; index++) column[index] = numbers[index] as number
  return column
}

interface KnownGroup {
  name: string
  fields: ReadonlyMap<number, { name: string; place: number }>
}

function hashOf(name: string): number {
  let sum = 0
  for (let index = 0; index < name.length; index++) sum = (sum * 31 + name.charCodeAt(index)) | 0
  return sum
}

/** By hashes of names. Where two had the same, one of them would never be found here, and be read the other way. */
const GROUPS: ReadonlyMap<number, KnownGroup> = new Map(
  [...Map.groupBy(DOOR_FIELDS.entries(), ([, { group }]) => group)].map(([name, fields]) => [
    hashOf(name),
    { name, fields: new Map(fields.map(([place, field]) => [hashOf(field.name), { name: field.name, place }])) },
  ]),
)

/** Of the name that was scanned last. */
let hash = 0

/** `"name":`, without escapes. Where it ends; -1 where it is no such. */
function scanName(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return -1
  let sum = 0
  let end = start + 1
  for (; end < bytes.length && bytes[end] !== QUOTE; end++) sum = (sum * 31 + (bytes[end] as number)) | 0
  hash = sum
  return bytes[end + 1] === COLON ? end + 2 : -1
}

/** Whether exactly this name stands there, its quote behind it. */
function isAt(bytes: Uint8Array, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) if (bytes[start + index] !== name.charCodeAt(index)) return false
  return bytes[start + name.length] === QUOTE
}

/** The list that was scanned last, NaN for null. */
const numbers = new Float64Array(MAX_SAMPLES_PER_BATCH)
let scanned = 0

/** With one more, digits without their point may be beyond the integers that doubles hold exactly. */
const MAX_DIGITS = 15
const POWERS = Array.from({ length: MAX_DIGITS + 1 }, (_, decimals) => 10 ** decimals)

/** What follows on `[`, the bracket behind it included. Where it ends; -1 where it is something else. */
function scanNumbers(bytes: Uint8Array, start: number): number {
  let at = start
  for (let count = 0; count < numbers.length; ) {
    const begin = at
    let digits = 0
    let digit = (bytes[at] as number) - ZERO
    while (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit
      digit = (bytes[++at] as number) - ZERO
    }
    let length = at - begin
    if (length === 0) {
      if (!isNull(bytes, at)) return -1
      at += 4
      digits = Number.NaN
    } else if (length > 1 && bytes[begin] === ZERO) return -1
    else if (bytes[at] === DOT) {
      const point = at
      digit = (bytes[++at] as number) - ZERO
      while (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit
        digit = (bytes[++at] as number) - ZERO
      }
      const decimals = at - point - 1
      length += decimals
      if (decimals === 0 || length > MAX_DIGITS) return -1
      digits /= POWERS[decimals] as number
    }
    if (length > MAX_DIGITS) return -1
    numbers[count++] = digits
    const sign = bytes[at++]
    if (sign === CLOSE_LIST) {
      scanned = count
      return at
    }
    if (sign !== COMMA) return -1
  }
  return -1
}

/** The letters of `null`. */
function isNull(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x6e && bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c
}
