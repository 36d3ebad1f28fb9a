import { DAY_MS } from '@vedette/shared'
import type { PartitionPlan } from '../../platform/db/index.ts'

const RETENTION_MS = 9 * DAY_MS

/**
 * Monthly partitions, like those of the changes that the events describe. An event without a partition would roll back the change
 * of a status or of a member in the same transaction.
 */
export const LIVE_EVENTS: PartitionPlan = {
  table: 'live_event',
  period: 'month',
  // An event has the time of its change, which may be evaluated late because no backend was running.
  behind: 1,
  ahead: 2,
  // Deliveries are retried for one day. A client that was away for longer reads the current state again.
  retentionMs: RETENTION_MS,
}

/** Events from this instant on are all stored: the begin of the oldest month that is kept whole, at least nine days ago. Pure. */
export function eventsKeptSince(nowMs: number): number {
  const oldest = new Date(nowMs - RETENTION_MS)
  return Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth(), 1)
}
