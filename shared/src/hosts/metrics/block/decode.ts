import { MAX_SAMPLES_PER_BATCH } from '../limits.ts'
import { BlockError, type SampleColumns } from './columns.ts'
import { readVarint } from './cursor.ts'
import { readField, skipField } from './field.ts'
import { PUSH_FORM } from './format.ts'
import { OpenBlock, readFieldCount, readInstants } from './open.ts'
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
  const block = new OpenBlock(bytes)
  const { cursor } = block
  const atMs = readInstants(cursor, t0Ms, room?.atMs)
  const fieldCount = readFieldCount(cursor)
  const size = atMs.length * Math.min(fieldCount, wanted.size)
  const slab = room && size <= room.values.length ? room.values : new Float64Array(size)
  const fieldIds: number[] = []
  for (let index = 0; index < fieldCount; index++) {
    block.next()
    if (!wanted.has(block.id)) {
      skipField(block, atMs.length)
      continue
    }
    readField(block, slab, fieldIds.length * atMs.length, atMs.length)
    fieldIds.push(block.id)
  }
  block.end()
  const values = slab.subarray(0, fieldIds.length * atMs.length)
  return { atMs, fieldIds, values }
}

/** As `decodeBlock`, of a block that comes from outside: only the form of a push and the samples of one batch are taken. */
export function decodePushBlock(bytes: Uint8Array, t0Ms: number, room: Slab): SampleColumns {
  if (bytes[0] !== PUSH_FORM) throw new BlockError(`block form ${bytes[0] ?? 'missing'} is none of a push`)
  // A few bytes can claim many samples: they are counted before any is read.
  if (readVarint({ bytes, at: 1 }) > 2 * MAX_SAMPLES_PER_BATCH + 1)
    throw new BlockError(`must have 1 to ${MAX_SAMPLES_PER_BATCH} samples`)
  return decodeBlock(bytes, t0Ms, KNOWN_FIELD_IDS, room)
}

/** The instants alone, for a reader that only asks what a block covers. Throws BlockError. */
export function decodeInstants(bytes: Uint8Array, t0Ms: number): Float64Array {
  return decodeBlock(bytes, t0Ms, new Set()).atMs
}
