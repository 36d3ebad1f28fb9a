import { type Db, keepPartitions, type PartitionPlan, type PartitionState, readPartitions } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'

/** By the month in which something was done. Without a partition nothing that is written down can be done: two stand ahead. */
const AUDIT_EVENTS: PartitionPlan = {
  table: 'audit_event',
  period: 'month',
  behind: 1,
  ahead: 2,
  retentionMs: 400 * 86_400_000,
}

/** Makes the partitions of the next months and drops those whose every event is older than 400 days. */
export async function keepAuditPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const month of await keepPartitions(db, AUDIT_EVENTS, nowMs))
    log.info({ month }, 'dropped the audit events of a month that is past the retention')
}

export const readAuditPartitions = (db: Db, nowMs: number): Promise<PartitionState> => readPartitions(db, AUDIT_EVENTS, nowMs)
