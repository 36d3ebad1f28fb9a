import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BlockError, encodeSplit, joinParts, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'

/**
 * Columns as hours and days store them:
 *
 *   version     1 byte
 *   first       4 bytes, lowest first: the first instant, in ms from the start of the hour or day
 *   length      4 bytes, lowest first: of the next part
 *   compressed  zstd: the first part of a block in the split form
 *   low bits    its second part
 */
const VERSION = 1
const HEAD = 9
/** An hour of 10,000 samples of 64 fields at their longest. */
const MAX_BLOCK_BYTES = 8 * 1024 * 1024
/** Higher levels search longer and gain nothing: what remains without low bits are small numbers. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 8_192 }

export function compress(columns: SampleColumns, startMs: number): Uint8Array {
  const { first, low } = encodeSplit(columns)
  const compressed = zstdCompressSync(first, FAST)
  const head = Buffer.alloc(HEAD)
  head[0] = VERSION
  head.writeUInt32LE(valueAt(columns.atMs, 0) - startMs, 1)
  head.writeUInt32LE(compressed.length, 5)
  return Buffer.concat([head, compressed, low])
}

/** The first instant in ms from the start, and a block. Throws BlockError on other bytes. */
export function decompress(data: Uint8Array): { offsetMs: number; block: Uint8Array } {
  if (data[0] !== VERSION) throw new BlockError(`samples of version ${data[0] ?? 'missing'} are unknown`)
  if (data.length < HEAD) throw new BlockError('bytes are cut off')
  const view = new DataView(data.buffer, data.byteOffset)
  const end = HEAD + view.getUint32(5, true)
  return {
    offsetMs: view.getUint32(1, true),
    block: joinParts({ first: inflate(data.subarray(HEAD, end)), low: data.subarray(end) }),
  }
}

function inflate(data: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(data, { maxOutputLength: MAX_BLOCK_BYTES })
  } catch (error) {
    throw new BlockError('compressed bytes are damaged', { cause: error })
  }
}
