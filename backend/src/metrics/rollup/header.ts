import { BlockError, type Cursor, readSigned, readVarint, type Wanted, writeSigned, writeVarint } from '../block/index.ts'
import type { FieldTotals } from '../aggregate.ts'
import { openHeader } from './tail.ts'

/**
 * What a whole hour or day adds up to, so that nobody decodes its samples for it. Varints as in a block:
 *
 *   version   1 byte
 *   0         1 byte: what begins with how many fields there are is older (below)
 *   fields    varint: how many
 *   count     varint: samples of most fields, which none passes
 *   newest    varint: ms from the start to the newest sample of most, which none passes
 *   per field varint: (id − previous id − 1) * 32 + flags, previous of the first being −1
 *             its own count with OWN_COUNT, its own newest with OWN_NEWEST
 *             value (signed) with CONSTANT, which all samples have; it counts before LARGE
 *             with LARGE the sum's multiple of 2^48 (signed) and the rest (varint), max (signed), last (signed)
 *             else sum (signed), how far max is above the mean rounded down (varint), and the last below max (varint);
 *             values but those of LARGE are divided by 1,024 with KIBI
 *
 * Older ones: fields, and for each of them id − previous id − 1, count * 2 + (1 when the sum is as with LARGE, else signed), max,
 * last, newest.
 *
 * Nothing follows the last field. As stored it may have more in front of the fields (`tail.ts`).
 */
const HEADER_VERSION = 1
const OWN_COUNT = 1
const OWN_NEWEST = 2
const CONSTANT = 4
const LARGE = 8
const KIBI = 16
const FLAGS_RADIX = 32
const KIBI_SIZE = 1_024
const LARGE_UNIT = 2n ** 48n
const MAX_FIELDS = 4_096
/** Seven varints of eight bytes. */
const MAX_FIELD_BYTES = 64

export type Totals = ReadonlyMap<number, FieldTotals>

/** What is the same for most fields. */
interface Common {
  count: number
  lastAtMs: number
}

export function encodeHeader(totals: Totals, startMs: number): Uint8Array {
  const fields = [...totals].sort(([left], [right]) => left - right)
  const out = new Uint8Array(32 + fields.length * MAX_FIELD_BYTES)
  out[0] = HEADER_VERSION
  if (fields.length === 0) return out.slice(0, 2)
  const common = { count: 0, lastAtMs: Number.NEGATIVE_INFINITY }
  for (const [, { count, lastAtMs }] of fields) {
    common.count = Math.max(common.count, count)
    common.lastAtMs = Math.max(common.lastAtMs, lastAtMs)
  }
  let end = writeVarint(out, writeVarint(out, 2, fields.length), common.count)
  end = writeVarint(out, end, common.lastAtMs - startMs)
  let previousId = -1
  for (const [id, field] of fields) {
    end = writeField(out, end, id - previousId - 1, field, common, startMs)
    previousId = id
  }
  return out.slice(0, end)
}

function writeField(out: Uint8Array, start: number, gap: number, field: FieldTotals, common: Common, startMs: number): number {
  const { count, sum, max, last, lastAtMs } = field
  const isConstant = last === max && sum === max * count
  const mean = isConstant || typeof sum === 'bigint' ? Number.NaN : Math.floor(sum / count)
  const isLarge = !isConstant && !(Number.isSafeInteger(max - mean) && Number.isSafeInteger(max - last))
  const isKibi = !isLarge && max !== 0 && [Number(sum), max, last].every((value) => value % KIBI_SIZE === 0)
  const isOwnCount = count !== common.count
  const isOwnNewest = lastAtMs !== common.lastAtMs
  const ownFlags = (isOwnCount ? OWN_COUNT : 0) + (isOwnNewest ? OWN_NEWEST : 0)
  const flags = ownFlags + (isConstant ? CONSTANT : 0) + (isLarge ? LARGE : 0) + (isKibi ? KIBI : 0)
  let end = writeVarint(out, start, gap * FLAGS_RADIX + flags)
  if (isOwnCount) end = writeVarint(out, end, count)
  if (isOwnNewest) end = writeVarint(out, end, lastAtMs - startMs)
  if (isLarge) return writeLarge(out, end, field)
  const unit = isKibi ? KIBI_SIZE : 1
  if (isConstant) return writeSigned(out, end, max / unit)
  const dividedSum = Number(sum) / unit
  end = writeSigned(out, end, dividedSum)
  end = writeVarint(out, end, max / unit - Math.floor(dividedSum / count))
  return writeVarint(out, end, (max - last) / unit)
}

function writeLarge(out: Uint8Array, start: number, { sum, max, last }: FieldTotals): number {
  const whole = BigInt(sum)
  // Rounded down, so that the rest is never negative.
  const rest = ((whole % LARGE_UNIT) + LARGE_UNIT) % LARGE_UNIT
  const end = writeVarint(out, writeSigned(out, start, Number((whole - rest) / LARGE_UNIT)), Number(rest))
  return writeSigned(out, writeSigned(out, end, max), last)
}

/** Total: any bytes either decode or throw BlockError. Fields outside of `wanted` are left out. */
export function decodeHeader(bytes: Uint8Array, startMs: number, wanted: Wanted): Map<number, FieldTotals> {
  const own = openHeader(bytes).totals
  const cursor: Cursor = { bytes: own, at: 0 }
  const isOlder = own.length < 2 || own[0] !== 0
  if (!isOlder) cursor.at = 1
  const fieldCount = readVarint(cursor)
  if (fieldCount > MAX_FIELDS) throw new BlockError('too many fields')
  const totals = new Map<number, FieldTotals>()
  const common = isOlder ? undefined : { count: readCount(cursor), lastAtMs: startMs + readVarint(cursor) }
  let id = -1
  for (let index = 0; index < fieldCount; index += 1) {
    const head = readVarint(cursor)
    id += (common ? Math.floor(head / FLAGS_RADIX) : head) + 1
    const found = common ? readField(cursor, head % FLAGS_RADIX, common, startMs) : readOlder(cursor, startMs)
    if (wanted.has(id)) totals.set(id, found)
  }
  if (cursor.at !== own.length) throw new BlockError('bytes after the end of the header')
  return totals
}

function readField(cursor: Cursor, flags: number, common: Common, startMs: number): FieldTotals {
  const count = flags & OWN_COUNT ? readCount(cursor) : common.count
  const lastAtMs = flags & OWN_NEWEST ? startMs + readVarint(cursor) : common.lastAtMs
  const unit = flags & KIBI ? KIBI_SIZE : 1
  if (flags & CONSTANT) {
    const value = inRange(readSigned(cursor) * unit)
    return { count, sum: inRange(value * count), max: value, last: value, lastAtMs }
  }
  if (flags & LARGE) {
    const sum = readLarge(cursor, readSigned(cursor))
    return { count, sum, max: readSigned(cursor), last: readSigned(cursor), lastAtMs }
  }
  const sum = readSigned(cursor)
  const max = Math.floor(sum / count) + readVarint(cursor)
  const last = max - readVarint(cursor)
  return { count, sum: inRange(sum * unit), max: inRange(max * unit), last: inRange(last * unit), lastAtMs }
}

function readOlder(cursor: Cursor, startMs: number): FieldTotals {
  const head = readVarint(cursor)
  const count = Math.floor(head / 2)
  if (count < 1) throw new BlockError('a field without samples')
  const first = readSigned(cursor)
  const sum = head % 2 === 0 ? first : readLarge(cursor, first)
  const max = readSigned(cursor)
  const last = readSigned(cursor)
  return { count, sum, max, last, lastAtMs: startMs + readVarint(cursor) }
}

/** A number where it is exact, as sums are everywhere. */
function readLarge(cursor: Cursor, multiple: number): number | bigint {
  const sum = BigInt(multiple) * LARGE_UNIT + BigInt(readVarint(cursor))
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum
}

function readCount(cursor: Cursor): number {
  const count = readVarint(cursor)
  if (count < 1) throw new BlockError('a field without samples')
  return count
}

function inRange(value: number): number {
  if (!Number.isSafeInteger(value)) throw new BlockError('value is out of range')
  return value
}
