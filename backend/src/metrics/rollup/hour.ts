import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { mergeSamples, type StoredPiece, Summary } from '../aggregate.ts'
import { ALL_STORED, BlockError, encodeBlock, valueAt } from '../block/index.ts'
import { encodeHeader } from './header.ts'
import { joinTail, moveTail, type Stored } from './tail.ts'

export const HOUR_MS = 3_600_000
/** A sample may lie so far ahead of its receipt. */
export const MAX_AHEAD_MS = 300_000
/** An hour of 10,000 samples of 64 fields, at their longest; what claims to be more is no block. */
const MAX_BLOCK_BYTES = 8 * 1024 * 1024

/** Deltas repeat nowhere, so that looking for what repeats gains nothing: the same size as level 3 for half of the CPU. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** An hour of one server as it is stored. */
export interface StoredHour {
  /** Hours since the epoch. */
  hour: number
  samples: number
  header: Uint8Array
  data: Uint8Array
}

/** The samples of pieces that all lie in the hour, ordered by `t0Ms`, each instant once; undefined when there are none. */
export function toHour(hour: number, pieces: readonly StoredPiece[]): StoredHour | undefined {
  if (pieces.length === 0) return undefined
  // What a newer version has stored must outlive this one: no field is left out.
  const columns = mergeSamples(pieces, ALL_STORED)
  const startMs = hour * HOUR_MS
  const summary = new Summary({ fromMs: startMs, toMs: startMs + HOUR_MS })
  summary.add(columns, undefined)
  // The instant of the first sample stands before the block: a piece needs it, and a push has it in its row.
  const t0 = Buffer.alloc(4)
  t0.writeUInt32LE(valueAt(columns.atMs, 0) - startMs)
  return {
    hour,
    samples: columns.atMs.length,
    ...moveTail({
      header: encodeHeader(summary.totals(), startMs),
      data: zstdCompressSync(Buffer.concat([t0, encodeBlock(columns)]), FAST),
    }),
  }
}

/** The samples of a stored hour, which stand before those of any push. Throws BlockError on bytes that are none. */
export function toPiece({ hour, ...stored }: Stored & { hour: number }): StoredPiece {
  const bytes = inflate(joinTail(stored))
  if (bytes.length < 4) throw new BlockError('hour is cut off')
  return {
    t0Ms: hour * HOUR_MS + bytes.readUInt32LE(0),
    tLastMs: (hour + 1) * HOUR_MS - 1,
    receivedAtMs: Number.NEGATIVE_INFINITY,
    digest: new Uint8Array(8),
    block: bytes.subarray(4),
  }
}

/** Bytes that were compressed for storing. Throws BlockError. */
export function inflate(data: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(data, { maxOutputLength: MAX_BLOCK_BYTES })
  } catch (error) {
    throw new BlockError('compressed bytes are damaged', { cause: error })
  }
}
