import { MAX_BLOCK_SAMPLES } from './columns.ts'
import { CONSTANT, FLAGS_RADIX, KIBI, SPARSE } from './format.ts'
import { traitsOf } from './traits.ts'
import { writeSigned, writeVarint } from './varint.ts'

/** Values of the current field without gaps, divided by its unit. */
const dense = new Float64Array(MAX_BLOCK_SAMPLES)

/** Writes one field, `gap` ids after the previous one, and returns where it ends. Throws RangeError. */
export function writeField(
  out: Uint8Array,
  start: number,
  gap: number,
  values: Float64Array,
  from: number,
  count: number,
): number {
  const { present, isKibi, unit, least, greatest } = traitsOf(values, from, count)
  const isDense = present === count && !isKibi
  if (!isDense) toDense(values, from, count, 1 / unit)
  const [column, offset] = isDense ? [values, from] : [dense, 0]
  const isConstant = least === greatest
  const flags = (isConstant ? CONSTANT : 0) + (present < count ? SPARSE : 0) + (isKibi ? KIBI : 0)
  let end = writeVarint(out, start, gap * FLAGS_RADIX + flags)
  if (present < count) end = writeBitmap(out, end, values, from, count)
  end = writeSigned(out, end, column[offset] as number)
  return isConstant ? end : writeDeltas(out, end, column, offset + 1, offset + present)
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
