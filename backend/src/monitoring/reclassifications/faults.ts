import { DAY_MS, type ErrorDetail, RECLASSIFY_DAYS, toTimestamp } from '@vedette/shared'
import type { Span } from '../../platform/time/spans.ts'

/** A day before single checks are deleted: what begins later is counted before they are. */
const SINGLE_DAYS = 34

/** The oldest instant from which any instant can be a bound, ms: the begin of a UTC day. */
export const exactSinceMs = (nowMs: number): number => Math.ceil((nowMs - SINGLE_DAYS * DAY_MS) / DAY_MS) * DAY_MS

/** Why an interval cannot be reclassified; empty where it can. Pure. */
export function intervalFaults({ fromMs, toMs }: Span, nowMs: number): ErrorDetail[] {
  if (toMs <= fromMs) return [{ path: 'to', message: 'must be after from' }]
  const faults: ErrorDetail[] = []
  if (nowMs - fromMs > RECLASSIFY_DAYS * DAY_MS)
    faults.push({ path: 'from', message: `must be at most ${RECLASSIFY_DAYS} days ago` })
  if (toMs > nowMs) faults.push({ path: 'to', message: 'must not be in the future' })
  const exactMs = exactSinceMs(nowMs)
  const isWhole = (ms: number) => ms >= exactMs || ms % DAY_MS === 0
  for (const [path, ms] of [
    ['from', fromMs],
    ['to', toMs],
  ] as const)
    if (!isWhole(ms))
      faults.push({
        path,
        message: `must be the start of a UTC day, or ${toTimestamp(exactMs)} or later: of days before it only whole ones are stored`,
      })
  return faults
}
