import { UNWATCHED_STATUSES, type MonitorStatus } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import type { SignalledMonitor } from '../signals/store.ts'

/** What rules need to know about a monitor. */
export interface EvaluatedMonitor {
  number: number
  id: string
  name: string
  tags: string[]
  server_id: string | null
  /** The kind of its checks, or `composite`. */
  kind: string
  status: MonitorStatus
  since: Date
  flapping_since: Date | null
  interval_seconds: number
  /** The reason of the status; null for a new monitor. */
  reason: string | null
}

/**
 * A monitor, which cannot be deleted before the transaction ends; undefined if it is deleted already, and with `skipsLocked` if a request
 * is changing it.
 */
export async function lockMonitor(
  db: Db,
  { organization, monitor }: SignalledMonitor,
  skipsLocked = false,
): Promise<EvaluatedMonitor | undefined> {
  return db
    .selectFrom('monitor')
    .innerJoin('monitor_status as t', (join) =>
      join.onRef('t.organization', '=', 'monitor.organization').onRef('t.monitor', '=', 'monitor.number'),
    )
    .select(['monitor.number', 'monitor.id', 'monitor.name', 'monitor.tags', 'monitor.server_id', 'monitor.interval_seconds'])
    .select('monitor.type as kind')
    .select(['t.status', 't.since', 't.flapping_since'])
    .select((eb) =>
      eb
        .selectFrom('monitor_transition as last')
        .select('last.reason')
        .whereRef('last.organization', '=', 'monitor.organization')
        .whereRef('last.monitor', '=', 'monitor.number')
        .orderBy('last.at', 'desc')
        .orderBy('last.id', 'desc')
        .limit(1)
        .as('reason'),
    )
    .where('monitor.organization', '=', organization)
    .where('monitor.number', '=', monitor)
    .forKeyShare('monitor')
    .$if(skipsLocked, (query) => query.skipLocked())
    .executeTakeFirst()
}

/** When the status of a monitor last changed, pauses and active hours left out, newest first. */
export async function listLastChanges(db: Db, organization: number, monitor: number, limit: number): Promise<Date[]> {
  const rows = await db
    .selectFrom('monitor_transition')
    .select('at')
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .where('from_status', 'not in', UNWATCHED_STATUSES)
    .where('to_status', 'not in', UNWATCHED_STATUSES)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ at }) => at)
}

/** Records since when the status of a monitor alternates; null: it does not. */
export async function recordFlapping(db: Db, organization: number, monitor: number, since: Date | null): Promise<void> {
  await db
    .updateTable('monitor_status')
    .set({ flapping_since: since })
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .execute()
}
