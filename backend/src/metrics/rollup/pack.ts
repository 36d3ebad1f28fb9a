import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type Adder, BlockError, encodeSplit, joinParts, type SampleColumns, valueAt } from '../block/index.ts'

/**
 * Columns as hours and days store them:
 *
 *   version 3   1 byte; 2 when it is older and of a block of version 2; what begins with 40 instead is older still and zstd as a
 *               whole: the instant below (not for days) and a block of version 1
 *   first       4 bytes, lowest first: the first instant, in ms from the start of the hour or day
 *   length      4 bytes, lowest first: of what follows
 *   upper bits  zstd: the first part of a block of version 3
 *   low bits    its second part
 */
const PACK_VERSION = 3
const OLDER_PACK_VERSION = 2
const HEAD = 9
/** An hour of 10,000 samples of 64 fields, at their longest; what claims to be more is no block. */
const MAX_BLOCK_BYTES = 8 * 1024 * 1024
/**
 * Level 1: higher ones look longer for what repeats and gain nothing. Upper bits are small numbers, in which short runs repeat by
 * chance: to name where they stood before takes more than they do, so that only seven bytes and more count as repeated, and little is
 * remembered of where. Measured over 200 hours: 3 % smaller than without, for half of the CPU.
 */
const FAST = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 1,
    [constants.ZSTD_c_minMatch]: 7,
    [constants.ZSTD_c_hashLog]: 12,
    [constants.ZSTD_c_windowLog]: 17,
  },
  // Made anew for each: an hour takes half of it.
  chunkSize: 8_192,
}

/** `adder` gets what the columns add up to, in passing. */
export function pack(columns: SampleColumns, startMs: number, adder?: Adder): Uint8Array {
  const { first, low } = encodeSplit(columns, adder)
  const compressed = zstdCompressSync(first, FAST)
  const head = Buffer.alloc(HEAD)
  head[0] = PACK_VERSION
  head.writeUInt32LE(valueAt(columns.atMs, 0) - startMs, 1)
  head.writeUInt32LE(compressed.length, 5)
  return Buffer.concat([head, compressed, low])
}

/** The first instant in ms from the start, and a block. `olderHasInstant` is true of hours. Throws BlockError on bytes that are none. */
export function unpack(data: Uint8Array, olderHasInstant: boolean): { offsetMs: number; block: Uint8Array } {
  const [version] = data
  if (version !== PACK_VERSION && version !== OLDER_PACK_VERSION) return unpackOlder(inflate(data), olderHasInstant ? 4 : 0)
  if (data.length < HEAD) throw new BlockError('bytes are cut off')
  const view = new DataView(data.buffer, data.byteOffset)
  const end = HEAD + view.getUint32(5, true)
  return {
    offsetMs: view.getUint32(1, true),
    block: joinParts({ first: inflate(data.subarray(HEAD, end)), low: data.subarray(end) }, version),
  }
}

function unpackOlder(bytes: Buffer, head: 0 | 4): { offsetMs: number; block: Uint8Array } {
  if (bytes.length < head) throw new BlockError('bytes are cut off')
  return { offsetMs: head === 0 ? 0 : bytes.readUInt32LE(0), block: bytes.subarray(head) }
}

/** Bytes that were compressed for storing. Throws BlockError. */
function inflate(data: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(data, { maxOutputLength: MAX_BLOCK_BYTES })
  } catch (error) {
    throw new BlockError('compressed bytes are damaged', { cause: error })
  }
}
