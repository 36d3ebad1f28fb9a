import { type Db, keepPartitions as keep, partitionOf, type PartitionPlan } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/logging/log.ts'
import { runInSequence } from '../../../platform/concurrency/run-in-sequence.ts'
import { readLag } from './progress.ts'
import { DAY_MS, MAX_AHEAD_MS } from './schedule.ts'
import { oldestLateHour, oldestMark } from './late-store.ts'
import { readProgress } from './progress-store.ts'

/** How long samples are kept, one by one and as means over 5 minutes and more. */
export interface Retention {
  rawMs: number
  rollupMs: number
}

/** Every installation retains samples at least for this time. */
const LEAST_RAW_MS = 8 * DAY_MS
/** Duplicate batches are detected by the pushes of today and yesterday. */
const DIGEST_DAYS = 2
/** Received samples this old can still be compacted into a day, also after an installation was off for this time. */
const MAX_BEHIND_DAYS = 100

/** By the day of the samples. Where one is missing compaction waits for it, and the pushes stay. */
const HOURS = { table: 'metric_hour', period: 'day', ahead: 1 } as const
const SAMPLES = { table: 'metric_samples', period: 'day', ahead: 1 } as const
const DAYS = { table: 'metric_day', period: 'month', ahead: 1 } as const
/** By the day of receipt. */
const PUSHES = { table: 'metric_push', period: 'day', behind: 1, ahead: 3, isShortLived: true } as const

/**
 * Makes the partitions of the next days and drops those past the retention; pushes go as soon as every sample that came on their
 * day is where it belongs. Run at the start and every hour; a day without a partition refuses its pushes. Who does not know the
 * retention of the installation drops no hours and no days.
 */
export async function keepPartitions(db: Db, log: Log, nowMs: number, retention?: Retention): Promise<void> {
  const plans = await plansOf(db, log, nowMs, retention)
  await runInSequence(
    plans.map((plan) => async () => {
      for (const period of await keep(db, plan, nowMs))
        log.info({ table: plan.table, period }, 'dropped a partition of samples that are past the retention or compacted')
    }),
  )
}

async function plansOf(db: Db, log: Log, nowMs: number, retention: Retention | undefined): Promise<PartitionPlan[]> {
  const today = Math.floor(nowMs / DAY_MS)
  const { day } = await readProgress(db)
  const openDay = await oldestOpenDay(db, day)
  // A sample is refused when it is older than the retention; one that was just not must still find its hour a day later.
  const rawDays = Math.ceil((retention?.rawMs ?? LEAST_RAW_MS) / DAY_MS) + 1
  const openDays = Math.min(MAX_BEHIND_DAYS, today - (openDay ?? today))
  const retentionOf = (ms: number) => (retention ? Math.max(ms, (openDays + 1) * DAY_MS) : Number.POSITIVE_INFINITY)
  const months = Math.ceil(openDays / 28) + 1
  // A new installation begins with the oldest sample that it may be sent.
  const isNew = day < 0
  return [
    { ...PUSHES, retentionMs: nowMs - (await doneUntil(db, log, nowMs)) },
    isNew
      ? { ...HOURS, behind: Math.max(rawDays, openDays), retentionMs: Number.POSITIVE_INFINITY }
      : { ...HOURS, behind: openDays, retentionMs: openDays * DAY_MS },
    { ...SAMPLES, behind: Math.max(rawDays, openDays), retentionMs: retentionOf(rawDays * DAY_MS) },
    { ...DAYS, behind: months, retentionMs: retentionOf(retention?.rollupMs ?? 0) },
  ]
}

/** The first day since the epoch whose hours are still needed, for the means of the day or for samples that came late. */
async function oldestOpenDay(db: Db, day: number): Promise<number | undefined> {
  const late = await oldestLateHour(db)
  const open = [...(day < 0 ? [] : [day + 1]), ...(late === undefined ? [] : [Math.floor(late / 24)])]
  return open.length === 0 ? undefined : Math.min(...open)
}

/** The end of the last day of receipt whose pushes nobody needs, ms. */
async function doneUntil(db: Db, log: Log, nowMs: number): Promise<number> {
  const { doneUntilMs, lagMs, isLate } = await readLag(db, nowMs)
  if (isLate)
    log.error(
      { doneUntil: doneUntilMs === undefined ? null : new Date(doneUntilMs), lagSeconds: Math.round(lagMs / 1000) },
      'samples are not compacted: pushes are retained and fill the disk',
    )
  const oldest = await oldestMark(db)
  // What came on a day may lie some minutes ahead of it.
  const until = Math.min((doneUntilMs ?? 0) - MAX_AHEAD_MS, oldest ?? Number.POSITIVE_INFINITY)
  const digestsNeededFromMs = Math.floor(nowMs / DAY_MS) * DAY_MS - (DIGEST_DAYS - 1) * DAY_MS
  return Math.min(Math.floor(until / DAY_MS) * DAY_MS, digestsNeededFromMs)
}

export const SAMPLE_TABLES = [PUSHES, HOURS, SAMPLES, DAYS]

/** The partitions with the samples of a day. */
export const partitionsOfDay = (day: number): string[] => [HOURS, SAMPLES, DAYS].map((table) => partitionOf(table, day * DAY_MS))
