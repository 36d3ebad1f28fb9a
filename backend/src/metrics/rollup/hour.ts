import { Buckets, type FieldTotals, mergeSamples, SpareBuckets, type StoredPiece, totalOfBuckets } from '../aggregate.ts'
import { ALL_STORED, joinBlocks, type SampleColumns, type TimedBlock, valueAt } from '../block/index.ts'
import { encodeHalves } from './halves.ts'
import { encodeHeader, type Totals } from './header.ts'
import { pack, unpack } from './pack.ts'
import { encodeParts, HALF_HOUR_MS } from './parts.ts'
import { addHalves, joinTail, moveTail, type Stored } from './tail.ts'

export const HOUR_MS = 3_600_000
/** A day is stored as means over so long. */
export const BUCKET_MS = 300_000
/** A sample may lie so far ahead of its receipt. */
export const MAX_AHEAD_MS = 300_000

/** An hour of one server as it is stored. */
export interface StoredHour {
  /** Hours since the epoch. */
  hour: number
  samples: number
  header: Uint8Array
  data: Uint8Array
  /** What it adds up to over 5 minutes (`parts.ts`), which is not stored; undefined where a sum passes 2^53 − 1. */
  means: Uint8Array | undefined
}

/** The samples of pieces that all lie in the hour, ordered by `t0Ms`, each instant once; undefined when there are none. */
export function toHour(hour: number, pieces: readonly StoredPiece[]): StoredHour | undefined {
  // What a newer version has stored must outlive this one: no field is left out.
  return pieces.length === 0 ? undefined : hourOf(hour, mergeSamples(pieces, ALL_STORED))
}

/** The same of blocks, at least one, by first instant; undefined when some overlap, so that only more than they tell what stands. */
export function joinHour(hour: number, blocks: readonly TimedBlock[]): StoredHour | undefined {
  const columns = joinBlocks(blocks)
  return columns && hourOf(hour, columns)
}

/** An hour is made in one go: all may use the same. */
const spare = new SpareBuckets()
const spareHalves = new SpareBuckets()

function hourOf(hour: number, columns: SampleColumns): StoredHour {
  const startMs = hour * HOUR_MS
  const means = new Buckets(startMs, BUCKET_MS, HOUR_MS / BUCKET_MS, spare)
  const data = pack(columns, startMs, means.adderOf(columns.atMs))
  const halves = means.widened(HALF_HOUR_MS / BUCKET_MS, spareHalves)
  const totals = totalsOf(columns, halves)
  const header = addHalves(encodeHeader(totals, startMs), encodeHalves(totals, halves))
  const stored = moveTail({ header, data })
  return { hour, samples: columns.atMs.length, ...stored, means: encodeParts(means, HOUR_MS / BUCKET_MS) }
}

/** What the hour adds up to is what its halves do. */
function totalsOf({ atMs, fieldIds, values }: SampleColumns, halves: Buckets): Totals {
  const totals = new Map<number, FieldTotals>()
  for (const [row, id] of fieldIds.entries()) {
    const { count, sum, max } = totalOfBuckets(halves.of(id))
    let newest = atMs.length - 1
    while (newest >= 0 && Number.isNaN(values[row * atMs.length + newest])) newest -= 1
    if (newest < 0) continue
    totals.set(id, { count, sum, max, last: valueAt(values, row * atMs.length + newest), lastAtMs: valueAt(atMs, newest) })
  }
  return totals
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
