import type { EXPORTED_SAMPLES } from '@vedette/shared'
import type { PushPlace } from '../../../hosts/metrics/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { ExportedPush } from '../series/batches.ts'
import type { ExportKind } from '../series/exported-series.ts'

export type SampleKind = (typeof EXPORTED_SAMPLES)[number]

/** Whose samples, and how they are named. */
export interface ExportScope {
  organization: number
  kind: ExportKind
}

/** Pushes of one kind of samples, in the order of receipt. */
export interface ExportSource {
  /**
   * The first ones after a place, received no later than an instant. `isAll`: there are no more of them. Names are looked up here, and
   * series are made of a push when it is its turn.
   */
  read(
    db: Db,
    scope: ExportScope,
    after: PushPlace,
    untilMs: number,
  ): Promise<{ pushes: readonly ExportedPush[]; isAll: boolean }>
  /** How long what is not sent is kept push by push, ms; undefined: whole days of receipt. */
  keptMs: number | undefined
  /** How many samples about were received in [fromMs, toMs), of which no pushes are left. Undefined: nobody knows. */
  estimate(db: Db, organization: number, window: { fromMs: number; toMs: number }): Promise<number | undefined>
}
