import { BlockError, MAX_BLOCK_SAMPLES } from './columns.ts'
import { type Cursor, readSigned, readVarint, skipVarints } from './cursor.ts'
import { MAX_LOW_BITS } from './format.ts'
import type { LowBitsReader, LowBitsWriter } from './low-bits.ts'
import type { Traits } from './traits.ts'

/**
 * Frame-of-reference encoding: each value by its distance to the least one, which itself takes no low bits. Values that jump have
 * deltas larger than themselves, and rates that drop to 0 now and then jump twice: this form stores them in a quarter less.
 */
export interface Frame {
  least: number
  lowBits: number
}

/** The writer computes distances in 32 bits. */
const MAX_DISTANCE = 2 ** 31 - 2

/** Undefined where deltas of `deltaBits` low bits are smaller. The values are those of the traits. */
export function frameOf(
  values: Float64Array,
  from: number,
  { least, greatest, present, above }: Traits,
  deltaBits: number,
  upperBits: number,
): Frame | undefined {
  if (greatest - least > MAX_DISTANCE) return undefined
  let farther = 0
  for (let index = from; index < from + present; index++) if ((values[index] as number) > least) farther++
  const lowBits = Math.min(MAX_LOW_BITS, Math.floor(Math.log2(above / farther + 1)) - upperBits)
  return lowBits >= 1 && farther * lowBits < (present - 1) * deltaBits ? { least, lowBits } : undefined
}

/** Distances of the current field. */
const distances = new Int32Array(MAX_BLOCK_SAMPLES)

export function writeFrame(
  out: Uint8Array,
  start: number,
  values: Float64Array,
  from: number,
  count: number,
  { least, lowBits }: Frame,
  low: LowBitsWriter,
): number {
  let end = start
  out[end++] = lowBits
  let farther = 0
  for (let index = from; index < from + count; index++) {
    const distance = (values[index] as number) - least
    if (distance === 0) out[end++] = 0
    else {
      distances[farther++] = distance
      let upper = (distance >>> lowBits) + 1
      while (upper >= 128) {
        out[end++] = (upper & 127) | 128
        upper >>>= 7
      }
      out[end++] = upper
    }
  }
  low.write(distances, farther, lowBits)
  return end
}

/** Throws BlockError. */
export function readFrame(cursor: Cursor, low: LowBitsReader, slab: Float64Array, start: number, count: number): void {
  const least = readSigned(cursor)
  const bits = readLowBits(cursor)
  const factor = 2 ** bits
  const { at: head } = cursor
  let bitOffset = low.pass(bits, skipDistances(cursor, count))
  cursor.at = head
  for (let index = start; index < start + count; index++) {
    const upper = readVarint(cursor)
    if (upper === 0) {
      slab[index] = least
      continue
    }
    const value = least + (upper - 1) * factor + low.at(bitOffset, bits)
    bitOffset += bits
    if (!Number.isSafeInteger(value)) throw new BlockError('value is out of range')
    slab[index] = value
  }
}

export function skipFrame(cursor: Cursor, low: LowBitsReader, count: number): void {
  skipVarints(cursor, 1)
  const bits = readLowBits(cursor)
  low.pass(bits, skipDistances(cursor, count))
}

/** Steps over the upper parts of distances; how many of them are not 0. Throws BlockError. */
function skipDistances(cursor: Cursor, count: number): number {
  const { bytes, at: start } = cursor
  skipVarints(cursor, count)
  let zeros = 0
  // The last byte of a longer varint is never 0: each 0 is a distance of its own.
  for (let at = start; at < cursor.at; at++) if (bytes[at] === 0) zeros++
  return count - zeros
}

/** Throws BlockError. */
export function readLowBits(cursor: Cursor): number {
  const bits = cursor.bytes[cursor.at++] ?? 0
  if (bits < 1 || bits > MAX_LOW_BITS) throw new BlockError('low bits out of range')
  return bits
}
