import { MAX_BLOCK_FIELDS, MAX_BLOCK_SAMPLES, type SampleColumns } from './columns.ts'
import { CONSTANT, FLAGS_RADIX, KIBI, KIBI_SIZE, MAX_INSTANT_MS, MAX_VARINT_BYTES, PUSH_FORM, SPARSE } from './format.ts'
import { Room } from './room.ts'
import { writeSigned, writeVarint } from './varint.ts'
import { writeField } from './write-field.ts'

/** Reused: a push needs some hundred bytes, an hour some thousand, and allocating costs more than encoding. */
const room = new Room(262_144)

/** A value that the last sample alone has. */
export interface LastValue {
  id: number
  value: number
}

/**
 * The columns as a block of a push, without the first instant, which the row keeps. `tail` is more of the last sample: fields by
 * ascending id, all above those of the columns.
 * Throws RangeError where the columns break what `SampleColumns` says: they are validated before, so that is a bug of ours.
 */
export function encodeBlock(columns: SampleColumns, tail: readonly LastValue[] = []): Uint8Array {
  const bytes = encode(columns, tail)
  // From the pool of small buffers: memory of its own lies outside of the heap, and costs eight times as much to fetch and give back.
  const own = Buffer.allocUnsafe(bytes.length)
  own.set(bytes)
  return own
}

/** Valid until the next call. */
function encode(columns: SampleColumns, tail: readonly LastValue[]): Uint8Array {
  const { atMs, fieldIds, values } = columns
  const count = atMs.length
  check(count >= 1 && count <= MAX_BLOCK_SAMPLES && fieldIds.length + tail.length <= MAX_BLOCK_FIELDS, 'too many or no samples')
  check(values.length === count * fieldIds.length, 'a column is not as long as the instants')
  const worst =
    16 + (count + fieldIds.length) * (MAX_VARINT_BYTES + 8) + values.length * (MAX_VARINT_BYTES + 1) + tailRoom(tail, count)
  const out = room.of(worst)
  out[0] = PUSH_FORM
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
    end = writeField(out, end, id - previousId - 1, values, index * count, count)
    previousId = id
  }
  for (const { id, value } of tail) {
    check(Number.isSafeInteger(id) && id > previousId && id < 2 ** 32, 'field ids are not ascending')
    end = writeLast(out, end, id - previousId - 1, value, count)
    previousId = id
  }
  return out.subarray(0, end)
}

const tailRoom = (tail: readonly LastValue[], count: number): number =>
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
