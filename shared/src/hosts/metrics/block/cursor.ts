import { BlockError } from './columns.ts'
import { MAX_VARINT_BYTES } from './format.ts'

export interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

/**
 * The byte at an index, undefined past the end. The type says number, since the loops below test the end by arithmetic:
 * `undefined < 128` is false and `undefined & 127` is 0, so that reading past the end becomes a varint without an end.
 */
function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] as number
}

/** An unsigned varint of at most 2^53 − 1. Throws BlockError. */
export function readVarint(cursor: Cursor): number {
  const { bytes } = cursor
  let value = 0
  let weight = 1
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = byteAt(bytes, cursor.at++)
    value += (byte & 127) * weight
    if (byte < 128) {
      if (value > Number.MAX_SAFE_INTEGER) break
      return value
    }
    weight *= 128
  }
  throw new BlockError('number is cut off or too long')
}

/** A zigzag varint within ±(2^53 − 1). Throws BlockError. */
export function readSigned(cursor: Cursor): number {
  const first = byteAt(cursor.bytes, cursor.at++)
  const low = (first & 127) >> 1
  const magnitude = first < 128 ? low : low + 64 * readVarint(cursor)
  const value = first & 1 ? -magnitude - 1 : magnitude
  if (Number.isSafeInteger(value) && first <= 255) return value
  throw new BlockError('value is cut off or out of range')
}

/** Reads deltas into `slab[from] … slab[to - 1]`, each added to the value before. The hot loop: up to four bytes without a call. */
export function readSum(cursor: Cursor, slab: Float64Array, from: number, to: number, first: number): void {
  const { bytes } = cursor
  let at = cursor.at
  let value = first
  for (let index = from; index < to; index++) {
    const byte = byteAt(bytes, at)
    let zigzag = byte & 127
    let next = at + 1
    if (byte >= 128) {
      const second = byteAt(bytes, next++)
      zigzag |= (second & 127) << 7
      if (second >= 128) {
        const third = byteAt(bytes, next++)
        zigzag |= (third & 127) << 14
        if (third >= 128) {
          cursor.at = at
          value += readSigned(cursor)
          next = cursor.at
          zigzag = 0
        }
      }
    }
    at = next
    value += (zigzag >>> 1) ^ -(zigzag & 1)
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) throw new BlockError('value is out of range')
    slab[index] = value
  }
  if (at > bytes.length) throw new BlockError('block is cut off')
  cursor.at = at
}

/** Steps over varints without their values. Throws BlockError. */
export function skipVarints(cursor: Cursor, count: number): void {
  const { bytes } = cursor
  let at = cursor.at
  for (let index = 0; index < count; index++) {
    const start = at
    while (byteAt(bytes, at) >= 128) at++
    if (at - start >= MAX_VARINT_BYTES) throw new BlockError('number is too long')
    at++
  }
  if (at > bytes.length) throw new BlockError('block is cut off')
  cursor.at = at
}
