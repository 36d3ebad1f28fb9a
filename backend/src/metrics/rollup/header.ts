import { BlockError, type Cursor, readSigned, readVarint, type Wanted, writeSigned, writeVarint } from '../block/index.ts'
import type { FieldTotals } from '../aggregate.ts'
import { openHeader } from './tail.ts'

/**
 * What a whole hour adds up to, so that nobody decodes its samples for it. Varints as in a block:
 *
 *   version   1 byte
 *   fields    varint: how many
 *   per field varint: id − previous id − 1, previous of the first being −1
 *             varint: count * 2 + (1 when the sum passes 2^53 − 1)
 *             sum (signed); beyond the bound its multiple of 2^48 (signed) and the rest (varint)
 *             max (signed), last (signed), milliseconds from the start of the hour to the last (varint)
 *
 * Nothing follows the last field. As stored it may have more in front of the fields (`tail.ts`).
 */
const HEADER_VERSION = 1
const LARGE_UNIT = 2n ** 48n
const MAX_FIELDS = 4_096
/** Seven varints of eight bytes. */
const MAX_FIELD_BYTES = 64

export type Totals = ReadonlyMap<number, FieldTotals>

export function encodeHeader(totals: Totals, hourStartMs: number): Uint8Array {
  const fields = [...totals].sort(([left], [right]) => left - right)
  const out = new Uint8Array(16 + fields.length * MAX_FIELD_BYTES)
  out[0] = HEADER_VERSION
  let end = writeVarint(out, 1, fields.length)
  let previousId = -1
  for (const [id, { count, sum, max, last, lastAtMs }] of fields) {
    end = writeVarint(out, end, id - previousId - 1)
    end = writeSum(out, end, count, sum)
    end = writeSigned(out, end, max)
    end = writeSigned(out, end, last)
    end = writeVarint(out, end, lastAtMs - hourStartMs)
    previousId = id
  }
  return out.slice(0, end)
}

function writeSum(out: Uint8Array, start: number, count: number, sum: number | bigint): number {
  if (typeof sum === 'number') return writeSigned(out, writeVarint(out, start, count * 2), sum)
  // Rounded down, so that the rest is never negative.
  const rest = ((sum % LARGE_UNIT) + LARGE_UNIT) % LARGE_UNIT
  const end = writeSigned(out, writeVarint(out, start, count * 2 + 1), Number((sum - rest) / LARGE_UNIT))
  return writeVarint(out, end, Number(rest))
}

/** Total: any bytes either decode or throw BlockError. Fields outside of `wanted` are left out. */
export function decodeHeader(bytes: Uint8Array, hourStartMs: number, wanted: Wanted): Map<number, FieldTotals> {
  const own = openHeader(bytes).totals
  const cursor: Cursor = { bytes: own, at: 0 }
  const fieldCount = readVarint(cursor)
  if (fieldCount > MAX_FIELDS) throw new BlockError('too many fields')
  const totals = new Map<number, FieldTotals>()
  let id = -1
  for (let index = 0; index < fieldCount; index += 1) {
    id += readVarint(cursor) + 1
    const found = readTotals(cursor, hourStartMs)
    if (wanted.has(id)) totals.set(id, found)
  }
  if (cursor.at !== own.length) throw new BlockError('bytes after the end of the header')
  return totals
}

function readTotals(cursor: Cursor, hourStartMs: number): FieldTotals {
  const head = readVarint(cursor)
  const count = Math.floor(head / 2)
  if (count < 1) throw new BlockError('a field without samples')
  const first = readSigned(cursor)
  const sum = head % 2 === 0 ? first : BigInt(first) * LARGE_UNIT + BigInt(readVarint(cursor))
  const max = readSigned(cursor)
  const last = readSigned(cursor)
  return { count, sum, max, last, lastAtMs: hourStartMs + readVarint(cursor) }
}
