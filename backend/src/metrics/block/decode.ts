import { BlockError, MAX_BLOCK_FIELDS, MAX_BLOCK_SAMPLES, type SampleColumns, valueAt } from './columns.ts'
import { readApart, readLowBits, skipApart } from './apart.ts'
import {
  APART_VERSION,
  BLOCK_VERSION,
  CONSTANT,
  FLAGS_RADIX,
  KIBI,
  KIBI_SIZE,
  MAX_INSTANT_MS,
  PACKED,
  PLAIN,
  SPARSE,
  SPLIT_FLAGS_RADIX,
  SPLIT_HEAD,
  SPLIT_VERSION,
} from './format.ts'
import { LowBitsReader } from './low-bits.ts'
import { type Cursor, readSigned, readSum, readVarint, skipVarints } from './cursor.ts'
import { KNOWN_FIELD_IDS, type Wanted } from './scale.ts'

/** Room to decode into, for a reader that is done with one block before it asks for the next: a read of pushes makes no garbage. */
export interface Slab {
  atMs: Float64Array
  values: Float64Array
}

/** For an hour of some fields more than there are; what is larger gets room of its own. */
export const createSlab = (): Slab => ({ atMs: new Float64Array(512), values: new Float64Array(24_576) })

/**
 * The samples of a block whose first instant is `t0Ms`, with the fields in `wanted` only (all that this version knows).
 * With `room` they stand in there, until it is used again.
 * Total: any bytes either decode or throw BlockError, and never more is allocated than 10,000 samples of the wanted fields.
 */
export function decodeBlock(bytes: Uint8Array, t0Ms: number, wanted: Wanted = KNOWN_FIELD_IDS, room?: Slab): SampleColumns {
  const block = openBlock(bytes)
  const { cursor } = block
  const atMs = readInstants(cursor, t0Ms, room?.atMs)
  const fieldCount = readFieldCount(cursor)
  const size = atMs.length * Math.min(fieldCount, wanted.size)
  const slab = room && size <= room.values.length ? room.values : new Float64Array(size)
  const fieldIds: number[] = []
  let id = -1
  for (let index = 0; index < fieldCount; index++) {
    const head = readVarint(cursor)
    const flags = head % block.flagsRadix
    id += Math.floor(head / block.flagsRadix) + 1
    if (id >= 2 ** 32) throw new BlockError('field id out of range')
    if (!wanted.has(id)) {
      skipField(block, flags, atMs.length)
      continue
    }
    readField(block, flags, slab, fieldIds.length * atMs.length, atMs.length)
    fieldIds.push(id)
  }
  if (cursor.at !== cursor.bytes.length || block.low?.isAtEnd() === false)
    throw new BlockError('bytes after the end of the block')
  const values = slab.subarray(0, fieldIds.length * atMs.length)
  return { atMs, fieldIds, values }
}

/** One field after the other, for a reader that keeps none of the samples: a slab of an hour does not fit the caches. */
export interface FieldTaker {
  begin(atMs: Float64Array): void
  /** `values` has a place for each instant and is overwritten by the next field. */
  take(id: number, values: Float64Array, isSparse: boolean): void
}

/** As `decodeBlock`, but stops after the last wanted field: damage behind it goes unseen. Throws BlockError. */
export function takeFields(bytes: Uint8Array, t0Ms: number, wanted: ReadonlySet<number>, taker: FieldTaker): void {
  const block = openBlock(bytes)
  const { cursor } = block
  const atMs = readInstants(cursor, t0Ms)
  const fieldCount = readFieldCount(cursor)
  taker.begin(atMs)
  const values = scratch.subarray(0, atMs.length)
  let left = wanted.size
  let id = -1
  for (let index = 0; index < fieldCount && left > 0; index++) {
    const head = readVarint(cursor)
    const flags = head % block.flagsRadix
    id += Math.floor(head / block.flagsRadix) + 1
    if (!wanted.has(id)) {
      skipField(block, flags, atMs.length)
      continue
    }
    readField(block, flags, scratch, 0, atMs.length)
    left -= 1
    taker.take(id, values, (flags & SPARSE) !== 0)
  }
}

const scratch = new Float64Array(MAX_BLOCK_SAMPLES)

/** The instants alone, for a reader that only asks what a block covers. Throws BlockError. */
export function decodeInstants(bytes: Uint8Array, t0Ms: number): Float64Array {
  return decodeBlock(bytes, t0Ms, new Set()).atMs
}

/** The bytes behind the version, and what else its version has. */
interface Opened {
  cursor: Cursor
  flagsRadix: number
  /** Of versions 2 and 3. */
  low: LowBitsReader | undefined
  /** Of version 3. */
  hasApart: boolean
}

function openBlock(bytes: Uint8Array): Opened {
  const [version] = bytes
  if (version === BLOCK_VERSION) return { cursor: { bytes, at: 1 }, flagsRadix: FLAGS_RADIX, low: undefined, hasApart: false }
  if (version !== SPLIT_VERSION && version !== APART_VERSION)
    throw new BlockError(`block version ${version ?? 'missing'} is unknown`)
  if (bytes.length < SPLIT_HEAD) throw new BlockError('block is cut off')
  const end = SPLIT_HEAD + new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true)
  const low = new LowBitsReader(bytes.subarray(end))
  return {
    cursor: { bytes: bytes.subarray(SPLIT_HEAD, end), at: 0 },
    flagsRadix: SPLIT_FLAGS_RADIX,
    low,
    hasApart: version === APART_VERSION,
  }
}

/** A field takes two bytes at least, so that a count beyond the bytes is refused before anything is allocated for it. */
function readFieldCount(cursor: Cursor): number {
  const count = readVarint(cursor)
  if (count > MAX_BLOCK_FIELDS || count * 2 > cursor.bytes.length - cursor.at) throw new BlockError('too many fields')
  return count
}

function readInstants(cursor: Cursor, t0Ms: number, room?: Float64Array): Float64Array {
  const head = readVarint(cursor)
  const count = Math.floor(head / 2)
  if (count < 1 || count > MAX_BLOCK_SAMPLES) throw new BlockError('sample count out of range')
  if (!Number.isSafeInteger(t0Ms)) throw new BlockError('first instant is no integer')
  const isEven = head % 2 === 1
  // Each further sample has its own byte of instant unless the steps are even: no allocation by a forged count.
  if (!isEven && count - 1 > cursor.bytes.length - cursor.at) throw new BlockError('block is cut off')
  const atMs = room && count <= room.length ? room.subarray(0, count) : new Float64Array(count)
  atMs[0] = t0Ms
  let at = t0Ms
  let step = count > 1 ? readVarint(cursor) : 1
  for (let index = 1; index < count; index++) {
    if (index > 1 && !isEven) step += readSigned(cursor)
    if (step < 1 || step > MAX_INSTANT_MS) throw new BlockError('instants do not ascend')
    at += step
    atMs[index] = at
  }
  if (Math.abs(t0Ms) > MAX_INSTANT_MS || at > MAX_INSTANT_MS) throw new BlockError('an instant is no time')
  return atMs
}

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

function skipField({ cursor, low, hasApart }: Opened, flags: number, count: number): void {
  const present = flags & SPARSE ? presentIn(cursor, count).present : count
  if ((flags & PACKED) !== 0 && low && hasApart && (flags & PLAIN) !== 0) skipApart(cursor, low, present)
  else if ((flags & PACKED) !== 0 && low) {
    skipVarints(cursor, 1)
    low.pass(readLowBits(cursor), present - 1)
    skipVarints(cursor, present - 1)
  } else skipVarints(cursor, flags & CONSTANT ? 1 : present)
}

function readField({ cursor, low, hasApart }: Opened, flags: number, slab: Float64Array, start: number, count: number): void {
  if ((flags & CONSTANT) !== 0 && (flags & (PLAIN | PACKED)) !== 0) throw new BlockError('unknown form of a field')
  const sparse = flags & SPARSE ? presentIn(cursor, count) : undefined
  const present = sparse ? sparse.present : count
  if ((flags & PACKED) !== 0 && low && hasApart && (flags & PLAIN) !== 0) readApart(cursor, low, slab, start, present)
  else if ((flags & PACKED) !== 0 && low) readPacked(cursor, low, slab, start, present)
  else readDense(cursor, flags, slab, start, present)
  if (flags & KIBI) multiply(slab, start, start + present)
  if (sparse) spread(slab, start, count, sparse)
}

function readDense(cursor: Cursor, flags: number, slab: Float64Array, start: number, count: number): void {
  const first = readSigned(cursor)
  slab[start] = first
  if (flags & CONSTANT) slab.fill(first, start, start + count)
  else if (flags & PLAIN) for (let index = 1; index < count; index++) slab[start + index] = readSigned(cursor)
  else readSum(cursor, slab, start + 1, start + count, first)
}

function readPacked(cursor: Cursor, low: LowBitsReader, slab: Float64Array, start: number, count: number): void {
  let value = readSigned(cursor)
  const bits = readLowBits(cursor)
  const factor = 2 ** bits
  const { bytes } = cursor
  let place = low.pass(bits, count - 1)
  let at = cursor.at
  slab[start] = value
  for (let index = start + 1; index < start + count; index++, place += bits) {
    // Nearly always one byte; the end of the bytes is undefined, which is not below 128.
    let upper = bytes[at] as number
    if (upper < 128) at++
    else {
      cursor.at = at
      upper = readVarint(cursor)
      at = cursor.at
    }
    const zigzag = upper * factor + low.at(place, bits)
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
