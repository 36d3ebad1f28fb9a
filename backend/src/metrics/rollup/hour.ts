import { Buckets, mergeSamples, type StoredPiece, Summary } from '../aggregate.ts'
import { ALL_STORED } from '../block/index.ts'
import { encodeHeader } from './header.ts'
import { pack, unpack } from './pack.ts'
import { encodeParts, HALF_HOUR_MS } from './parts.ts'
import { addHalves, joinTail, moveTail, type Stored } from './tail.ts'

export const HOUR_MS = 3_600_000
const HALVES = 2
/** A sample may lie so far ahead of its receipt. */
export const MAX_AHEAD_MS = 300_000

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
  const halves = new Buckets(startMs, HALF_HOUR_MS, HALVES)
  halves.addColumns(columns)
  return {
    hour,
    samples: columns.atMs.length,
    ...moveTail({
      header: addHalves(encodeHeader(summary.totals(), startMs), encodeParts(halves, HALVES)),
      data: pack(columns, startMs),
    }),
  }
}

/** The samples of a stored hour, which stand before those of any push. Throws BlockError on bytes that are none. */
export function toPiece({ hour, ...stored }: Stored & { hour: number }): StoredPiece {
  const { offsetMs, block } = unpack(joinTail(stored), true)
  return {
    t0Ms: hour * HOUR_MS + offsetMs,
    tLastMs: (hour + 1) * HOUR_MS - 1,
    receivedAtMs: Number.NEGATIVE_INFINITY,
    digest: new Uint8Array(8),
    block,
  }
}
