import { DAY_MS, HOUR_MS, STATS_PERIODS } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { FIRST_HOURS } from '../results/first-hours.ts'
import { NO_CHECKS } from './counts.ts'
import { readBasis } from './progress-store.ts'
import { countReclassified, takeOut } from '../reclassified/counts.ts'
import { sumCounts } from './store.ts'
import * as store from './week-store.ts'
import { planWindow } from './window-plan.ts'

/** Checks are added to these in some 50 ms, for which the storing of their next checks waits. */
const CHUNK = 500

/** The hour in which the seven days up to this instant begin. */
export const weekHour = (nowMs: number): number => Math.floor((nowMs - STATS_PERIODS['7d'] + 1) / HOUR_MS)

/** Counts the sums of all weeks that begin before the hour in which seven days begin now. Several instances may run it at once. */
export async function recountWeeks(db: Db, clock: Clock): Promise<void> {
  for (;;) {
    const count = await inTransaction(db, async (transaction) => {
      const found = await store.lockWeeks(transaction, weekHour(clock.now()), CHUNK)
      for (const [organization, own] of Map.groupBy(found, (week) => week.organization)) {
        const monitors = own.map(({ monitor }) => monitor)
        await recountWeek(transaction, organization, monitors, clock.now())
      }
      return found.length
    })
    if (count < CHUNK) return
  }
}

/** Run it in a transaction that has locked these, or inserted them: every check is in its snapshot or adds itself afterwards. */
export async function recountWeek(db: Db, organization: number, monitors: readonly number[], nowMs: number): Promise<void> {
  const from = weekHour(nowMs)
  const { progress, reclassified } = await readBasis(db, organization, monitors)
  const sum = async (fromMs: number, toMs: number) => {
    const counts = await sumCounts(db, { organization, monitors }, planWindow({ fromMs, toMs }, progress, true))
    takeOut(counts, await countReclassified(db, organization, reclassified, { fromMs, toMs }, nowMs))
    return counts
  }
  // Clocks of workers differ: checks of the near future count as well.
  const all = await sum(from * HOUR_MS, nowMs + DAY_MS)
  const first = await sum(from * HOUR_MS, (from + FIRST_HOURS) * HOUR_MS)
  const weeks = monitors.map((monitor) => ({
    monitor,
    all: all.get(monitor) ?? NO_CHECKS,
    first: first.get(monitor) ?? NO_CHECKS,
  }))
  await store.updateWeeks(db, organization, from, weeks)
}
