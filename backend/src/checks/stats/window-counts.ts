import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { type MaintenanceSpan, mergeSpans, readMaintenance } from '../../alerts/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { RAW_CHECKS_MS } from '../results/partitions.ts'
import { readProgress } from './progress-store.ts'
import { countInconclusive, countInMaintenance, exactDayMs, listCovered, sumWindow } from './window-counts-store.ts'
import { planWindow, type Window } from './window-plan.ts'

/** The checks of a monitor over a window. */
export interface WindowCounts {
  /** Conclusive checks, with those in maintenance: what uptime is computed from. */
  checks: number
  /** Of them. */
  failed: number
  degraded: number
  /** Not among them. */
  inconclusive: number
  /** Of `checks` and `failed`, those in maintenance. */
  maintenanceChecks: number
  maintenanceFailed: number
}

export const NO_WINDOW_COUNTS: WindowCounts = {
  checks: 0,
  failed: 0,
  degraded: 0,
  inconclusive: 0,
  maintenanceChecks: 0,
  maintenanceFailed: 0,
}

/**
 * Counts of each monitor; those without checks are absent. Maintenance is what the windows say now; before the single checks (35
 * days), where the window must begin at a UTC day, it is what they said when the day was compacted.
 */
export async function countWindow(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  nowMs: number,
): Promise<Map<number, WindowCounts>> {
  const query = { organization, monitors }
  const exactMs = exactDayMs(nowMs - RAW_CHECKS_MS)
  const counts = new Map<number, WindowCounts>()
  const of = (monitor: number) => {
    const row = counts.get(monitor) ?? { ...NO_WINDOW_COUNTS }
    counts.set(monitor, row)
    return row
  }
  for (const { monitor, ...sums } of await sumWindow(db, query, planWindow(window, await readProgress(db), true), exactMs))
    counts.set(monitor, sums)
  const exact = cutToExact(window, exactMs)
  if (exact) {
    for (const { monitor, count } of await countInconclusive(db, query, exact)) of(monitor).inconclusive += count
    const spans = await readMaintenance(db, organization, monitors, exact)
    for (const { monitor, checks, failed } of await countInMaintenance(db, organization, spans)) {
      of(monitor).maintenanceChecks += checks
      of(monitor).maintenanceFailed += failed
    }
  }
  return counts
}

/** When monitors had a conclusive check, by hours, before the single checks by UTC days; in order. Those without checks are absent. */
export async function readCoverage(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  nowMs: number,
): Promise<Map<number, MaintenanceSpan[]>> {
  const exactMs = exactDayMs(nowMs - RAW_CHECKS_MS)
  const spansOf = (units: readonly number[], unitMs: number) =>
    units.map((unit) => ({ fromMs: unit * unitMs, toMs: (unit + 1) * unitMs }))
  const covered = await listCovered(db, { organization, monitors }, window, exactMs)
  return new Map(
    covered.map(({ monitor, days, hours }) => [monitor, mergeSpans([...spansOf(days, DAY_MS), ...spansOf(hours, HOUR_MS)])]),
  )
}

/** The part of a window of which all single checks are stored. */
export function cutToExact({ fromMs, toMs }: Window, exactMs: number): MaintenanceSpan | undefined {
  const cut = { fromMs: Math.max(fromMs, exactMs), toMs }
  return cut.fromMs < toMs ? cut : undefined
}
