import { type Db, keepPartitions, type PartitionPlan, type PartitionState, readPartitions } from '../platform/db/index.ts'
import type { Log } from '../platform/logging/log.ts'

/** One partition per month, two ahead: without a partition every audited operation fails. */
const AUDIT_EVENTS: PartitionPlan = {
  table: 'audit_event',
  period: 'month',
  behind: 1,
  ahead: 2,
  retentionMs: 400 * 86_400_000,
}

/** Creates the partitions of the next months and drops those whose events are all older than 400 days. */
export async function keepAuditPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const month of await keepPartitions(db, AUDIT_EVENTS, nowMs))
    log.info({ month }, 'dropped the audit events of a month that is past the retention')
}

export const readAuditPartitions = (db: Db, nowMs: number): Promise<PartitionState> => readPartitions(db, AUDIT_EVENTS, nowMs)
