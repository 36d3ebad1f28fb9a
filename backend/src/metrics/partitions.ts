import { type Db, keepPartitions as keep, type PartitionPlan, type PartitionState, readPartitions } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'
import { readLag } from './progress.ts'
import { MAX_AHEAD_MS, oldestMark } from './rollup/index.ts'

const DAY_MS = 86_400_000
/** Raw samples are kept at least so long. */
export const RAW_RETENTION_MS = 8 * DAY_MS
/** Whether a batch came before is told by the pushes of today and yesterday. */
const KNOWN_DAYS = 2

/** By the day of the samples; one outlives its last sample. */
const HOURS: PartitionPlan = { table: 'metric_hour', period: 'day', behind: 9, ahead: 3, retentionMs: RAW_RETENTION_MS }
const DAYS: PartitionPlan = { table: 'metric_day', period: 'month', behind: 1, ahead: 2, retentionMs: 400 * DAY_MS }
/** By the day of receipt. */
const PUSHES = { table: 'metric_push', period: 'day', behind: 1, ahead: 3 } as const

/**
 * Makes the partitions of the next days and drops those past the retention; pushes go as soon as every sample that came on their
 * day is where it belongs. Run at the start and every hour; a day without a partition refuses its pushes.
 */
export async function keepPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  const retentionMs = nowMs - (await doneUntil(db, log, nowMs))
  for (const plan of [HOURS, DAYS, { ...PUSHES, retentionMs }]) {
    for (const period of await keep(db, plan, nowMs))
      log.info({ table: plan.table, period }, 'dropped samples that are past the retention, or stored elsewhere')
  }
}

/** The end of the last day of receipt whose pushes nobody needs, ms. */
async function doneUntil(db: Db, log: Log, nowMs: number): Promise<number> {
  const { doneUntilMs = 0, lagMs, isLate } = await readLag(db, nowMs)
  if (isLate)
    log.error(
      { doneUntil: new Date(doneUntilMs), lagSeconds: Math.round(lagMs / 1000) },
      'samples are not put together: the pushes stay, and the disk fills',
    )
  const oldest = await oldestMark(db)
  // What came on a day may lie some minutes ahead of it.
  const until = Math.min(doneUntilMs - MAX_AHEAD_MS, oldest ?? Number.POSITIVE_INFINITY)
  const known = Math.floor(nowMs / DAY_MS) * DAY_MS - (KNOWN_DAYS - 1) * DAY_MS
  return Math.min(Math.floor(until / DAY_MS) * DAY_MS, known)
}

/** What stands of the tables of samples. */
export async function readSamplePartitions(db: Db, nowMs: number): Promise<PartitionState[]> {
  const plans = [{ ...PUSHES, retentionMs: 0 }, HOURS, DAYS]
  return Promise.all(plans.map((plan) => readPartitions(db, plan, nowMs)))
}
