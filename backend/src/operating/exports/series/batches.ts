import type { PushPlace } from '../../../hosts/metrics/index.ts'
import { joinSamples } from '../../../hosts/series/index.ts'
import type { ExportedSeries } from './exported-series.ts'

/** Values of one request. */
export const MAX_BATCH_VALUES = 2_000

/** The last push of which all was sent, and how many values of the next one were. */
export interface Cursor extends PushPlace {
  values: number
}

export interface ExportedPush {
  place: PushPlace
  /** The organizations whose exports it came through. */
  path: string
  series: Iterable<ExportedSeries>
}

export interface Batch {
  series: ExportedSeries[]
  values: number
  /** The organizations whose exports all of it came through. */
  path: string
  /** Where to go on once it is accepted. */
  next: Cursor
}

/**
 * Cuts the series of pushes, in the order of receipt, into batches. `cursor` says what was sent of the first of them. What came through
 * other exports is in batches of its own: a request has one path.
 */
export function* cutBatches(pushes: Iterable<ExportedPush>, cursor: Cursor): Generator<Batch> {
  let [pieces, values, sent, done, path]: [ExportedSeries[], number, number, PushPlace, string] = [
    [],
    0,
    cursor.values,
    cursor,
    '',
  ]
  const take = (next: Cursor): Batch => {
    const batch = { series: joined(pieces), values, path, next }
    ;[pieces, values] = [[], 0]
    return batch
  }
  for (const push of pushes) {
    if (push.path !== path && values > 0) yield take({ ...done, values: 0 })
    path = push.path
    let [left, taken] = [sent, 0]
    for (const one of push.series) {
      const length = one.atMs.length
      let from = Math.min(left, length)
      left -= from
      taken += from
      while (from < length) {
        const to = Math.min(length, from + MAX_BATCH_VALUES - values)
        pieces.push({ ...one, atMs: one.atMs.subarray(from, to), values: one.values.subarray(from, to) })
        values += to - from
        taken += to - from
        from = to
        if (values === MAX_BATCH_VALUES) yield take({ ...done, values: taken })
      }
    }
    ;[sent, done] = [0, push.place]
  }
  yield take({ ...done, values: 0 })
}

/** Each series once, in order of time, each instant once: a sender that returns may have sent the later of two pushes first. */
function joined(pieces: readonly ExportedSeries[]): ExportedSeries[] {
  const byKey = Map.groupBy(pieces, ({ resource, name, labels }) => JSON.stringify([resource.id, name, labels]))
  return [...byKey.values()].map((own) => {
    const [first] = own as [ExportedSeries]
    return own.length === 1 ? first : { ...first, ...joinSamples(own) }
  })
}
