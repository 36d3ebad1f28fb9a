import { Buckets, mergeSamples, type CompactedPiece, type StoredPiece } from '../aggregate/index.ts'
import {
  ALL_STORED,
  BlockError,
  joinBlocks,
  type SampleColumns,
  type TimedBlock,
  valueAt,
  type Wanted,
} from '@vedette/shared/metrics/block'
import { compress, decompress } from './compressed.ts'
import { INSTANTS, type Part, type UnpackedPart } from './packed/index.ts'
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

/** The samples of an hour as a part of packed columns. */
export function toPart(hour: number, { atMs, fieldIds, values }: SampleColumns): Part {
  const columns = new Map<number, Float64Array>([[INSTANTS, atMs.map((at) => at - hour * HOUR_MS)]])
  for (const [row, id] of fieldIds.entries()) columns.set(id, values.subarray(row * atMs.length, (row + 1) * atMs.length))
  return { count: atMs.length, columns }
}

/** Of an hour: the part with its instants alone, and those with its values. Throws BlockError unless they go together. */
export function toSamples(hour: number, instants: UnpackedPart, parts: readonly UnpackedPart[]): SampleColumns {
  const { count, values: atMs } = instants
  for (let index = 0; index < count; index++) {
    const at = valueAt(atMs, index)
    if (at < 0 || at >= HOUR_MS || (index > 0 && hour * HOUR_MS + at <= valueAt(atMs, index - 1)))
      throw new BlockError('instants do not ascend within their hour')
    atMs[index] = hour * HOUR_MS + at
  }
  if (instants.ids.length !== 1 || parts.some((part) => part.count !== count && part.count > 0))
    throw new BlockError('samples without instants')
  const rows = parts.flatMap(({ ids, values }) =>
    ids.map((id, row) => ({ id, values: values.subarray(row * count, (row + 1) * count) })),
  )
  rows.sort((left, right) => left.id - right.id)
  const all = new Float64Array(rows.length * count)
  for (const [row, { values }] of rows.entries()) all.set(values, row * count)
  return { atMs, fieldIds: rows.map(({ id }) => id), values: all }
}

/** The samples of a stored hour, which stand before those of any push. Throws BlockError on other bytes. */
export const toPiece = ({ hour, data }: { hour: number; data: Uint8Array }, wanted: Wanted): CompactedPiece =>
  pieceOf(hour, decompress(data, hour * HOUR_MS, wanted))

/** Compacted samples of one hour as a piece. */
export const pieceOf = (hour: number, columns: SampleColumns): CompactedPiece => ({
  t0Ms: columns.atMs[0] ?? hour * HOUR_MS,
  tLastMs: (hour + 1) * HOUR_MS - 1,
  receivedAtMs: Number.NEGATIVE_INFINITY,
  digest: new Uint8Array(8),
  columns,
})
