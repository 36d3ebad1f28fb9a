import { MAX_BLOCK_FIELDS, MAX_BLOCK_SAMPLES, type SampleColumns } from './columns.ts'
import {
  BLOCK_VERSION,
  CONSTANT,
  FLAGS_RADIX,
  KIBI,
  KIBI_SIZE,
  MAX_INSTANT_MS,
  MAX_LOW_BITS,
  MAX_VARINT_BYTES,
  PACKED,
  PLAIN,
  SPARSE,
  SPLIT_FLAGS_RADIX,
  SPLIT_HEAD,
} from './format.ts'
import { apartOf, writeApart } from './apart.ts'
import { LowBitsWriter } from './low-bits.ts'
import { writeSigned, writeVarint } from './varint.ts'

/** Kept between calls: a push needs some hundred bytes, and a fresh buffer of the worst case costs more than the encoding. */
const shared = new Uint8Array(65_536)
/** Values of one field without gaps, divided. */
const packed = new Float64Array(MAX_BLOCK_SAMPLES)

/** A value that the last sample alone has. */
export interface TailValue {
  id: number
  value: number
}

/**
 * The columns as bytes, without the first instant, which the row around the block keeps. `tail` is more of the last sample: fields
 * by ascending id, all above those of the columns.
 * Throws RangeError where the columns break what `SampleColumns` says: the door has checked them, so that is a bug of ours.
 */
export function encodeBlock(columns: SampleColumns, tail: readonly TailValue[] = []): Uint8Array {
  return encode(columns, tail, undefined)
}

/** The same in two parts, for what is compressed afterwards: the first part is, the other one holds noise. `joinParts` puts them together. */
export function encodeSplit(columns: SampleColumns): { first: Uint8Array; low: Uint8Array } {
  const low = new LowBitsWriter(columns.values.length * MAX_LOW_BITS)
  return { first: encode(columns, [], low).subarray(1), low: low.finish() }
}

/** A block of version 3, or of 2 as older ones are. */
export function joinParts({ first, low }: { first: Uint8Array; low: Uint8Array }, version: 2 | 3): Uint8Array {
  const head = new DataView(new ArrayBuffer(SPLIT_HEAD))
  head.setUint8(0, version)
  head.setUint32(1, first.length, true)
  return Buffer.concat([new Uint8Array(head.buffer), first, low])
}

function encode(columns: SampleColumns, tail: readonly TailValue[], low: LowBitsWriter | undefined): Uint8Array {
  const { atMs, fieldIds, values } = columns
  const count = atMs.length
  check(count >= 1 && count <= MAX_BLOCK_SAMPLES && fieldIds.length + tail.length <= MAX_BLOCK_FIELDS, 'too many or no samples')
  check(values.length === count * fieldIds.length, 'a column is not as long as the instants')
  const worst =
    16 + (count + fieldIds.length) * (MAX_VARINT_BYTES + 8) + values.length * (MAX_VARINT_BYTES + 1) + tailRoom(tail, count)
  const out = worst <= shared.length ? shared : new Uint8Array(worst)
  out[0] = BLOCK_VERSION
  let fieldCount = 0
  for (let index = 0; index < fieldIds.length; index++) {
    if (hasValue(values, index * count, count)) fieldCount++
  }
  let end = writeVarint(out, writeInstants(out, 1, atMs), fieldCount + tail.length)
  let previousId = -1
  for (let index = 0; index < fieldIds.length; index++) {
    if (!hasValue(values, index * count, count)) continue
    const id = fieldIds[index] as number
    check(Number.isSafeInteger(id) && id > previousId && id < 2 ** 32, 'field ids are not ascending')
    end = writeField(out, end, id - previousId - 1, values, index * count, count, low)
    previousId = id
  }
  for (const { id, value } of tail) {
    check(Number.isSafeInteger(id) && id > previousId && id < 2 ** 32, 'field ids are not ascending')
    end = writeLast(out, end, id - previousId - 1, value, count)
    previousId = id
  }
  return out.slice(0, end)
}

const tailRoom = (tail: readonly TailValue[], count: number): number =>
  tail.length * (2 * MAX_VARINT_BYTES + Math.ceil(count / 8))

/** A field that the last sample alone has. */
function writeLast(out: Uint8Array, start: number, gap: number, value: number, count: number): number {
  check(Number.isSafeInteger(value), 'a value is no safe integer')
  const isKibi = value !== 0 && value % KIBI_SIZE === 0
  const flags = CONSTANT + (count > 1 ? SPARSE : 0) + (isKibi ? KIBI : 0)
  let end = writeVarint(out, start, gap * FLAGS_RADIX + flags)
  if (count > 1) {
    out.fill(0, end, end + Math.ceil(count / 8))
    out[end + ((count - 1) >> 3)]! |= 1 << ((count - 1) & 7)
    end += Math.ceil(count / 8)
  }
  return writeSigned(out, end, isKibi ? value / KIBI_SIZE : value)
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new RangeError(`block: ${message}`)
}

/** NaN is the only value unequal to itself. */
function hasValue(values: Float64Array, from: number, count: number): boolean {
  for (let index = from; index < from + count; index++) {
    if (!Number.isNaN(values[index])) return true
  }
  return false
}

function writeInstants(out: Uint8Array, start: number, atMs: Float64Array): number {
  const count = atMs.length
  const first = atMs[0] as number
  check(Number.isSafeInteger(first) && Math.abs(first) <= MAX_INSTANT_MS, 'an instant is no time')
  const isEven = isEvenlySpaced(atMs)
  let end = writeVarint(out, start, count * 2 + (isEven ? 1 : 0))
  if (count === 1) return end
  let previousStep = (atMs[1] as number) - first
  end = writeVarint(out, end, previousStep)
  if (isEven) return end
  for (let index = 2; index < count; index++) {
    const step = (atMs[index] as number) - (atMs[index - 1] as number)
    end = writeSigned(out, end, step - previousStep)
    previousStep = step
  }
  return end
}

/** Whether all steps are equal; checks on the way that the instants ascend. */
function isEvenlySpaced(atMs: Float64Array): boolean {
  const step = (atMs[1] as number) - (atMs[0] as number)
  let isEven = true
  for (let index = 1; index < atMs.length; index++) {
    const at = atMs[index] as number
    const gap = at - (atMs[index - 1] as number)
    check(Number.isSafeInteger(at) && gap > 0 && at <= MAX_INSTANT_MS, 'instants do not ascend')
    if (gap !== step) isEven = false
  }
  return isEven
}

/** What the values of one field are like; kept between calls. */
const traits = { isSparse: false, isKibi: false, isConstant: false, isWide: false, least: 0, greatest: 0 }

/** Looks at every value once: fields are some tens in a push, and this is most of what encoding one costs. */
function look(values: Float64Array, from: number, count: number): void {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  let present = 0
  let isWhole = true
  let isKibi = true
  for (let index = from; index < from + count; index++) {
    const value = values[index] as number
    if (Number.isNaN(value)) continue
    present += 1
    if (value < least) least = value
    if (value > greatest) greatest = value
    if (Math.floor(value) !== value) isWhole = false
    // Told nearly always by the first.
    else if (isKibi) isKibi = Math.floor(value / KIBI_SIZE) * KIBI_SIZE === value
  }
  check(isWhole && least >= Number.MIN_SAFE_INTEGER && greatest <= Number.MAX_SAFE_INTEGER, 'a value is no safe integer')
  traits.isSparse = present < count
  traits.isKibi = isKibi && (least !== 0 || greatest !== 0)
  traits.isConstant = least === greatest
  traits.least = traits.isKibi ? least / KIBI_SIZE : least
  traits.greatest = traits.isKibi ? greatest / KIBI_SIZE : greatest
  traits.isWide = traits.greatest - traits.least > Number.MAX_SAFE_INTEGER
}

function writeField(
  out: Uint8Array,
  start: number,
  gap: number,
  values: Float64Array,
  from: number,
  count: number,
  low: LowBitsWriter | undefined,
): number {
  look(values, from, count)
  const { isSparse, isKibi, isConstant, isWide } = traits
  const isPacked = isSparse || isKibi
  const presentCount = isPacked ? pack(values, from, count, isKibi ? KIBI_SIZE : 1) : count
  const present = isPacked ? packed : values
  const offset = isPacked ? 0 : from
  const mode = isConstant ? CONSTANT : isWide ? PLAIN : 0
  const lowBits = low && mode === 0 ? lowBitsOf(present, offset, presentCount) : 0
  const apart = lowBits > 0 ? apartOf(present, offset, presentCount, traits, lowBits, UPPER_BITS) : undefined
  const flags = mode + (isSparse ? SPARSE : 0) + (isKibi ? KIBI : 0) + (lowBits > 0 ? PACKED : 0) + (apart ? PLAIN : 0)
  let end = writeVarint(out, start, gap * (low ? SPLIT_FLAGS_RADIX : FLAGS_RADIX) + flags)
  if (isSparse) end = writeBitmap(out, end, values, from, count)
  end = writeSigned(out, end, apart ? apart.least : (present[offset] as number))
  if (mode === CONSTANT) return end
  if (low && apart) return writeApart(out, end, present, offset, presentCount, apart, low)
  if (low && lowBits > 0) return writePacked(out, end, present, offset, presentCount, lowBits, low)
  return mode === PLAIN
    ? writePlain(out, end, present, offset + 1, offset + presentCount)
    : writeDeltas(out, end, present, offset + 1, offset + presentCount)
}

/** Puts the values that there are, divided, into `packed`; returns how many. */
function pack(values: Float64Array, from: number, count: number, divisor: number): number {
  let present = 0
  for (let index = from; index < from + count; index++) {
    const value = values[index] as number
    if (!Number.isNaN(value)) packed[present++] = value / divisor
  }
  return present
}

function writeBitmap(out: Uint8Array, start: number, values: Float64Array, from: number, count: number): number {
  const end = start + Math.ceil(count / 8)
  out.fill(0, start, end)
  for (let index = 0; index < count; index++) {
    if (!Number.isNaN(values[from + index])) out[start + (index >> 3)]! |= 1 << (index & 7)
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
function lowBitsOf(values: Float64Array, from: number, count: number): number {
  let sum = 0
  let previous = values[from] as number
  for (let index = from + 1; index < from + count; index++) {
    const value = values[index] as number
    const size = Math.abs(value - previous)
    if (size >= MAX_PACKED_DELTA) return 0
    sum += size
    previous = value
  }
  const mean = (2 * sum) / (count - 1)
  return Math.min(MAX_LOW_BITS, Math.max(0, Math.floor(Math.log2(mean + 1)) - UPPER_BITS))
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
