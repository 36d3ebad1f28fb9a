import { BlockError, MAX_BLOCK_FIELDS, MAX_BLOCK_SAMPLES } from './columns.ts'
import { FLAGS_RADIX, MAX_INSTANT_MS, PUSH_FORM } from './format.ts'
import { type Cursor, readSigned, readVarint } from './cursor.ts'

/** A block while it is read. */
export class OpenBlock {
  readonly cursor: Cursor
  /** Of the current field. */
  id = -1
  flags = 0

  /** Throws BlockError. */
  constructor(bytes: Uint8Array) {
    const [form] = bytes
    if (form !== PUSH_FORM) throw new BlockError(`block form ${form ?? 'missing'} is unknown`)
    this.cursor = { bytes, at: 1 }
  }

  /** Goes to the next field: its values are at the cursor. Throws BlockError. */
  next(): void {
    const head = readVarint(this.cursor)
    this.flags = head % FLAGS_RADIX
    this.id += Math.floor(head / FLAGS_RADIX) + 1
    if (this.id >= 2 ** 32) throw new BlockError('field id out of range')
  }

  /** To be called behind the last field. Throws BlockError. */
  end(): void {
    if (this.cursor.at !== this.cursor.bytes.length) throw new BlockError('bytes after the end of the block')
  }
}

/** A field takes two bytes at least, so that a count beyond the bytes is refused before anything is allocated for it. */
export function readFieldCount(cursor: Cursor): number {
  const count = readVarint(cursor)
  if (count > MAX_BLOCK_FIELDS || count * 2 > cursor.bytes.length - cursor.at) throw new BlockError('too many fields')
  return count
}

/** With `room` they stand at its beginning, if they fit in. Throws BlockError. */
export function readInstants(cursor: Cursor, t0Ms: number, room?: Float64Array): Float64Array {
  const head = readSampleHead(cursor)
  const count = head >>> 1
  const atMs = room && count <= room.length ? room.subarray(0, count) : new Float64Array(count)
  fillInstants(cursor, head, t0Ms, atMs, 0)
  return atMs
}

/** Puts them into `atMs` from `start` on; how many there are, of which none was put where they do not fit in. Throws BlockError. */
export function appendInstants(cursor: Cursor, t0Ms: number, atMs: Float64Array, start: number): number {
  const head = readSampleHead(cursor)
  const count = head >>> 1
  if (start + count <= atMs.length) fillInstants(cursor, head, t0Ms, atMs, start)
  return count
}

function readSampleHead(cursor: Cursor): number {
  const head = readVarint(cursor)
  if (head < 2 || head > 2 * MAX_BLOCK_SAMPLES + 1) throw new BlockError('sample count out of range')
  // Each further sample has its own byte of instant unless the steps are even: no allocation by a forged count.
  if (head % 2 === 0 && head / 2 - 1 > cursor.bytes.length - cursor.at) throw new BlockError('block is cut off')
  return head
}

function fillInstants(cursor: Cursor, head: number, t0Ms: number, atMs: Float64Array, start: number): void {
  if (!Number.isSafeInteger(t0Ms)) throw new BlockError('first instant is no integer')
  const isEven = head % 2 === 1
  const end = start + (head >>> 1)
  atMs[start] = t0Ms
  let at = t0Ms
  let step = end > start + 1 ? readVarint(cursor) : 1
  for (let index = start + 1; index < end; index++) {
    if (index > start + 1 && !isEven) step += readSigned(cursor)
    if (step < 1 || step > MAX_INSTANT_MS) throw new BlockError('instants do not ascend')
    at += step
    atMs[index] = at
  }
  if (Math.abs(t0Ms) > MAX_INSTANT_MS || at > MAX_INSTANT_MS) throw new BlockError('an instant is no time')
}
