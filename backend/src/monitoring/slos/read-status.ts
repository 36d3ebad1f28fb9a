import {
  BURN_ALERT_NAMES,
  BURN_ALERTS,
  type BurnRate,
  DAY_MS,
  type Plan,
  SLO_DAYS,
  SLO_MONTHS,
  type SloStatus,
  type SloWindow,
  toTimestamp,
} from '@vedette/shared'
import { countGood, exactBounds, hasRawChecks, readSaid, widenToDays, type Window, windowOf } from '../checks/index.ts'
import { findPlan } from '../../access/plans/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { startOfPeriod } from '../../platform/time/zone.ts'
import { budgetLeftPercent, burnRate, type GoodCounts, hasTooFewChecks } from './budget.ts'
import { listSloMonitors, type SloRow } from './store.ts'

/** The last seconds, with a check of this millisecond. */
export const lastSeconds = (seconds: number, nowMs: number): Window => ({ fromMs: nowMs - seconds * 1000 + 1, toMs: nowMs + 1 })

/** The error budget of an SLO now. */
export async function readStatus(db: Db, organization: number, slo: SloRow, nowMs: number): Promise<SloStatus> {
  const monitors = await listSloMonitors(db, organization, slo)
  const window = countedWindow(slo, await findPlan(db, organization), nowMs)
  const counts = await countSlo(db, organization, slo, monitors, window, nowMs)
  const exact = await exactBounds(db, organization, monitors, window, slo.kind === 'latency', nowMs)
  const burnRates: BurnRate[] = []
  for (const name of BURN_ALERT_NAMES) {
    const last = await countSlo(db, organization, slo, monitors, lastSeconds(BURN_ALERTS[name].longSeconds, nowMs), nowMs)
    burnRates.push({
      window: name,
      burn_rate: burnRate(last, slo.objective),
      total: last.total,
      too_few_checks: hasTooFewChecks(last.total, name, slo.objective),
    })
  }
  return {
    from: toTimestamp(window.fromMs),
    to: toTimestamp(window.toMs),
    exact_from: toTimestamp(exact.fromMs),
    exact_until: toTimestamp(exact.toMs),
    unit: counts.isTime === true ? 'time' : 'checks',
    good: counts.good,
    bad: counts.total - counts.good,
    total: counts.total,
    good_percent: counts.total === 0 ? null : (100 * counts.good) / counts.total,
    budget_left_percent: budgetLeftPercent(counts, slo.objective),
    burn_rates: burnRates,
    ...(await readSaid(db, organization, exact.reclassified, window)),
  }
}

export const countSlo = (
  db: Db,
  organization: number,
  { threshold_ms: thresholdMs }: Pick<SloRow, 'threshold_ms'>,
  monitors: readonly number[],
  window: Window,
  nowMs: number,
): Promise<GoodCounts> =>
  countGood(db, organization, monitors, window, thresholdMs === null ? undefined : thresholdMs * 1000, nowMs)

/** As far as it can be read, in whole UTC days where it is longer than the single checks. Pure. */
export function countedWindow(
  { period, time_zone: timeZone }: Pick<SloRow, 'period' | 'time_zone'>,
  plan: Plan,
  nowMs: number,
): Window {
  const { fromMs, toMs } = windowOfSlo(period, timeZone, nowMs)
  const requested = windowOf({ from: toTimestamp(fromMs), to: toTimestamp(toMs) }, plan, nowMs)
  return hasRawChecks(requested.fromMs, nowMs) ? requested : widenToDays(requested, nowMs)
}

/** The window that ends now. Pure. */
export function windowOfSlo(window: SloWindow, timeZone: string, nowMs: number): Window {
  if (window === 'month' || window === 'quarter')
    return { fromMs: startOfPeriod(timeZone, nowMs, SLO_MONTHS[window]), toMs: nowMs + 1 }
  return lastSeconds((SLO_DAYS[window] * DAY_MS) / 1000, nowMs)
}
