import { BlockError, MAX_BLOCK_FIELDS, MAX_BLOCK_SAMPLES, type SampleColumns, valueAt } from './columns.ts'
import { BLOCK_VERSION, CONSTANT, FLAGS_RADIX, KIBI, KIBI_SIZE, MAX_INSTANT_MS, PLAIN, SPARSE } from './format.ts'
import { type Cursor, readSigned, readSum, readVarint, skipVarints } from './cursor.ts'
import { KNOWN_FIELD_IDS, type Wanted } from './scale.ts'

/**
 * The samples of a block whose first instant is `t0Ms`, with the fields in `wanted` only (all that this version knows).
 * Total: any bytes either decode or throw BlockError, and never more is allocated than 10,000 samples of the wanted fields.
 */
export function decodeBlock(bytes: Uint8Array, t0Ms: number, wanted: Wanted = KNOWN_FIELD_IDS): SampleColumns {
  const cursor: Cursor = { bytes, at: 1 }
  const atMs = readHead(cursor, t0Ms)
  const fieldCount = readFieldCount(cursor)
  const slab = new Float64Array(atMs.length * Math.min(fieldCount, wanted.size))
  const fieldIds: number[] = []
  let id = -1
  for (let index = 0; index < fieldCount; index++) {
    const head = readVarint(cursor)
    const flags = head % FLAGS_RADIX
    id += Math.floor(head / FLAGS_RADIX) + 1
    if (id >= 2 ** 32) throw new BlockError('field id out of range')
    if (!wanted.has(id)) {
      skipField(cursor, flags, atMs.length)
      continue
    }
    readField(cursor, flags, slab, fieldIds.length * atMs.length, atMs.length)
    fieldIds.push(id)
  }
  if (cursor.at !== bytes.length) throw new BlockError('bytes after the end of the block')
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
  const cursor: Cursor = { bytes, at: 1 }
  const atMs = readHead(cursor, t0Ms)
  const fieldCount = readFieldCount(cursor)
  taker.begin(atMs)
  const values = scratch.subarray(0, atMs.length)
  let left = wanted.size
  let id = -1
  for (let index = 0; index < fieldCount && left > 0; index++) {
    const head = readVarint(cursor)
    const flags = head % FLAGS_RADIX
    id += Math.floor(head / FLAGS_RADIX) + 1
    if (!wanted.has(id)) {
      skipField(cursor, flags, atMs.length)
      continue
    }
    readField(cursor, flags, scratch, 0, atMs.length)
    left -= 1
    taker.take(id, values, (flags & SPARSE) !== 0)
  }
}

const scratch = new Float64Array(MAX_BLOCK_SAMPLES)

/** The instants alone, for a reader that only asks what a block covers. Throws BlockError. */
export function decodeInstants(bytes: Uint8Array, t0Ms: number): Float64Array {
  return decodeBlock(bytes, t0Ms, new Set()).atMs
}

function readHead(cursor: Cursor, t0Ms: number): Float64Array {
  const [version] = cursor.bytes
  if (version !== BLOCK_VERSION) throw new BlockError(`block version ${version ?? 'missing'} is not ${BLOCK_VERSION}`)
  return readInstants(cursor, t0Ms)
}

/** A field takes two bytes at least, so that a count beyond the bytes is refused before anything is allocated for it. */
function readFieldCount(cursor: Cursor): number {
  const count = readVarint(cursor)
  if (count > MAX_BLOCK_FIELDS || count * 2 > cursor.bytes.length - cursor.at) throw new BlockError('too many fields')
  return count
}

function readInstants(cursor: Cursor, t0Ms: number): Float64Array {
  const head = readVarint(cursor)
  const count = Math.floor(head / 2)
  if (count < 1 || count > MAX_BLOCK_SAMPLES) throw new BlockError('sample count out of range')
  if (!Number.isSafeInteger(t0Ms)) throw new BlockError('first instant is no integer')
  const isEven = head % 2 === 1
  // Each further sample has its own byte of instant unless the steps are even: no allocation by a forged count.
  if (!isEven && count - 1 > cursor.bytes.length - cursor.at) throw new BlockError('block is cut off')
  const atMs = new Float64Array(count)
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

function skipField(cursor: Cursor, flags: number, count: number): void {
  const present = flags & SPARSE ? presentIn(cursor, count).present : count
  skipVarints(cursor, flags & CONSTANT ? 1 : present)
}

function readField(cursor: Cursor, flags: number, slab: Float64Array, start: number, count: number): void {
  if ((flags & CONSTANT) !== 0 && (flags & PLAIN) !== 0) throw new BlockError('unknown form of a field')
  const sparse = flags & SPARSE ? presentIn(cursor, count) : undefined
  const present = sparse ? sparse.present : count
  readDense(cursor, flags, slab, start, present)
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
