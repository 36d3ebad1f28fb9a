import { DAY_MS } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import type { Span } from '../../../platform/time/spans.ts'
import { hasRawChecks, singleChecksFromMs } from '../results/partitions.ts'
import { countInIntervals, type IntervalCounts, type Steps, sumIntervalDays } from './counts-store.ts'
import { isLeftOut, type Reclassified } from './exclusions.ts'

/** The conclusive checks of an interval, by region and step. */
export type ReclassifiedCounts = IntervalCounts & Pick<Reclassified, 'monitor' | 'as'>

/**
 * The checks of reclassified intervals in a window, exact: single checks where all of the window are stored, else before them whole UTC
 * days, as for all counts. Reads nothing where no interval is in the window. `fast` is known of single checks alone.
 */
export async function countReclassified(
  db: Db,
  organization: number,
  reclassified: readonly Reclassified[],
  window: Span,
  nowMs: number,
  { thresholdUs = 0, steps = { fromMs: 0, stepMs: DAY_MS } }: { thresholdUs?: number | undefined; steps?: Steps } = {},
): Promise<ReclassifiedCounts[]> {
  const singleMs = hasRawChecks(window.fromMs, nowMs) ? window.fromMs : Math.min(singleChecksFromMs(nowMs), window.toMs)
  const inWindow = (from: number, to: number) =>
    reclassified.flatMap((one) => {
      const span = { fromMs: Math.max(one.fromMs, from), toMs: Math.min(one.toMs, to) }
      return span.fromMs < span.toMs ? [{ ...one, ...span }] : []
    })
  const single = inWindow(singleMs, window.toMs).filter(isLeftOut)
  const early = inWindow(window.fromMs, singleMs)
  const days = { from: Math.ceil(window.fromMs / DAY_MS), to: Math.floor(singleMs / DAY_MS) }
  const counts = [
    ...(single.length > 0 ? await countInIntervals(db, organization, single, thresholdUs, steps) : []),
    ...(early.length > 0 ? await sumIntervalDays(db, organization, early, days, steps) : []),
  ]
  const byId = new Map(reclassified.map((one) => [one.id, one]))
  return counts.flatMap((count) => {
    const of = byId.get(count.id)
    return of ? [{ ...count, monitor: of.monitor, as: of.as }] : []
  })
}

/** Takes the checks that are out of uptime out of the counts of each monitor. */
export function takeOut(
  counts: ReadonlyMap<number, { checks: number; failed: number }>,
  reclassified: readonly ReclassifiedCounts[],
): void {
  for (const one of reclassified.filter(isLeftOut)) {
    const own = counts.get(one.monitor)
    if (!own) continue
    own.checks -= one.checks
    own.failed -= one.failed
  }
}
