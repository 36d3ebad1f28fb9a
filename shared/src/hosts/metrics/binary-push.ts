import { BlockError, encodeBlock, readSigned, readVarint, type SampleColumns, writeSigned, writeVarint } from './block/index.ts'
import { MAX_BATCHES_PER_REQUEST } from './limits.ts'

/** The media type of a push whose samples are blocks; docs/internals/sample-format.md describes it byte by byte. */
export const BINARY_PUSH_TYPE = 'application/vnd.vedette.samples'

const VERSION = 1
/** Room for one number. */
const NUMBER_BYTES = 9

/** A batch as it came: nothing of it is checked but that it is there. */
export interface BinaryBatch {
  /** JSON of what is reported in addition to the samples. */
  fields: Buffer
  /** First instant, ms since the epoch. */
  t0Ms: number
  block: Buffer
}

export interface BinaryPush {
  /** JSON of what concerns all batches. */
  fields: Buffer
  batches: BinaryBatch[]
}

/** A batch for `encodeBinaryPush`. Throws RangeError where the columns break what `SampleColumns` says. */
export function encodeBinaryBatch(fields: object, columns: SampleColumns): Buffer {
  const block = encodeBlock(columns)
  const t0 = Buffer.alloc(NUMBER_BYTES)
  const t0End = writeSigned(t0, 0, columns.atMs[0] as number)
  return Buffer.concat([withLength(toJson(fields)), t0.subarray(0, t0End), withLength(block)])
}

/** The body of a push; the bytes of the batches are copied unchanged. */
export function encodeBinaryPush(fields: object, batches: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.of(VERSION), withLength(toJson(fields)), ...batches])
}

/**
 * The parts of a push, as parts of the same memory. Of too many batches it returns one more than are allowed.
 * Total: any bytes either have these parts or throw BlockError.
 */
export function decodeBinaryPush(bytes: Buffer): BinaryPush {
  const cursor = { bytes, at: 1 }
  if (bytes[0] !== VERSION) throw new BlockError(`version ${bytes[0] ?? 'missing'} is unknown`)
  const take = (): Buffer => {
    const length = readVarint(cursor)
    if (length > bytes.length - cursor.at) throw new BlockError('body is cut off')
    cursor.at += length
    return bytes.subarray(cursor.at - length, cursor.at)
  }
  const fields = take()
  const batches: BinaryBatch[] = []
  while (cursor.at < bytes.length && batches.length <= MAX_BATCHES_PER_REQUEST)
    batches.push({ fields: take(), t0Ms: readSigned(cursor), block: take() })
  return { fields, batches }
}

const toJson = (fields: object): Buffer => Buffer.from(JSON.stringify(fields))

function withLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(NUMBER_BYTES)
  return Buffer.concat([length.subarray(0, writeVarint(length, 0, bytes.length)), bytes])
}
