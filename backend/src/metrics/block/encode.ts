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
  SPARSE,
  SPLIT_HEAD,
} from './format.ts'
import { type Adder, isExact, lookClosely } from './look.ts'
import { LowBitsWriter } from './low-bits.ts'
import { Room } from './room.ts'
import { writeSigned, writeVarint } from './varint.ts'
import { writeField, writeSplitField } from './write-field.ts'

/** Kept between calls: a push needs some hundred bytes, an hour some thousand, and a fresh one costs more than the encoding. */
const room = new Room(262_144)

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
  const write: WriteField = (out, start, gap, _id, values, from, count) => writeField(out, start, gap, values, from, count)
  const bytes = encode(columns, tail, write)
  // From the pool of small buffers: memory of its own lies outside of the heap, and costs eight times as much to fetch and give back.
  const own = Buffer.allocUnsafe(bytes.length)
  own.set(bytes)
  return own
}

/**
 * The same in two parts, for what is compressed afterwards: the first part is, the other one holds noise. `joinParts` puts them
 * together. Both stand until something else is encoded.
 */
export function encodeSplit(
  columns: SampleColumns,
  adder = onlyLook(columns.atMs.length),
): { first: Uint8Array; low: Uint8Array } {
  const low = new LowBitsWriter(columns.values.length * MAX_LOW_BITS)
  const first = encode(columns, [], (out, start, gap, id, values, from, count) => {
    const traits = lookClosely(values, from, adder.runs, adder.of(id))
    if (!isExact(traits)) adder.addOneByOne(id, values.subarray(from, from + count))
    return writeSplitField(out, start, gap, values, from, count, traits, low)
  })
  return { first: first.subarray(1), low: low.finish() }
}

/** Adds up to nowhere. */
function onlyLook(count: number): Adder {
  return { runs: [{ place: 0, until: count }], of: () => nowhere, addOneByOne: () => undefined }
}
const nowhere = { counts: new Float64Array(1), low: new Float64Array(1), maxima: new Float64Array(1) }

/** Writes a field by its id and the gap to the one before; returns where it ends. */
type WriteField = (
  out: Uint8Array,
  start: number,
  gap: number,
  id: number,
  values: Float64Array,
  from: number,
  count: number,
) => number

/** A block of version 3, or of 2 as older ones are. */
export function joinParts({ first, low }: { first: Uint8Array; low: Uint8Array }, version: 2 | 3): Uint8Array {
  const head = new DataView(new ArrayBuffer(SPLIT_HEAD))
  head.setUint8(0, version)
  head.setUint32(1, first.length, true)
  return Buffer.concat([new Uint8Array(head.buffer), first, low])
}

/** What stands until the next call. */
function encode(columns: SampleColumns, tail: readonly TailValue[], write: WriteField): Uint8Array {
  const { atMs, fieldIds, values } = columns
  const count = atMs.length
  check(count >= 1 && count <= MAX_BLOCK_SAMPLES && fieldIds.length + tail.length <= MAX_BLOCK_FIELDS, 'too many or no samples')
  check(values.length === count * fieldIds.length, 'a column is not as long as the instants')
  const worst =
    16 + (count + fieldIds.length) * (MAX_VARINT_BYTES + 8) + values.length * (MAX_VARINT_BYTES + 1) + tailRoom(tail, count)
  const out = room.of(worst)
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
    end = write(out, end, id - previousId - 1, id, values, index * count, count)
    previousId = id
  }
  for (const { id, value } of tail) {
    check(Number.isSafeInteger(id) && id > previousId && id < 2 ** 32, 'field ids are not ascending')
    end = writeLast(out, end, id - previousId - 1, value, count)
    previousId = id
  }
  return out.subarray(0, end)
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
