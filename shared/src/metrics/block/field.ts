import { BlockError, valueAt } from './columns.ts'
import { CONSTANT, FRAME, KIBI, KIBI_SIZE, LOW_BITS, SPARSE } from './format.ts'
import { readFrame, readLowBits, skipFrame } from './frame.ts'
import type { LowBitsReader } from './low-bits.ts'
import { type Cursor, readSigned, readSum, readVarint, skipVarints } from './cursor.ts'
import type { OpenBlock } from './open.ts'

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

/** Steps over a field without its values. Throws BlockError. */
export function skipField({ cursor, low, flags }: OpenBlock, count: number): void {
  const present = flags & SPARSE ? presentIn(cursor, count).present : count
  if (flags & FRAME) skipFrame(cursor, lowBitsOf(low), present)
  else if (flags & LOW_BITS) {
    skipVarints(cursor, 1)
    lowBitsOf(low).pass(readLowBits(cursor), present - 1)
    skipVarints(cursor, present - 1)
  } else skipVarints(cursor, flags & CONSTANT ? 1 : present)
}

/** The field's values, one for each sample, from `start` on; NaN where there is none. Throws BlockError. */
export function readField({ cursor, low, flags }: OpenBlock, slab: Float64Array, start: number, count: number): void {
  const form = flags & (CONSTANT | LOW_BITS | FRAME)
  const sparse = flags & SPARSE ? presentIn(cursor, count) : undefined
  const present = sparse ? sparse.present : count
  if (form === 0) readSum(cursor, slab, start, start + present, 0)
  else if (form === LOW_BITS) readDeltas(cursor, lowBitsOf(low), slab, start, present)
  else if (form === FRAME) readFrame(cursor, lowBitsOf(low), slab, start, present)
  else if (form === CONSTANT) {
    const value = readSigned(cursor)
    // A push has a few values only: a call costs more than the loop.
    for (let index = start; index < start + present; index++) slab[index] = value
  } else throw new BlockError('unknown form of a field')
  if (flags & KIBI) multiply(slab, start, start + present)
  if (sparse) spread(slab, start, count, sparse)
}

function lowBitsOf(low: LowBitsReader | undefined): LowBitsReader {
  if (!low) throw new BlockError('low bits in a block without them')
  return low
}

function readDeltas(cursor: Cursor, low: LowBitsReader, slab: Float64Array, start: number, count: number): void {
  let value = readSigned(cursor)
  const bits = readLowBits(cursor)
  const factor = 2 ** bits
  const { bytes } = cursor
  let bitOffset = low.pass(bits, count - 1)
  let at = cursor.at
  slab[start] = value
  for (let index = start + 1; index < start + count; index++, bitOffset += bits) {
    // Nearly always one byte; the end of the bytes is undefined, which is not below 128.
    let upper = bytes[at] as number
    if (upper < 128) at++
    else {
      cursor.at = at
      upper = readVarint(cursor)
      at = cursor.at
    }
    const zigzag = upper * factor + low.at(bitOffset, bits)
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
