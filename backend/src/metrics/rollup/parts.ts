import type { Buckets, FieldBuckets, Parts } from '../aggregate.ts'
import {
  BlockError,
  type Cursor,
  KIBI_SIZE,
  readSigned,
  readVarint,
  Room,
  type Wanted,
  writeSigned,
  writeVarint,
} from '../block/index.ts'

/**
 * What half hours add up to, so that nobody decodes samples for steps that are made of them. Varints as in a block:
 *
 *   parts     varint: how many half hours, 48 at most
 *   counts    varint for each: samples in it
 *   fields    varint: how many
 *   per field varint: (id − previous id − 1) * 8 + flags, previous of the first being −1
 *             its own counts as above with OWN_COUNTS, for a field that some samples lack
 *             value (signed) with CONSTANT, else for each part that has samples: the change of the sum from the part before, from 0
 *             for the first (signed), and by how much the maximum is above the mean rounded down (varint)
 *             all of them divided by 1,024 with KIBI
 *
 * Nothing follows the last field.
 */
export const HALF_HOUR_MS = 1_800_000
const OWN_COUNTS = 1
const CONSTANT = 2
const KIBI = 4
const FLAGS_RADIX = 8
const MAX_PARTS = 48
const MAX_FIELDS = 4_096
const MAX_VARINT_BYTES = 8

/** For an hour, or a day, of some fields more than there are. */
const room = new Room(65_536)

/** Undefined where a number passes 2^53 − 1: then only the samples can tell. Fields without any sample are left out. */
export function encodeParts({ fields }: Pick<Buckets, 'fields'>, parts: number): Uint8Array | undefined {
  const present = [...fields].filter(([, { counts }]) => hasAny(counts)).sort(([left], [right]) => left - right)
  const common = mostOf(present, parts)
  const out = room.of(16 + (present.length + 1) * (parts * 3 + 2) * MAX_VARINT_BYTES)
  let end = writeCounts(out, writeVarint(out, 0, parts), common)
  end = writeVarint(out, end, present.length)
  let previousId = -1
  for (const [id, field] of present) {
    const next = writeField(out, end, id - previousId - 1, field, common)
    if (next === undefined) return undefined
    end = next
    previousId = id
  }
  return out.slice(0, end)
}

function hasAny(counts: Float64Array): boolean {
  for (let part = 0; part < counts.length; part++) if ((counts[part] as number) > 0) return true
  return false
}

function mostOf(all: readonly (readonly [number, FieldBuckets])[], parts: number): Float64Array {
  const most = new Float64Array(parts)
  for (const [, { counts }] of all)
    for (let part = 0; part < parts; part++)
      if ((counts[part] as number) > (most[part] as number)) most[part] = counts[part] as number
  return most
}

function writeCounts(out: Uint8Array, start: number, counts: Float64Array): number {
  let end = start
  for (const count of counts) end = writeVarint(out, end, count)
  return end
}

function writeField(out: Uint8Array, start: number, gap: number, field: FieldBuckets, common: Float64Array): number | undefined {
  const { counts, low: sums, maxima, high } = field
  if (high.size > 0) return undefined
  const { isOwn, isConstant, isKibi, value } = traitsOf(field, common)
  const flags = (isOwn ? OWN_COUNTS : 0) + (isConstant ? CONSTANT : 0) + (isKibi ? KIBI : 0)
  let end = writeVarint(out, start, gap * FLAGS_RADIX + flags)
  if (isOwn) end = writeCounts(out, end, counts)
  const divisor = isKibi ? KIBI_SIZE : 1
  if (isConstant) return writeSigned(out, end, value / divisor)
  let previous = 0
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place] as number
    if (count === 0) continue
    const sum = (sums[place] as number) / divisor
    const above = (maxima[place] as number) / divisor - Math.floor(sum / count)
    if (!Number.isSafeInteger(sum - previous) || !Number.isSafeInteger(above)) return undefined
    end = writeVarint(out, writeSigned(out, end, sum - previous), above)
    previous = sum
  }
  return end
}

/** What a field is like; `value` is its first maximum, which a constant one always has. */
function traitsOf(
  { counts, low: sums, maxima }: FieldBuckets,
  common: Float64Array,
): { isOwn: boolean; isConstant: boolean; isKibi: boolean; value: number } {
  let isOwn = false
  let isConstant = true
  let isKibi = true
  let value = Number.NaN
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place] as number
    if (count !== common[place]) isOwn = true
    if (count === 0) continue
    const sum = sums[place] as number
    const max = maxima[place] as number
    if (Number.isNaN(value)) value = max
    if (max !== value || sum !== value * count) isConstant = false
    if (sum % KIBI_SIZE !== 0 || max % KIBI_SIZE !== 0) isKibi = false
  }
  return { isOwn, isConstant, isKibi: isKibi && (value !== 0 || !isConstant), value }
}

/**
 * Hands on the wanted fields; what is handed on is overwritten by the next one. Total: any bytes either decode or throw BlockError.
 */
export function takeParts(bytes: Uint8Array, wanted: Wanted, take: (id: number, parts: Parts) => void): void {
  const cursor: Cursor = { bytes, at: 0 }
  const length = readVarint(cursor)
  if (length < 1 || length > MAX_PARTS) throw new BlockError('parts out of range')
  const numbers = () => new Float64Array(length)
  const common = readCounts(cursor, numbers())
  const own = numbers()
  const parts = { counts: common, sums: numbers(), maxima: numbers() }
  const fieldCount = readVarint(cursor)
  if (fieldCount > MAX_FIELDS) throw new BlockError('too many fields')
  let id = -1
  for (let index = 0; index < fieldCount; index += 1) {
    const head = readVarint(cursor)
    const flags = head % FLAGS_RADIX
    id += Math.floor(head / FLAGS_RADIX) + 1
    parts.counts = flags & OWN_COUNTS ? readCounts(cursor, own) : common
    readSums(cursor, flags, parts)
    if (wanted.has(id)) take(id, parts)
  }
  if (cursor.at !== bytes.length) throw new BlockError('bytes after the end of the parts')
}

/** NaN where there are no samples, as the means of days have it. */
function readCounts(cursor: Cursor, counts: Float64Array): Float64Array {
  for (let part = 0; part < counts.length; part += 1) counts[part] = readVarint(cursor) || Number.NaN
  return counts
}

function readSums(cursor: Cursor, flags: number, { counts, sums, maxima }: Parts): void {
  const factor = flags & KIBI ? KIBI_SIZE : 1
  const isConstant = (flags & CONSTANT) !== 0
  const value = isConstant ? readSigned(cursor) : 0
  let sum = 0
  let max = value
  for (let part = 0; part < counts.length; part += 1) {
    const count = counts[part] as number
    if (Number.isNaN(count)) continue
    if (isConstant) sum = value * count
    else {
      sum += readSigned(cursor)
      max = Math.floor(sum / count) + readVarint(cursor)
    }
    sums[part] = sum * factor
    maxima[part] = max * factor
    if (!Number.isSafeInteger(sums[part]) || !Number.isSafeInteger(maxima[part])) throw new BlockError('sum out of range')
  }
}
