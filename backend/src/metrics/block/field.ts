import { BlockError, valueAt } from './columns.ts'
import { readApart, readLowBits, skipApart } from './apart.ts'
import { CONSTANT, KIBI, KIBI_SIZE, PACKED, PLAIN, SPARSE } from './format.ts'
import type { LowBitsReader } from './low-bits.ts'
import { type Cursor, readSigned, readSum, readVarint, skipVarints } from './cursor.ts'
import type { OpenBlock } from './open.ts'

/** Where the values of a field are read, and how. */
type FieldSource = Pick<OpenBlock, 'cursor' | 'low' | 'hasApart' | 'flags'>

function presentIn(cursor: Cursor, count: number): { bitmap: Uint8Array; present: number } {
  const bitmap = cursor.bytes.subarray(cursor.at, cursor.at + Math.ceil(count / 8))
  if (bitmap.length * 8 < count) throw new BlockError('block is cut off')
  cursor.at += bitmap.length
  let present = 0
  for (const byte of bitmap) {
    for (let bits = byte; bits !== 0; bits &= bits - 1) present++
  }
  const beyond = count % 8 === 0 ? 0 : (bitmap[bitmap.length - 1] ?? 0) >> (count % 8)
  if (beyond !== 0 || present === 0 || present === count) throw new BlockError('bitmap is not one of a sparse field')
  return { bitmap, present }
}

/** Goes behind a field without its values. Throws BlockError. */
export function skipField({ cursor, low, hasApart, flags }: OpenBlock, count: number): void {
  const present = flags & SPARSE ? presentIn(cursor, count).present : count
  if ((flags & PACKED) !== 0 && low && hasApart && (flags & PLAIN) !== 0) skipApart(cursor, low, present)
  else if ((flags & PACKED) !== 0 && low) {
    skipVarints(cursor, 1)
    low.pass(readLowBits(cursor), present - 1)
    skipVarints(cursor, present - 1)
  } else skipVarints(cursor, flags & CONSTANT ? 1 : present)
}

/** The field's values, one for each sample, from `start` on; NaN where there is none. Throws BlockError. */
export function readField({ cursor, low, hasApart, flags }: FieldSource, slab: Float64Array, start: number, count: number): void {
  if ((flags & CONSTANT) !== 0 && (flags & (PLAIN | PACKED)) !== 0) throw new BlockError('unknown form of a field')
  const sparse = flags & SPARSE ? presentIn(cursor, count) : undefined
  const present = sparse ? sparse.present : count
  if ((flags & PACKED) !== 0 && low && hasApart && (flags & PLAIN) !== 0) readApart(cursor, low, slab, start, present)
  else if ((flags & PACKED) !== 0 && low) readPacked(cursor, low, slab, start, present)
  else readDense(cursor, flags, slab, start, present)
  if (flags & KIBI) multiply(slab, start, start + present)
  if (sparse) spread(slab, start, count, sparse)
}

function readDense(cursor: Cursor, flags: number, slab: Float64Array, start: number, count: number): void {
  const end = start + count
  if ((flags & (CONSTANT | PLAIN)) === 0) readSum(cursor, slab, start, end, 0)
  else if (flags & PLAIN) for (let index = start; index < end; index++) slab[index] = readSigned(cursor)
  else {
    const value = readSigned(cursor)
    // A push has some values only, for which a call costs more than they do.
    for (let index = start; index < end; index++) slab[index] = value
  }
}

function readPacked(cursor: Cursor, low: LowBitsReader, slab: Float64Array, start: number, count: number): void {
  let value = readSigned(cursor)
  const bits = readLowBits(cursor)
  const factor = 2 ** bits
  const { bytes } = cursor
  let place = low.pass(bits, count - 1)
  let at = cursor.at
  slab[start] = value
  for (let index = start + 1; index < start + count; index++, place += bits) {
    // Nearly always one byte; the end of the bytes is undefined, which is not below 128.
    let upper = bytes[at] as number
    if (upper < 128) at++
    else {
      cursor.at = at
      upper = readVarint(cursor)
      at = cursor.at
    }
    const zigzag = upper * factor + low.at(place, bits)
    if (zigzag > MAX_ZIGZAG) throw new BlockError('value is out of range')
    value += (zigzag >>> 1) ^ -(zigzag & 1)
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) throw new BlockError('value is out of range')
    slab[index] = value
  }
  cursor.at = at
}

/** Of deltas of 31 bits. */
const MAX_ZIGZAG = 2 ** 31 - 1

function multiply(slab: Float64Array, from: number, to: number): void {
  for (let index = from; index < to; index++) {
    const value = valueAt(slab, index) * KIBI_SIZE
    if (!Number.isSafeInteger(value)) throw new BlockError('value is out of range')
    slab[index] = value
  }
}

/** Moves the values that stand packed at `start` to their samples, from the last on, so that none is overwritten unread. */
function spread(slab: Float64Array, start: number, count: number, sparse: { bitmap: Uint8Array; present: number }): void {
  let source = start + sparse.present
  for (let index = count - 1; index >= 0; index--) {
    const isPresent = ((sparse.bitmap[index >> 3] ?? 0) >> (index & 7)) & 1
    slab[start + index] = isPresent ? (slab[--source] ?? Number.NaN) : Number.NaN
  }
}
