import { type Db, keepPartitions, type PartitionPlan, type PartitionState, readPartitions } from '../platform/db/index.ts'
import type { Log } from '../platform/log.ts'

/**
 * By the month, like what it tells of: an event without a place would undo the change of status or of a member that it is stored
 * with.
 */
const EVENTS: PartitionPlan = {
  table: 'live_event',
  period: 'month',
  // Instants are those of what is told of, which may have waited to be judged while no backend ran.
  behind: 1,
  ahead: 2,
  // A telling is tried for a day; who listens again after a holiday reads anew.
  retentionMs: 9 * 86_400_000,
}

/** Makes the partitions of the next months and drops those whose every event is older than nine days, last month's not. */
export async function keepEventPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const month of await keepPartitions(db, EVENTS, nowMs)) log.info({ month }, 'dropped the events of a month that is over')
}

export const readEventPartitions = (db: Db, nowMs: number): Promise<PartitionState> => readPartitions(db, EVENTS, nowMs)
