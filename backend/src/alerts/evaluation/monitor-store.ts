import type { MonitorStatus } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import type { SignalledMonitor } from '../signals/store.ts'

/** What rules need to know about a monitor. */
export interface EvaluatedMonitor {
  number: number
  id: string
  name: string
  tags: string[]
  server_id: string | null
  status: MonitorStatus
  since: Date
  /** The reason of the status; null for a new monitor. */
  reason: string | null
}

/** A monitor, which cannot be deleted before the transaction ends; undefined if it is deleted already. */
export async function lockMonitor(db: Db, { organization, monitor }: SignalledMonitor): Promise<EvaluatedMonitor | undefined> {
  return db
    .selectFrom('monitor')
    .innerJoin('monitor_status as t', (join) =>
      join.onRef('t.organization', '=', 'monitor.organization').onRef('t.monitor', '=', 'monitor.number'),
    )
    .select(['monitor.number', 'monitor.id', 'monitor.name', 'monitor.tags', 'monitor.server_id', 't.status', 't.since'])
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
    .executeTakeFirst()
}
