/** What the tests of aggregation share. */
import { METRIC_GROUPS } from '@vedette/shared'
import { type PushedPiece, summarize } from './index.ts'
import { encodeBlock } from '@vedette/shared/metrics/block'

export const T0 = Date.parse('2026-11-20T18:00:00.000Z')
export const HOUR = 3_600_000
export const hour = { fromMs: T0, toMs: T0 + HOUR }

export interface Row {
  receivedAtMs: number
  digest: number
  /** Ascending instants with scaled values by field id. */
  samples: [number, Record<number, number>][]
}

export function toPiece({ receivedAtMs, digest, samples }: Row): PushedPiece {
  const fieldIds = [...new Set(samples.flatMap(([, values]) => Object.keys(values).map(Number)))].sort((a, b) => a - b)
  const values = Float64Array.from(fieldIds.flatMap((id) => samples.map(([, sample]) => sample[id] ?? Number.NaN)))
  const atMs = Float64Array.from(samples, ([at]) => at)
  const [t0Ms = 0, tLastMs = 0] = [atMs.at(0), atMs.at(-1)]
  return { t0Ms, tLastMs, receivedAtMs, digest: Uint8Array.of(0, digest), block: encodeBlock({ atMs, fieldIds, values }) }
}
export const toPieces = (rows: Row[]) => rows.map(toPiece).sort((left, right) => left.t0Ms - right.t0Ms)
export const row = (samples: Row['samples'], receivedAtMs = T0, digest = 0): Row => ({ receivedAtMs, digest, samples })
export const summaryOf = (rows: Row[], window = hour) => summarize(toPieces(rows), window, METRIC_GROUPS)
