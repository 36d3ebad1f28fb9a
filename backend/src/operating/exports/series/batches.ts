import type { PushPlace } from '../../../hosts/metrics/index.ts'
import type { ExportedSeries } from './samples.ts'

/** Values of one request. */
export const MAX_BATCH_VALUES = 2_000

/** The last push of which all was sent, and how many values of the next one were. */
export interface Cursor extends PushPlace {
  values: number
}

export interface Batch {
  series: ExportedSeries[]
  values: number
  /** Where to go on once it is accepted. */
  next: Cursor
}

/** Cuts the series of pushes, in the order of receipt, into batches. `cursor` says what was sent of the first of them. */
export function* cutBatches(
  pushes: Iterable<{ place: PushPlace; series: readonly ExportedSeries[] }>,
  cursor: Cursor,
): Generator<Batch> {
  let [pieces, values, sent, done]: [ExportedSeries[], number, number, PushPlace] = [[], 0, cursor.values, cursor]
  for (const { place, series } of pushes) {
    let [left, taken] = [sent, 0]
    for (const one of series) {
      const length = one.atMs.length
      let from = Math.min(left, length)
      left -= from
      taken += from
      while (from < length) {
        const to = Math.min(length, from + MAX_BATCH_VALUES - values)
        pieces.push({ ...one, atMs: one.atMs.slice(from, to), values: one.values.slice(from, to) })
        values += to - from
        taken += to - from
        from = to
        if (values < MAX_BATCH_VALUES) continue
        yield { series: joined(pieces), values, next: { ...done, values: taken } }
        ;[pieces, values] = [[], 0]
      }
    }
    ;[sent, done] = [0, place]
  }
  yield { series: joined(pieces), values, next: { ...done, values: 0 } }
}

/** Each series once, in order of time, each instant once: a host that returns may have sent the later of two pushes first. */
function joined(pieces: readonly ExportedSeries[]): ExportedSeries[] {
  const byKey = Map.groupBy(pieces, ({ host, name, labels }) => JSON.stringify([host.number, name, labels]))
  return [...byKey.values()].map((own) => {
    const [first] = own as [ExportedSeries]
    if (own.length === 1) return first
    const samples = new Map<number, number>()
    for (const { atMs, values } of own)
      for (const [index, at] of atMs.entries()) if (!samples.has(at)) samples.set(at, values[index] as number)
    const ordered = [...samples].sort(([one], [other]) => one - other)
    return { ...first, atMs: ordered.map(([at]) => at), values: ordered.map(([, value]) => value) }
  })
}
