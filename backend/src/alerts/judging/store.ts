import type { MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, once } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'

/** With the monitor it names the lock under which its changes of status are judged. */
const ALERT_LOCK = 730_526

export interface SignalledMonitor {
  organization: number
  monitor: number
}

/** What waits to be judged; without a monitor all of the organization that are not up. */
export interface Signalled {
  organization: number
  monitor: number | null
}

export interface Signal {
  /** That of the transition, where it is of one. */
  id: string
  at: Date
  /** Null: nothing has changed, and rules are to look again. */
  to_status: MonitorStatus | null
  reason: string
}

/** Leaves a signal of a changed status. Run it in the transaction that changes it. */
export async function insertSignal(db: Db, target: SignalledMonitor, signal: Signal): Promise<void> {
  await insertSignals(db, [{ ...target, ...signal, next_try_at: signal.at }])
}

/** Leaves signals that are judged from `next_try_at` on, or with the next that comes of their monitor. */
export async function insertSignals(db: Db, signals: readonly (Signalled & Signal & { next_try_at: Date })[]): Promise<void> {
  if (signals.length > 0) await db.insertInto('alert_signal').values(signals).execute()
}

/** Takes signals that wait, those that have waited longest first, and gives their monitors; until then nobody else gets them. */
export async function leaseSignals(db: Db, at: Date, until: Date, limit: number): Promise<Signalled[]> {
  const due = db
    .selectFrom('alert_signal')
    .select('id')
    .where('next_try_at', '<=', at)
    .orderBy('next_try_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  const rows = await db
    .with(once('due'), () => due)
    .updateTable('alert_signal')
    .set({ next_try_at: until })
    .where('id', 'in', (from) => from.selectFrom('due').select('id'))
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
  await lockJudging(db, monitor)
  const rows = await db
    .deleteFrom('alert_signal')
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .returning(['id', 'at', 'to_status', 'reason'])
    .execute()
  return rows.sort((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1))
}

/** Puts a signal of each monitor that is not up in the place of those that name none. */
export async function spreadSignals(db: Db, organization: number, at: Date): Promise<void> {
  await db.deleteFrom('alert_signal').where('organization', '=', organization).where('monitor', 'is', null).execute()
  const rows = await db
    .selectFrom('monitor_status')
    .select('monitor')
    .where('organization', '=', organization)
    .where('status', 'in', ['down', 'degraded'])
    .execute()
  const rest = { organization, at, to_status: null, reason: '', next_try_at: at }
  await insertSignals(
    db,
    rows.map(({ monitor }) => ({ id: newId(), monitor, ...rest })),
  )
}

/** What rules need to know of a monitor. */
export interface Watched {
  number: number
  id: string
  name: string
  tags: string[]
  server_id: string | null
  status: MonitorStatus
  since: Date
  /** Why the status is what it is; null for that of a new monitor. */
  reason: string | null
}

/** A monitor, which is not deleted before the transaction ends; undefined once it is. */
export async function holdMonitor(db: Db, { organization, monitor }: SignalledMonitor): Promise<Watched | undefined> {
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

/** Waits until nobody else judges this monitor, and keeps others out until the transaction ends. */
export async function lockJudging(db: Db, monitor: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ALERT_LOCK}, ${monitor})`.execute(db)
}
