import { DAY_MS, HOUR_MS } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { readProgress } from './progress-store.ts'
import { readStatsRows, sumCounts, sumUnits, type UnitSums } from './store.ts'
import { Tally, tallyRows } from './tally.ts'
import { planWindow, type Window } from './window-plan.ts'

/** Older checks are kept by UTC days alone. */
export type CheckUnit = 'hour' | 'day'
export const CHECK_UNIT_MS: Readonly<Record<CheckUnit, number>> = { hour: HOUR_MS, day: DAY_MS }

/** How many conclusive checks each monitor has in a window; those without any are absent. */
export async function countChecks(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
): Promise<Map<number, number>> {
  const counts = await sumCounts(db, { organization, monitors }, planWindow(window, await readProgress(db), true))
  return new Map([...counts].map(([monitor, { checks }]) => [monitor, checks]))
}

/** The conclusive checks of each monitor, region and unit of a window of whole units; those without any are absent. */
export async function readUnitSums(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  unit: CheckUnit,
): Promise<UnitSums[]> {
  if (monitors.length === 0 || window.fromMs >= window.toMs) return []
  const plan = planWindow(window, await readProgress(db), unit === 'day')
  return sumUnits(db, { organization, monitors }, plan, CHECK_UNIT_MS[unit])
}

export interface UnitTimes {
  monitor: number
  region: number
  /** Hours or days since the epoch. */
  unit: number
  /** µs, in the order of the percents that were asked for. */
  percentilesUs: number[]
}

/** Percentiles of response times by the same units: exact of hours, within 1 % of days. Those without a response are absent. */
export async function readUnitPercentiles(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  unit: CheckUnit,
  percents: readonly number[],
): Promise<UnitTimes[]> {
  if (monitors.length === 0 || window.fromMs >= window.toMs) return []
  const plan = planWindow(window, await readProgress(db), unit === 'day')
  const rows = await readStatsRows(db, { organization, monitors }, plan)
  return [...Map.groupBy(rows, ({ monitor }) => monitor)].flatMap(([monitor, own]) => {
    const tallies = new Map<string, { region: number; unit: number; tally: Tally }>()
    tallyRows(own, (region, atMs) => {
      const index = Math.floor(atMs / CHECK_UNIT_MS[unit])
      const key = `${region} ${index}`
      const found = tallies.get(key) ?? { region, unit: index, tally: new Tally(unit === 'hour') }
      tallies.set(key, found)
      return [found.tally]
    })
    return [...tallies.values()]
      .toSorted((one, other) => one.unit - other.unit)
      .filter(({ tally }) => tally.answered > 0)
      .map(({ tally, ...of }) => ({ monitor, ...of, percentilesUs: percents.map((percent) => tally.times.percentile(percent)) }))
  })
}
