import { DAY_MS } from '@vedette/shared'
import { readMaintenance } from '../../../alerting/alerts/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { intersect } from '../../../platform/time/spans.ts'
import { lockDays, readProgress } from './progress-store.ts'
import {
  countInIntervals,
  type IntervalDay,
  lockReclassified,
  readWholeDays,
  replaceIntervalDays,
} from '../reclassified/counts-store.ts'
import type { Reclassified } from '../reclassified/exclusions.ts'
import { singleChecksFromMs } from '../results/partitions.ts'
import { recountWeek } from './week.ts'
import { lockWeek } from './week-store.ts'
import type { Span } from './window-plan.ts'

/** Keeps the counts of reclassified intervals of these monitors on UTC days in [from, to), of which all single checks are stored. */
export async function settleReclassified(db: Db, organization: number, monitors: readonly number[], days: Span): Promise<void> {
  const range = { fromMs: days.from * DAY_MS, toMs: days.to * DAY_MS }
  const found = await lockReclassified(db, organization, monitors, range)
  if (found.length === 0) return
  const cut = found.map((one) => ({
    ...one,
    fromMs: Math.max(one.fromMs, range.fromMs),
    toMs: Math.min(one.toMs, range.toMs),
  }))
  const steps = { fromMs: 0, stepMs: DAY_MS }
  const windows = await readMaintenance(db, organization, [...new Set(cut.map(({ monitor }) => monitor))], range)
  const inWindows = cut.flatMap((one) =>
    intersect(windows.get(one.monitor) ?? [], [one]).map(({ fromMs, toMs }) => ({ ...one, fromMs, toMs })),
  )
  const key = ({ id, region, step }: { id: string; region: number; step: number }) => `${id} ${region} ${step}`
  const quiet = inWindows.length === 0 ? [] : await countInIntervals(db, organization, inWindows, 0, steps)
  const quietOf = new Map(quiet.map((one) => [key(one), one]))
  const rows = (await countInIntervals(db, organization, cut, 0, steps)).map(
    ({ id, region, step, checks, failed, degraded }): IntervalDay => {
      const own = quietOf.get(key({ id, region, step }))
      const maintenance = { maintenanceChecks: own?.checks ?? 0, maintenanceFailed: own?.failed ?? 0 }
      return { id, region, day: step, checks, failed, degraded, ...maintenance }
    },
  )
  const ids = found.map(({ id }) => id)
  await replaceIntervalDays(db, organization, ids, days, rows)
}

/**
 * Counts the days of a new interval that are compacted, and the last seven days of its monitor. Run it in the transaction that inserts
 * it, as the last step: what is compacted meanwhile waits.
 */
export async function settleNewReclassified(db: Db, organization: number, one: Reclassified, nowMs: number): Promise<void> {
  const [first, last] = [Math.floor(one.fromMs / DAY_MS), Math.floor((one.toMs - 1) / DAY_MS)]
  await lockDays(db, first, last)
  const { day } = await readProgress(db)
  const firstSingle = Math.max(first, singleChecksFromMs(nowMs) / DAY_MS)
  const end = Math.min(last, day) + 1
  if (first < Math.min(firstSingle, end)) {
    const early = { from: first, to: Math.min(firstSingle, end) }
    await replaceIntervalDays(db, organization, [one.id], early, await readWholeDays(db, organization, one, early))
  }
  if (firstSingle < end) await settleReclassified(db, organization, [one.monitor], { from: firstSingle, to: end })
  await recountOwnWeek(db, organization, one.monitor, nowMs)
}

/** Run it as the last step of the transaction that changes what counts. */
export async function recountOwnWeek(db: Db, organization: number, monitor: number, nowMs: number): Promise<void> {
  await lockWeek(db, organization, monitor)
  await recountWeek(db, organization, [monitor], nowMs)
}
