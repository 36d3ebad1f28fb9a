import { apartOf, writeApart } from './apart.ts'
import { MAX_BLOCK_SAMPLES } from './columns.ts'
import { CONSTANT, FLAGS_RADIX, KIBI, MAX_LOW_BITS, PACKED, PLAIN, SPARSE, SPLIT_FLAGS_RADIX } from './format.ts'
import { look, type Traits } from './look.ts'
import type { LowBitsWriter } from './low-bits.ts'
import { writeSigned, writeVarint } from './varint.ts'

/** Values of one field without gaps, divided. */
const packed = new Float64Array(MAX_BLOCK_SAMPLES)

/** A field of a push, whose id is so far from the one before. Throws RangeError on a value that is no safe integer. */
export function writeField(
  out: Uint8Array,
  start: number,
  gap: number,
  values: Float64Array,
  from: number,
  count: number,
): number {
  const traits = look(values, from, count)
  const isPacked = packWhereNeeded(values, from, count, traits)
  const mode = modeOf(traits)
  let end = writeVarint(out, start, gap * FLAGS_RADIX + mode + shapeOf(traits, count))
  if (traits.present < count) end = writeBitmap(out, end, values, from, count)
  return writeDense(out, end, isPacked ? packed : values, isPacked ? 0 : from, traits.present, mode)
}

/** The same for what is compressed afterwards. */
export function writeSplitField(
  out: Uint8Array,
  start: number,
  gap: number,
  values: Float64Array,
  from: number,
  count: number,
  traits: Traits,
  low: LowBitsWriter,
): number {
  const { present } = traits
  const isPacked = packWhereNeeded(values, from, count, traits)
  const column = isPacked ? packed : values
  const offset = isPacked ? 0 : from
  const mode = modeOf(traits)
  const lowBits = mode === 0 ? lowBitsOf(column, offset, traits) : 0
  const apart = lowBits > 0 ? apartOf(column, offset, traits, lowBits, UPPER_BITS) : undefined
  const flags = mode + shapeOf(traits, count) + (lowBits > 0 ? PACKED : 0) + (apart ? PLAIN : 0)
  let end = writeVarint(out, start, gap * SPLIT_FLAGS_RADIX + flags)
  if (present < count) end = writeBitmap(out, end, values, from, count)
  if (apart) return writeApart(out, writeSigned(out, end, apart.least), column, offset, present, apart, low)
  if (lowBits > 0) return writePacked(out, writeSigned(out, end, column[offset] as number), column, offset, present, lowBits, low)
  return writeDense(out, end, column, offset, present, mode)
}

/** How values are written: one for all, each as it is where deltas would be beyond exact integers, else by deltas. */
const modeOf = ({ least, greatest }: Traits): number =>
  least === greatest ? CONSTANT : greatest - least > Number.MAX_SAFE_INTEGER ? PLAIN : 0

/** The flags of what is written otherwise than it stands. */
const shapeOf = ({ present, isKibi }: Traits, count: number): number => (present < count ? SPARSE : 0) + (isKibi ? KIBI : 0)

/** The first value, and what the mode has of the others. */
function writeDense(out: Uint8Array, start: number, values: Float64Array, from: number, count: number, mode: number): number {
  const end = writeSigned(out, start, values[from] as number)
  if (mode === CONSTANT) return end
  if (mode === PLAIN) return writePlain(out, end, values, from + 1, from + count)
  return writeDeltas(out, end, values, from + 1, from + count)
}

/** Puts the values that there are, divided by a power of two, into `packed`, and says so; false where they are written as they stand. */
function packWhereNeeded(values: Float64Array, from: number, count: number, traits: Traits): boolean {
  if (traits.present === count && !traits.isKibi) return false
  const factor = 1 / traits.unit
  let present = 0
  for (let index = from; index < from + count; index++) {
    const value = values[index] as number
    if (!Number.isNaN(value)) packed[present++] = value * factor
  }
  return true
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

function writePlain(out: Uint8Array, start: number, values: Float64Array, from: number, to: number): number {
  let end = start
  for (let index = from; index < to; index++) end = writeSigned(out, end, values[index] as number)
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

/** Bits of what is left of a delta in the mean: fewer would make the low bits, which nobody compresses, more than the noise is. */
const UPPER_BITS = 2
/** Deltas beyond 30 bits are left as they are: the readers of packed ones reckon in 32. */
const MAX_PACKED_DELTA = 2 ** 30

/** How many bits of each delta are noise; 0 when none, or when a delta is too large. */
function lowBitsOf(values: Float64Array, from: number, { present, least, greatest, steps }: Traits): number {
  if (greatest - least >= MAX_PACKED_DELTA && hasLargeDelta(values, from, present)) return 0
  const mean = (2 * steps) / (present - 1)
  return Math.min(MAX_LOW_BITS, Math.max(0, Math.floor(Math.log2(mean + 1)) - UPPER_BITS))
}

function hasLargeDelta(values: Float64Array, from: number, count: number): boolean {
  for (let index = from + 1; index < from + count; index++)
    if (Math.abs((values[index] as number) - (values[index - 1] as number)) >= MAX_PACKED_DELTA) return true
  return false
}

/** Of the field at hand. */
const zigzags = new Int32Array(MAX_BLOCK_SAMPLES)

function writePacked(
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
