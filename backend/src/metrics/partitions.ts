import { type Db, keepPartitions as keep, type PartitionPlan } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'

const DAY_MS = 86_400_000
/** Raw samples are kept at least so long. */
export const RAW_RETENTION_MS = 8 * DAY_MS

/** By the day of receipt: one outlives its last sample, which may lie some minutes ahead of its receipt. */
const PUSHES: PartitionPlan = {
  table: 'metric_push',
  period: 'day',
  behind: 1,
  ahead: 3,
  retentionMs: RAW_RETENTION_MS + DAY_MS,
}

/**
 * Makes the partitions of the next days and drops those whose every sample is past the retention. Run at the start and every
 * hour; a day without a partition refuses its pushes.
 */
export async function keepPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const day of await keep(db, PUSHES, nowMs))
    log.info({ day }, 'dropped the samples received on a day that is past the retention')
}
