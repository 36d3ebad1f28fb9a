import { KNOWN_FIELD_IDS, type SampleColumns, valueAt, type Wanted } from '../block/index.ts'
import { PieceMerger, type SampleSink, type StoredPiece } from './merge.ts'

interface Chunk {
  columns: SampleColumns
  stands: Uint8Array | undefined
}

/** Keeps every sample that stands. */
class Gathered implements SampleSink {
  readonly chunks: Chunk[] = []

  add(columns: SampleColumns, stands: Uint8Array | undefined): void {
    this.chunks.push({ columns, stands })
  }
}

/**
 * All samples of rows ordered by `t0Ms` as columns, each instant once: what a compacted hour is made of.
 * Fields outside of `wanted` are lost.
 */
export function mergeSamples(pieces: Iterable<StoredPiece>, wanted: Wanted = KNOWN_FIELD_IDS): SampleColumns {
  const gathered = new Gathered()
  const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const merger = new PieceMerger(always, [gathered], wanted)
  for (const piece of pieces) merger.add(piece)
  merger.finish()
  return toColumns(gathered.chunks)
}

/** Field by field and chunk by chunk: this is half of what the job that puts hours together costs. */
function toColumns(chunks: readonly Chunk[]): SampleColumns {
  const fieldIds = [...new Set(chunks.flatMap(({ columns }) => columns.fieldIds))].sort((left, right) => left - right)
  const rowOf = new Map(fieldIds.map((id, row) => [id, row]))
  const { atMs, placesOf } = placed(chunks)
  const count = atMs.length
  const values = new Float64Array(count * fieldIds.length).fill(Number.NaN)
  for (const [number, { columns }] of chunks.entries()) {
    const places = placesOf[number] as Int32Array
    for (const [source, id] of columns.fieldIds.entries()) {
      const to = (rowOf.get(id) ?? 0) * count
      const from = source * places.length
      for (let index = 0; index < places.length; index++) {
        const place = places[index] as number
        if (place >= 0) values[to + place] = valueAt(columns.values, from + index)
      }
    }
  }
  return { atMs, fieldIds, values }
}

const NOWHERE = -1

/** The instants in order, and for each chunk which of its samples comes where. */
function placed(chunks: readonly Chunk[]): { atMs: Float64Array; placesOf: Int32Array[] } {
  const standing: { at: number; chunk: number; index: number }[] = []
  for (const [chunk, { columns, stands }] of chunks.entries()) {
    for (let index = 0; index < columns.atMs.length; index++)
      if (stands === undefined || stands[index] === 1) standing.push({ at: valueAt(columns.atMs, index), chunk, index })
  }
  standing.sort((left, right) => left.at - right.at)
  const placesOf = chunks.map(({ columns }) => new Int32Array(columns.atMs.length).fill(NOWHERE))
  for (const [place, { chunk, index }] of standing.entries()) (placesOf[chunk] as Int32Array)[index] = place
  return { atMs: Float64Array.from(standing, ({ at }) => at), placesOf }
}
