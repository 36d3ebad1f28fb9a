import { type Db, keepPartitions, type PartitionPlan, type PartitionState, readPartitions } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'

const DAY_MS = 86_400_000
/** Checks are kept one by one for so long. */
export const RAW_CHECKS_MS = 35 * DAY_MS
/** A probe that could not reach its backend may bring results that are so old; older ones are refused. */
export const LATE_RESULTS_DAYS = 7

/** By the day of the check, not of its receipt: what is late goes where it belongs. */
const PLANS: readonly PartitionPlan[] = [
  { table: 'check_result', period: 'day', behind: LATE_RESULTS_DAYS, ahead: 7, retentionMs: RAW_CHECKS_MS },
  { table: 'check_hour', period: 'month', behind: 1, ahead: 1, retentionMs: RAW_CHECKS_MS },
  { table: 'check_day', period: 'month', behind: 1, ahead: 1, retentionMs: 400 * DAY_MS },
]

/** Makes the partitions that the next days need and drops those past the retention. */
export async function keepCheckPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const plan of PLANS)
    for (const period of await keepPartitions(db, plan, nowMs))
      log.info({ table: plan.table, period }, 'dropped checks that are past the retention')
}

/** What stands of the tables of checks. */
export const readCheckPartitions = (db: Db, nowMs: number): Promise<PartitionState[]> =>
  Promise.all(PLANS.map((plan) => readPartitions(db, plan, nowMs)))
