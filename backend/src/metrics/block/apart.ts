import { BlockError, MAX_BLOCK_SAMPLES } from './columns.ts'
import { type Cursor, readSigned, readVarint, skipVarints } from './cursor.ts'
import { MAX_LOW_BITS } from './format.ts'
import { isExact, type Traits } from './look.ts'
import type { LowBitsReader, LowBitsWriter } from './low-bits.ts'

/**
 * Values that jump about have larger deltas than themselves, and rates that are nothing now and then jump twice each time. Such
 * ones are written by how far they are above the least, which itself takes no low bits: a quarter less for rates of a host that
 * rests between its work.
 */
export interface Apart {
  least: number
  lowBits: number
}

/** Further apart than the readers reckon. */
const MAX_ABOVE = 2 ** 31 - 2

/** Undefined where deltas of so many low bits take less. The values are those with the traits. */
export function apartOf(
  values: Float64Array,
  from: number,
  traits: Traits,
  deltaBits: number,
  upperBits: number,
): Apart | undefined {
  const { least, greatest, present } = traits
  if (greatest - least > MAX_ABOVE) return undefined
  const most = (present - 1) * deltaBits
  const sum = isExact(traits) ? traits.above : sumAbove(values, from, traits)
  // No more are above than there are, and no fewer than the farthest ones would be: nearly always that decides it.
  if ((sum / (greatest - least)) * lowBitsOf(sum / present, upperBits) >= most) return undefined
  const above = countAbove(values, from, traits)
  const lowBits = lowBitsOf(sum / above, upperBits)
  return lowBits >= 1 && above * lowBits < most ? { least, lowBits } : undefined
}

const lowBitsOf = (mean: number, upperBits: number): number => Math.min(MAX_LOW_BITS, Math.floor(Math.log2(mean + 1)) - upperBits)

function countAbove(values: Float64Array, from: number, { present, least }: Traits): number {
  let above = 0
  for (let index = from; index < from + present; index++) if ((values[index] as number) > least) above++
  return above
}

function sumAbove(values: Float64Array, from: number, { present, least }: Traits): number {
  let sum = 0
  for (let index = from; index < from + present; index++) sum += (values[index] as number) - least
  return sum
}

/** Of the field at hand. */
const rests = new Int32Array(MAX_BLOCK_SAMPLES)

/** Behind the least: 0 for the least itself, else 1 and more by its upper bits. */
export function writeApart(
  out: Uint8Array,
  start: number,
  values: Float64Array,
  from: number,
  count: number,
  { least, lowBits }: Apart,
  low: LowBitsWriter,
): number {
  let end = start
  out[end++] = lowBits
  let above = 0
  for (let index = from; index < from + count; index++) {
    const value = (values[index] as number) - least
    if (value === 0) out[end++] = 0
    else {
      rests[above++] = value
      let upper = (value >>> lowBits) + 1
      while (upper >= 128) {
        out[end++] = (upper & 127) | 128
        upper >>>= 7
      }
      out[end++] = upper
    }
  }
  low.write(rests, above, lowBits)
  return end
}

/** Throws BlockError. */
export function readApart(cursor: Cursor, low: LowBitsReader, slab: Float64Array, start: number, count: number): void {
  const least = readSigned(cursor)
  const bits = readLowBits(cursor)
  const factor = 2 ** bits
  const { at: head } = cursor
  let place = low.pass(bits, passAbove(cursor, count))
  cursor.at = head
  for (let index = start; index < start + count; index++) {
    const upper = readVarint(cursor)
    if (upper === 0) {
      slab[index] = least
      continue
    }
    const value = least + (upper - 1) * factor + low.at(place, bits)
    place += bits
    if (!Number.isSafeInteger(value)) throw new BlockError('value is out of range')
    slab[index] = value
  }
}

export function skipApart(cursor: Cursor, low: LowBitsReader, count: number): void {
  skipVarints(cursor, 1)
  const bits = readLowBits(cursor)
  low.pass(bits, passAbove(cursor, count))
}

/** Goes behind so many numbers; how many of them are not 0. Throws BlockError. */
function passAbove(cursor: Cursor, count: number): number {
  const { bytes, at: start } = cursor
  skipVarints(cursor, count)
  let zeros = 0
  // A number that goes on does not end with a 0: what is 0 as a byte is one of its own.
  for (let at = start; at < cursor.at; at++) if (bytes[at] === 0) zeros++
  return count - zeros
}

/** Throws BlockError. */
export function readLowBits(cursor: Cursor): number {
  const bits = cursor.bytes[cursor.at++] ?? 0
  if (bits < 1 || bits > MAX_LOW_BITS) throw new BlockError('low bits out of range')
  return bits
}
