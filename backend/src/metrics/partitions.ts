import { toTimestamp } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'
import { createPartitions, dropPartition, listPartitionDays } from './partition-store.ts'

const DAY_MS = 86_400_000
/** Raw samples are kept at least so long. */
export const RAW_RETENTION_MS = 8 * DAY_MS
/** Samples of this age may still be sent; partitions are named by receipt, so one outlives its day by the retention. */
const DAYS_AHEAD = 3

/**
 * Makes the partitions of the next days and drops those whose every sample is past the retention. Run at the start and every
 * hour; a day without a partition refuses its pushes.
 */
export async function keepPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  await createPartitions(db, nowMs, DAYS_AHEAD)
  const oldestDay = toTimestamp(nowMs - RAW_RETENTION_MS - DAY_MS).slice(0, 10)
  for (const day of await listPartitionDays(db)) {
    if (day >= oldestDay) break
    await dropPartition(db, day)
    log.info({ day }, 'dropped the samples received on a day that is past the retention')
  }
}
