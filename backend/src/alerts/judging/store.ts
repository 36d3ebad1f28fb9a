import type { MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** With the monitor it names the lock under which its changes of status are judged. */
const ALERT_LOCK = 730_525

export interface SignalledMonitor {
  organization: number
  monitor: number
}

export interface Signal {
  /** That of the transition. */
  id: string
  at: Date
  to_status: MonitorStatus
  reason: string
}

/** Leaves a signal of a changed status. Run it in the transaction that changes it. */
export async function insertSignal(db: Db, target: SignalledMonitor, signal: Signal): Promise<void> {
  await db
    .insertInto('alert_signal')
    .values({ ...target, ...signal, next_try_at: signal.at })
    .execute()
}

/** Takes signals that wait, those that have waited longest first, and gives their monitors; until then nobody else gets them. */
export async function leaseSignals(db: Db, at: Date, until: Date, limit: number): Promise<SignalledMonitor[]> {
  const due = db
    .selectFrom('alert_signal')
    .select('id')
    .where('next_try_at', '<=', at)
    .orderBy('next_try_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  const rows = await db
    .updateTable('alert_signal')
    .set({ next_try_at: until })
    .where('id', 'in', due)
    .returning(['organization', 'monitor'])
    .execute()
  return [...new Map(rows.map((row) => [`${row.organization}.${row.monitor}`, row])).values()]
}

/**
 * All signals of a monitor in their order, which are gone with the transaction. Waits until nobody else judges this monitor: two
 * changes are never judged in another order than they came in. The lock goes before the rows: those are taken in no order, and two
 * who take several would wait for each other.
 */
export async function takeSignals(db: Db, { organization, monitor }: SignalledMonitor): Promise<Signal[]> {
  await sql`select pg_advisory_xact_lock(${ALERT_LOCK}, ${monitor})`.execute(db)
  const rows = await db
    .deleteFrom('alert_signal')
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .returning(['id', 'at', 'to_status', 'reason'])
    .execute()
  return rows.sort((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1))
}

/** What rules need to know of a monitor, which is not deleted before the transaction ends; undefined once it is. */
export function findSignalled(
  db: Db,
  { organization, monitor }: SignalledMonitor,
): Promise<{ id: string; name: string; tags: string[] } | undefined> {
  return db
    .selectFrom('monitor')
    .select(['id', 'name', 'tags'])
    .where('organization', '=', organization)
    .where('number', '=', monitor)
    .forKeyShare()
    .executeTakeFirst()
}
