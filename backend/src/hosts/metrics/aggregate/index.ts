/**
 * Means, maxima and newest values of stored samples, in exact integers: no answer depends on how samples were cut into rows,
 * nor on whether they were added up before.
 *
 * Rows are taken one by one (`PieceMerger`), so that a week of them is never decoded at once; `summarize` and `series` are the
 * short form for rows that are at hand.
 */
import type { MetricGroup } from '@vedette/shared'
import { PieceMerger, type StoredPiece, type Window } from './piece-merger.ts'
import { Series, type SeriesPoints } from './series.ts'
import { fieldIdsOf } from './stored-fields.ts'
import { type FieldTotals, Summary } from './summary.ts'

export { addBuckets, Buckets, createBuckets, type FieldBuckets, meanAt, sumAt, totalOfBuckets } from './buckets.ts'
export { mergeSamples } from './merge-samples.ts'
export {
  columnsOf,
  type CompactedPiece,
  PieceMerger,
  type PushedPiece,
  type SampleSink,
  type StoredPiece,
  type Window,
} from './piece-merger.ts'
export { alignWindow, chooseStep, Series, type SeriesPoints } from './series.ts'
export { fieldIdsOf, placeOf, STORED_GROUPS, type StoredGroup } from './stored-fields.ts'
export { type FieldTotals, Summary } from './summary.ts'

/** Totals by field id of rows ordered by `t0Ms`. */
export function summarize(
  pieces: Iterable<StoredPiece>,
  window: Window,
  groups: readonly MetricGroup[],
): Map<number, FieldTotals> {
  const summary = new Summary(window)
  const merger = new PieceMerger(window, [summary], fieldIdsOf(groups))
  for (const piece of pieces) merger.add(piece)
  merger.finish()
  return summary.totals()
}

/** Points per step of rows ordered by `t0Ms`. */
export function series(
  pieces: Iterable<StoredPiece>,
  window: Window,
  stepMs: number,
  fieldIds: ReadonlySet<number>,
): SeriesPoints {
  const steps = new Series(window, stepMs)
  const merger = new PieceMerger(window, [steps], fieldIds)
  for (const piece of pieces) merger.add(piece)
  merger.finish()
  return steps.points()
}
