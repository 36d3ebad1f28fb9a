import type { MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { deleteJobs, enqueue, type Queue, takeJobs } from '../../../platform/queue/index.ts'

/** With the number of a monitor it names the lock under which the rules of that monitor are evaluated. */
const EVALUATION_LOCK = 730_526

interface SignalPayload {
  /** Null: no status changed, and the rules are evaluated again. */
  to_status: MonitorStatus | null
  reason: string
}

/** Changes of status whose rules are not evaluated yet. The key is the number of the monitor; null: every monitor that is not up. */
export const SIGNALS: Queue<SignalPayload> = {
  table: 'alert_signal',
  concurrency: 20,
  // `takeSignals` takes all of a monitor at once, under a lock.
  isOrdered: false,
  retrySpread: 0,
}

export interface SignalledMonitor {
  organization: number
  monitor: number
}

export interface Signal extends SignalPayload {
  /** That of the transition, if there is one. */
  id: string
  at: Date
}

/** Stores the signal of a changed status. Run it in the transaction that changes it. */
export async function insertSignal(
  db: Db,
  { organization, monitor }: SignalledMonitor,
  { id, at, to_status, reason }: Signal,
): Promise<void> {
  await enqueue(db, SIGNALS, [{ id, organization, key: String(monitor), payload: { to_status, reason } }], at)
}

/** Has the rules of these monitors evaluated again, from `notBefore` on; null: those of every monitor that is not up. */
export async function requestReevaluation(
  db: Db,
  organization: number,
  monitors: readonly (number | null)[],
  at: Date,
  notBefore = at,
): Promise<void> {
  const signal = { organization, payload: { to_status: null, reason: '' }, notBefore }
  const signals = monitors.map((monitor) => (monitor === null ? signal : { ...signal, key: String(monitor) }))
  await enqueue(db, SIGNALS, signals, at)
}

/**
 * Takes all signals of a monitor, oldest first; they are deleted with the transaction. Waits until no other process evaluates the
 * monitor, so that its changes are evaluated in their order. The lock comes before the rows: rows are locked in no order, and two
 * transactions that lock several could wait for each other.
 */
export async function takeSignals(db: Db, { organization, monitor }: SignalledMonitor): Promise<Signal[]> {
  await lockEvaluation(db, monitor)
  const jobs = await takeJobs<SignalPayload>(db, SIGNALS.table, organization, String(monitor))
  return jobs.map(({ id, created_at: at, payload }) => ({ id, at, ...payload }))
}

/** Replaces the signals without a monitor by one for each monitor that is not up. */
export async function fanOutSignals(db: Db, organization: number, at: Date): Promise<void> {
  await takeJobs(db, SIGNALS.table, organization, null)
  const rows = await db
    .selectFrom('monitor_status')
    .select('monitor')
    .where('organization', '=', organization)
    .where('status', 'in', ['down', 'degraded'])
    .execute()
  const monitors = rows.map(({ monitor }) => monitor)
  await requestReevaluation(db, organization, monitors, at)
}

/** Waits until no other process evaluates this monitor, and keeps others out until the transaction ends. */
export async function lockEvaluation(db: Db, monitor: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${EVALUATION_LOCK}, ${monitor})`.execute(db)
}

/** Deletes the signals of an organization that is deleted: they have no foreign key. */
export async function deleteOrganizationSignals(db: Db, organization: number): Promise<void> {
  await deleteJobs(db, SIGNALS.table, organization)
}
