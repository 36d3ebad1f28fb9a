import { BlockError, valueAt } from './columns.ts'
import { CONSTANT, KIBI, KIBI_SIZE, SPARSE } from './format.ts'
import { type Cursor, readSigned, readSum, skipVarints } from './cursor.ts'
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
export function skipField({ cursor, flags }: OpenBlock, count: number): void {
  checkFlags(flags)
  const present = flags & SPARSE ? presentIn(cursor, count).present : count
  skipVarints(cursor, flags & CONSTANT ? 1 : present)
}

/** The field's values, one for each sample, from `start` on; NaN where there is none. Throws BlockError. */
export function readField({ cursor, flags }: OpenBlock, slab: Float64Array, start: number, count: number): void {
  checkFlags(flags)
  const sparse = flags & SPARSE ? presentIn(cursor, count) : undefined
  const present = sparse ? sparse.present : count
  if (flags & CONSTANT) {
    const value = readSigned(cursor)
    // A push has a few values only: a call costs more than the loop.
    for (let index = start; index < start + present; index++) slab[index] = value
  } else readSum(cursor, slab, start, start + present, 0)
  if (flags & KIBI) multiply(slab, start, start + present)
  if (sparse) spread(slab, start, count, sparse)
}

function checkFlags(flags: number): void {
  if (flags > (SPARSE | CONSTANT | KIBI)) throw new BlockError('unknown form of a field')
}

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
