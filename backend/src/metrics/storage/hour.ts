import { Buckets, mergeSamples, type StoredPiece } from '../aggregate/index.ts'
import { ALL_STORED, joinBlocks, type SampleColumns, type TimedBlock, valueAt } from '@vedette/shared/metrics/block'
import { compress, decompress } from './compressed.ts'
import { encodeRollup, type FieldRollup } from './rollup.ts'
import { HALF_HOUR_MS, HOUR_MS } from './schedule.ts'

/** An hour of one server as it is stored. */
export interface StoredHour {
  /** Hours since the epoch. */
  hour: number
  samples: number
  /** Its two half hours (`rollup.ts`). */
  header: Uint8Array
  data: Uint8Array
}

/** The samples of pieces that all lie in the hour, ordered by `t0Ms`, each instant once; undefined when there are none. */
export function toHour(hour: number, pieces: readonly StoredPiece[]): StoredHour | undefined {
  // Fields of a newer version must survive this one: no field is left out.
  return pieces.length === 0 ? undefined : hourOf(hour, mergeSamples(pieces, ALL_STORED))
}

/** The same of blocks, at least one, by first instant; undefined when some overlap, since their receipt decides then. */
export function joinHour(hour: number, blocks: readonly TimedBlock[]): StoredHour | undefined {
  const columns = joinBlocks(blocks)
  return columns && hourOf(hour, columns)
}

function hourOf(hour: number, columns: SampleColumns): StoredHour {
  const startMs = hour * HOUR_MS
  const halves = new Buckets(startMs, HALF_HOUR_MS, 2)
  halves.addColumns(columns)
  const header = encodeRollup(rollupOf(columns, halves), 2, startMs)
  return { hour, samples: columns.atMs.length, header, data: compress(columns, startMs) }
}

function rollupOf({ atMs, fieldIds, values }: SampleColumns, halves: Buckets): Map<number, FieldRollup> {
  const fields = new Map<number, FieldRollup>()
  for (const [row, id] of fieldIds.entries()) {
    let newest = atMs.length - 1
    while (newest >= 0 && Number.isNaN(values[row * atMs.length + newest])) newest -= 1
    if (newest < 0) continue
    fields.set(id, { parts: halves.of(id), last: valueAt(values, row * atMs.length + newest), lastAtMs: valueAt(atMs, newest) })
  }
  return fields
}

/** The samples of a stored hour, which stand before those of any push. Throws BlockError on other bytes. */
export function toPiece({ hour, data }: { hour: number; data: Uint8Array }): StoredPiece {
  const { offsetMs, block } = decompress(data)
  return {
    t0Ms: hour * HOUR_MS + offsetMs,
    tLastMs: (hour + 1) * HOUR_MS - 1,
    receivedAtMs: Number.NEGATIVE_INFINITY,
    digest: new Uint8Array(8),
    block,
  }
}
