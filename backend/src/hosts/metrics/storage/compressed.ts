import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BlockError, decodeBlock, encodeBlock, type SampleColumns, valueAt, type Wanted } from '@vedette/shared/metrics/block'

/**
 * The samples of an hour until its day is finished:
 *
 *   version     1 byte
 *   first       4 bytes, lowest first: the first instant, in ms from the start of the hour
 *   compressed  zstd: a block
 */
const VERSION = 1
const HEAD = 5
/** An hour of 10,000 samples of 64 fields at their longest. */
const MAX_BLOCK_BYTES = 8 * 1024 * 1024
/** What is replaced within a day is not worth more time. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 8_192 }

export function compress(columns: SampleColumns, startMs: number): Uint8Array {
  const head = Buffer.alloc(HEAD)
  head[0] = VERSION
  head.writeUInt32LE(valueAt(columns.atMs, 0) - startMs, 1)
  return Buffer.concat([head, zstdCompressSync(encodeBlock(columns), FAST)])
}

/** The wanted fields. Throws BlockError on other bytes. */
export function decompress(data: Uint8Array, startMs: number, wanted: Wanted): SampleColumns {
  if (data[0] !== VERSION) throw new BlockError(`samples of version ${data[0] ?? 'missing'} are unknown`)
  if (data.length < HEAD) throw new BlockError('bytes are cut off')
  const offsetMs = new DataView(data.buffer, data.byteOffset).getUint32(1, true)
  return decodeBlock(inflate(data.subarray(HEAD)), startMs + offsetMs, wanted)
}

function inflate(data: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(data, { maxOutputLength: MAX_BLOCK_BYTES })
  } catch (error) {
    throw new BlockError('compressed bytes are damaged', { cause: error })
  }
}
