import { KNOWN_FIELD_IDS, type SampleColumns, valueAt, type Wanted } from '../block/index.ts'
import { PieceMerger, type SampleSink, type StoredPiece } from './merge.ts'

interface Standing {
  at: number
  columns: SampleColumns
  index: number
}

/** Keeps every sample that stands. */
class Gathered implements SampleSink {
  readonly samples: Standing[] = []

  add(columns: SampleColumns, stands: Uint8Array | undefined): void {
    for (const [index, at] of columns.atMs.entries()) {
      if (stands === undefined || stands[index] === 1) this.samples.push({ at, columns, index })
    }
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
  return toColumns(gathered.samples.sort((left, right) => left.at - right.at))
}

function toColumns(samples: readonly Standing[]): SampleColumns {
  const fieldIds = [...new Set(samples.flatMap(({ columns }) => columns.fieldIds))].sort((left, right) => left - right)
  const rowOf = new Map(fieldIds.map((id, row) => [id, row]))
  const values = new Float64Array(samples.length * fieldIds.length).fill(Number.NaN)
  for (const [place, { columns, index }] of samples.entries()) {
    for (const [source, id] of columns.fieldIds.entries()) {
      const row = rowOf.get(id) ?? 0
      values[row * samples.length + place] = valueAt(columns.values, source * columns.atMs.length + index)
    }
  }
  return { atMs: Float64Array.from(samples, ({ at }) => at), fieldIds, values }
}
