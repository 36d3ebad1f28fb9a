import { type Db, keepPartitions, type PartitionPlan, type PartitionState, readPartitions } from '../platform/db/index.ts'
import type { Log } from '../platform/logging/log.ts'

/**
 * Monthly partitions, like those of the changes that the events describe. An event without a partition would roll back the change
 * of a status or of a member in the same transaction.
 */
const EVENTS: PartitionPlan = {
  table: 'live_event',
  period: 'month',
  // An event has the time of its change, which may be evaluated late because no backend was running.
  behind: 1,
  ahead: 2,
  // Deliveries are retried for one day. A client that was away for longer reads the current state again.
  retentionMs: 9 * 86_400_000,
}

/** Makes the partitions of the next months and drops those whose every event is older than nine days, last month's not. */
export async function keepEventPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const month of await keepPartitions(db, EVENTS, nowMs)) log.info({ month }, 'dropped the events of a month that is over')
}

export const readEventPartitions = (db: Db, nowMs: number): Promise<PartitionState> => readPartitions(db, EVENTS, nowMs)
