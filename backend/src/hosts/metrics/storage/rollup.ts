import { createBuckets, type FieldBuckets, type FieldTotals, sumAt, totalOfBuckets } from '../aggregate/index.ts'
import {
  BlockError,
  type Cursor,
  readSigned,
  readVarint,
  Room,
  type Wanted,
  writeSigned,
  writeVarint,
} from '@vedette/shared/metrics/block'

/**
 * Count, sum and maximum of each field over equal parts of an hour or a day, and its newest value: read in place of the samples.
 * Varints as in a block (docs/internals/sample-format.md):
 *
 *   version    1 byte
 *   parts      varint: how many parts of time, 48 at most
 *   fields     varint: how many
 *   per field, by id
 *              varint: (id − previous id − 1) * 4 + flags, previous of the first being −1
 *              OWN_TIMES: samples in each part (varints), ms from the start to the newest one (varint); else as the previous field
 *              for each part with samples: the sum less that of the part before, 0 before the first (signed), and the distance of
 *              the maximum to the mean rounded down (varint)
 *              the distance of the newest value to the greatest maximum (varint)
 *              LARGE: in place of these the sum's multiple of 2^48 (signed) and the rest (varint), the maximum and the newest (signed)
 *
 * Nothing follows the last field.
 */
const VERSION = 1
const OWN_TIMES = 1
const LARGE = 2
const FLAGS_RADIX = 4
const LARGE_UNIT = 2n ** 48n
const MAX_PARTS = 48
const MAX_FIELDS = 4_096
const MAX_VARINT_BYTES = 8

export interface FieldRollup {
  parts: FieldBuckets
  /** The newest value, and its instant. */
  last: number
  lastAtMs: number
}

export type Totals = ReadonlyMap<number, FieldTotals>

const room = new Room(65_536)

/** Fields have one sample at least, all within parts of time from `startMs` on. */
export function encodeRollup(fields: ReadonlyMap<number, FieldRollup>, parts: number, startMs: number): Uint8Array {
  const out = room.of(32 + fields.size * (4 * parts + 5) * MAX_VARINT_BYTES)
  out[0] = VERSION
  let end = writeVarint(out, writeVarint(out, 1, parts), fields.size)
  let previousId = -1
  let previous: FieldRollup | undefined
  for (const [id, field] of [...fields].sort(([left], [right]) => left - right)) {
    const isOwn = !previous || !hasSameTimes(field, previous)
    const isLarge = needsLarge(field)
    end = writeVarint(out, end, (id - previousId - 1) * FLAGS_RADIX + (isOwn ? OWN_TIMES : 0) + (isLarge ? LARGE : 0))
    if (isOwn) {
      for (const count of field.parts.counts) end = writeVarint(out, end, count)
      end = writeVarint(out, end, field.lastAtMs - startMs)
    }
    end = isLarge ? writeLarge(out, end, field) : writeSmall(out, end, field)
    previousId = id
    previous = field
  }
  return out.slice(0, end)
}

/** The same of totals over the whole time. */
export function encodeTotals(totals: Totals, startMs: number): Uint8Array {
  const fields = [...totals].map(([id, { count, sum, max, last, lastAtMs }]): [number, FieldRollup] => {
    const parts = createBuckets(1)
    parts.counts[0] = count
    parts.maxima[0] = max
    if (typeof sum === 'number') parts.low[0] = sum
    else parts.high.set(0, sum)
    return [id, { parts, last, lastAtMs }]
  })
  return encodeRollup(new Map(fields), 1, startMs)
}

function hasSameTimes(one: FieldRollup, other: FieldRollup): boolean {
  return one.lastAtMs === other.lastAtMs && one.parts.counts.every((count, part) => count === other.parts.counts[part])
}

function needsLarge({ parts, last }: FieldRollup): boolean {
  const { counts, low, maxima, high } = parts
  if (high.size > 0) return true
  let previous = 0
  let greatest = Number.NEGATIVE_INFINITY
  for (let part = 0; part < counts.length; part++) {
    const count = counts[part] as number
    if (count === 0) continue
    const [sum, max] = [low[part] as number, maxima[part] as number]
    if (!Number.isSafeInteger(sum - previous) || !Number.isSafeInteger(max - Math.floor(sum / count))) return true
    previous = sum
    greatest = Math.max(greatest, max)
  }
  return !Number.isSafeInteger(greatest - last)
}

function writeSmall(out: Uint8Array, start: number, { parts: { counts, low, maxima }, last }: FieldRollup): number {
  let end = start
  let previous = 0
  let greatest = Number.NEGATIVE_INFINITY
  for (let part = 0; part < counts.length; part++) {
    const count = counts[part] as number
    if (count === 0) continue
    const [sum, max] = [low[part] as number, maxima[part] as number]
    end = writeVarint(out, writeSigned(out, end, sum - previous), max - Math.floor(sum / count))
    previous = sum
    greatest = Math.max(greatest, max)
  }
  return writeVarint(out, end, greatest - last)
}

function writeLarge(out: Uint8Array, start: number, { parts, last }: FieldRollup): number {
  let end = start
  for (let part = 0; part < parts.counts.length; part++) {
    if (parts.counts[part] === 0) continue
    const sum = BigInt(sumAt(parts, part))
    const rest = ((sum % LARGE_UNIT) + LARGE_UNIT) % LARGE_UNIT
    end = writeVarint(out, writeSigned(out, end, Number((sum - rest) / LARGE_UNIT)), Number(rest))
    end = writeSigned(out, end, parts.maxima[part] as number)
  }
  return writeSigned(out, end, last)
}

/** Hands on the wanted fields; each is overwritten by the next. Total: any bytes either decode or throw BlockError. */
export function takeRollup(
  bytes: Uint8Array,
  startMs: number,
  wanted: Wanted,
  take: (id: number, field: FieldRollup) => void,
): void {
  if (bytes[0] !== VERSION) throw new BlockError(`rollup version ${bytes[0] ?? 'missing'} is unknown`)
  const cursor: Cursor = { bytes, at: 1 }
  const length = readVarint(cursor)
  if (length < 1 || length > MAX_PARTS) throw new BlockError('parts out of range')
  const fieldCount = readVarint(cursor)
  if (fieldCount > MAX_FIELDS) throw new BlockError('too many fields')
  const field: FieldRollup = { parts: createBuckets(length), last: 0, lastAtMs: startMs }
  let id = -1
  let hasSamples = false
  for (let index = 0; index < fieldCount; index += 1) {
    const head = readVarint(cursor)
    id += Math.floor(head / FLAGS_RADIX) + 1
    if (head & OWN_TIMES) {
      for (let part = 0; part < length; part++) field.parts.counts[part] = readVarint(cursor)
      field.lastAtMs = startMs + readVarint(cursor)
      hasSamples = field.parts.counts.some((count) => count > 0)
    }
    if (!hasSamples) throw new BlockError('a field without samples')
    if (field.parts.high.size > 0) field.parts.high.clear()
    if (head & LARGE) readLarge(cursor, field)
    else readSmall(cursor, field)
    if (wanted.has(id)) take(id, field)
  }
  if (cursor.at !== bytes.length) throw new BlockError('bytes after the end of the rollup')
}

function readSmall(cursor: Cursor, field: FieldRollup): void {
  const { counts, low, maxima } = field.parts
  let sum = 0
  let greatest = Number.NEGATIVE_INFINITY
  for (let part = 0; part < counts.length; part++) {
    const count = counts[part] as number
    if (count === 0) continue
    sum = inRange(sum + readSigned(cursor))
    const max = inRange(Math.floor(sum / count) + readVarint(cursor))
    low[part] = sum
    maxima[part] = max
    if (max > greatest) greatest = max
  }
  field.last = inRange(greatest - readVarint(cursor))
}

function readLarge(cursor: Cursor, field: FieldRollup): void {
  const { counts, low, high, maxima } = field.parts
  for (let part = 0; part < counts.length; part++) {
    if (counts[part] === 0) continue
    const multiple = BigInt(readSigned(cursor)) * LARGE_UNIT
    low[part] = readVarint(cursor)
    high.set(part, multiple)
    maxima[part] = readSigned(cursor)
  }
  field.last = readSigned(cursor)
}

function inRange(value: number): number {
  if (!Number.isSafeInteger(value)) throw new BlockError('value is out of range')
  return value
}

export const totalsOf = ({ parts, last, lastAtMs }: FieldRollup): FieldTotals => ({ ...totalOfBuckets(parts), last, lastAtMs })

/** The totals over all parts of the wanted fields. Throws BlockError. */
export function decodeTotals(bytes: Uint8Array, startMs: number, wanted: Wanted): Map<number, FieldTotals> {
  const totals = new Map<number, FieldTotals>()
  takeRollup(bytes, startMs, wanted, (id, field) => totals.set(id, totalsOf(field)))
  return totals
}
