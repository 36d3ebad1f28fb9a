import { DAY_MS } from '@vedette/shared'
import { type Db, keepPartitions, type PartitionPlan, type PartitionState, readPartitions } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'

/** Retention of single checks. */
export const RAW_CHECKS_MS = 35 * DAY_MS
/** A probe that was disconnected may submit results up to this age; older ones are refused. */
export const LATE_RESULTS_DAYS = 7

/** By the day of the check, not of its receipt: late results go to the partition of their day. */
const PLANS: readonly PartitionPlan[] = [
  { table: 'check_result', period: 'day', behind: LATE_RESULTS_DAYS, ahead: 7, retentionMs: RAW_CHECKS_MS },
  { table: 'check_hour', period: 'month', behind: 1, ahead: 1, retentionMs: RAW_CHECKS_MS },
  { table: 'check_day', period: 'month', behind: 1, ahead: 1, retentionMs: 400 * DAY_MS },
]

/** Creates the partitions of the next days and drops those past the retention. */
export async function keepCheckPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const plan of PLANS)
    for (const period of await keepPartitions(db, plan, nowMs))
      log.info({ table: plan.table, period }, 'dropped a partition of checks past the retention')
}

/** The existing partitions of the tables of checks. */
export const readCheckPartitions = (db: Db, nowMs: number): Promise<PartitionState[]> =>
  Promise.all(PLANS.map((plan) => readPartitions(db, plan, nowMs)))
