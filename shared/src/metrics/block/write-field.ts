import { MAX_BLOCK_SAMPLES } from './columns.ts'
import { CONSTANT, FLAGS_RADIX, FRAME, KIBI, LOW_BITS, MAX_LOW_BITS, SPARSE } from './format.ts'
import { frameOf, writeFrame } from './frame.ts'
import type { LowBitsWriter } from './low-bits.ts'
import { type Traits, traitsOf } from './traits.ts'
import { writeSigned, writeVarint } from './varint.ts'

/** Values of the current field without gaps, divided by its unit. */
const dense = new Float64Array(MAX_BLOCK_SAMPLES)

/** Writes one field, `gap` ids after the previous one, and returns where it ends; with `low` its low bits go there. Throws RangeError. */
export function writeField(
  out: Uint8Array,
  start: number,
  gap: number,
  values: Float64Array,
  from: number,
  count: number,
  low?: LowBitsWriter,
): number {
  const traits = traitsOf(values, from, count)
  const { present, isKibi, least, greatest } = traits
  const isDense = present === count && !isKibi
  if (!isDense) toDense(values, from, count, 1 / traits.unit)
  const [column, offset] = isDense ? [values, from] : [dense, 0]
  const isConstant = least === greatest
  const lowBits = low && !isConstant ? lowBitsOf(column, offset, traits) : 0
  const frame = lowBits > 0 ? frameOf(column, offset, traits, lowBits, UPPER_BITS) : undefined
  const form = isConstant ? CONSTANT : frame ? FRAME : lowBits > 0 ? LOW_BITS : 0
  let end = writeVarint(out, start, gap * FLAGS_RADIX + form + (present < count ? SPARSE : 0) + (isKibi ? KIBI : 0))
  if (present < count) end = writeBitmap(out, end, values, from, count)
  end = writeSigned(out, end, frame ? frame.least : (column[offset] as number))
  if (isConstant) return end
  if (frame && low) return writeFrame(out, end, column, offset, present, frame, low)
  if (lowBits > 0 && low) return writeLowBits(out, end, column, offset, present, lowBits, low)
  return writeDeltas(out, end, column, offset + 1, offset + present)
}

function toDense(values: Float64Array, from: number, count: number, factor: number): void {
  let present = 0
  for (let index = from; index < from + count; index++) {
    const value = values[index] as number
    if (!Number.isNaN(value)) dense[present++] = value * factor
  }
}

function writeBitmap(out: Uint8Array, start: number, values: Float64Array, from: number, count: number): number {
  let end = start
  for (let index = 0; index < count; index += 8) {
    const length = Math.min(8, count - index)
    let bits = 0
    for (let bit = 0; bit < length; bit++) if (!Number.isNaN(values[from + index + bit])) bits |= 1 << bit
    out[end++] = bits
  }
  return end
}

/** The hot loop: most deltas fit 31 bits and are written by integer arithmetic without a call. */
function writeDeltas(out: Uint8Array, start: number, values: Float64Array, from: number, to: number): number {
  let end = start
  let previous = values[from - 1] as number
  for (let index = from; index < to; index++) {
    const value = values[index] as number
    const delta = value - previous
    previous = value
    const small = delta | 0
    if (small !== delta) {
      end = writeSigned(out, end, delta)
      continue
    }
    let zigzag = ((small << 1) ^ (small >> 31)) >>> 0
    while (zigzag >= 128) {
      out[end++] = (zigzag & 127) | 128
      zigzag >>>= 7
    }
    out[end++] = zigzag
  }
  return end
}

/** Mean bits of the upper part of a delta. With fewer, the low bits, which are not compressed, are more than noise. */
const UPPER_BITS = 2
/** The readers of low bits compute in 32 bits. */
const MAX_DELTA = 2 ** 30

/** How many bits of each delta are noise; 0 when none, or when a delta is too large. */
function lowBitsOf(values: Float64Array, from: number, { present, least, greatest, steps }: Traits): number {
  if (greatest - least >= MAX_DELTA && hasLargeDelta(values, from, present)) return 0
  const mean = (2 * steps) / (present - 1)
  return Math.min(MAX_LOW_BITS, Math.max(0, Math.floor(Math.log2(mean + 1)) - UPPER_BITS))
}

function hasLargeDelta(values: Float64Array, from: number, count: number): boolean {
  for (let index = from + 1; index < from + count; index++)
    if (Math.abs((values[index] as number) - (values[index - 1] as number)) >= MAX_DELTA) return true
  return false
}

/** Zigzag numbers of the current field. */
const zigzags = new Int32Array(MAX_BLOCK_SAMPLES)

function writeLowBits(
  out: Uint8Array,
  start: number,
  values: Float64Array,
  from: number,
  count: number,
  lowBits: number,
  low: LowBitsWriter,
): number {
  let end = start
  out[end++] = lowBits
  let previous = values[from] as number
  for (let index = from + 1; index < from + count; index++) {
    const value = values[index] as number
    const delta = (value - previous) | 0
    previous = value
    const zigzag = ((delta << 1) ^ (delta >> 31)) >>> 0
    zigzags[index - from - 1] = zigzag
    let upper = zigzag >>> lowBits
    while (upper >= 128) {
      out[end++] = (upper & 127) | 128
      upper >>>= 7
    }
    out[end++] = upper
  }
  low.write(zigzags, count - 1, lowBits)
  return end
}
