import { DAY_MS } from '@vedette/shared'
import { type Db, keepTables, type PartitionPlan } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/logging/log.ts'

/** Retention of single checks. */
export const RAW_CHECKS_MS = 35 * DAY_MS

/** From here on checks are there one by one, ms: the begin of a UTC day. */
export const singleChecksFromMs = (nowMs: number): number => Math.ceil((nowMs - RAW_CHECKS_MS) / DAY_MS) * DAY_MS

/** Whether all single checks of a window are still stored. */
export const hasRawChecks = (fromMs: number, nowMs: number): boolean => fromMs > nowMs - RAW_CHECKS_MS

/** A probe that was disconnected may submit results up to this age; older ones are refused. */
export const LATE_RESULTS_DAYS = 7

/** By the day of the check, not of its receipt: late results go to the partition of their day. */
export const CHECK_TABLES: readonly PartitionPlan[] = [
  { table: 'check_result', period: 'day', behind: LATE_RESULTS_DAYS, ahead: 7, retentionMs: RAW_CHECKS_MS },
  { table: 'check_hour', period: 'month', behind: 1, ahead: 1, retentionMs: RAW_CHECKS_MS },
  { table: 'check_day', period: 'month', behind: 1, ahead: 1, retentionMs: 400 * DAY_MS },
]

/** Creates the partitions of the next days and drops those past the retention. */
export const keepCheckPartitions = (db: Db, log: Log, nowMs: number): Promise<void> => keepTables(db, log, CHECK_TABLES, nowMs)
