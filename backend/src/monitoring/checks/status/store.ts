import type { MonitorStatus, RegionState } from '@vedette/shared'
import { sql } from 'kysely'
import { insertSignal } from '../../../alerting/alerts/index.ts'
import { type Db, type PageRequest, readPage, type TableRow } from '../../../platform/db/index.ts'

const COLUMNS = ['monitor', 'status', 'since', 'before_pause', 'flapping_since'] as const

export type StatusRow = Pick<TableRow<'monitor_status'>, (typeof COLUMNS)[number]>

export function readStatuses(db: Db, organization: number, monitors: readonly number[]): Promise<StatusRow[]> {
  return db
    .selectFrom('monitor_status')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('monitor', 'in', monitors)
    .execute()
}

/** A statement that gives new monitors their sums of a week, of no checks yet. */
export const insertWeeks = (organization: number, monitors: readonly number[]) => sql`
  insert into check_week (organization, monitor, id)
  select organization, number, id from monitor where organization = ${organization} and number = any (${monitors}::int[])`

/** Inserts the first status of monitors. */
export async function insertStatus(
  db: Db,
  organization: number,
  monitors: readonly number[],
  status: RegionState,
  at: Date,
): Promise<void> {
  const rows = monitors.map((monitor) => ({ organization, monitor, status, since: at, before_pause: null }))
  await db.insertInto('monitor_status').values(rows).execute()
  await insertWeeks(organization, monitors).execute(db)
}

/** Locks the status until the transaction ends. Lock rows of `check_schedule` first, as storing a check does. */
export function lockStatus(db: Db, organization: number, monitor: number): Promise<StatusRow> {
  return db
    .selectFrom('monitor_status')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export interface StatusChange {
  /** Id of the transition. */
  id: string
  from: MonitorStatus
  to: MonitorStatus
  /** The status to resume to; null for every status but `paused`. */
  beforePause: RegionState | null
  /** One short line. */
  reason: string
}

/**
 * Changes the status of a monitor and inserts the transition and the signal for alert rules. The transition is never earlier than
 * the previous one, because clocks of instances may differ. Run it in a transaction that has locked the status.
 */
export async function changeStatus(
  db: Db,
  organization: number,
  monitor: number,
  { id, from, to, beforePause, reason }: StatusChange,
  at: Date,
): Promise<void> {
  const { since } = await db
    .updateTable('monitor_status')
    .set((eb) => ({ status: to, since: eb.fn('greatest', ['since', eb.val(at)]), before_pause: beforePause }))
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .returning('since')
    .executeTakeFirstOrThrow()
  const row = { organization, monitor, at: since, id, from_status: from, to_status: to, reason }
  await db.insertInto('monitor_transition').values(row).execute()
  await insertSignal(db, { organization, monitor }, { id, at: since, to_status: to, reason })
}

/** Those of these monitors whose last transition is a pause, in the order of their numbers. */
export async function listLastPaused(db: Db, organization: number, monitors: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ monitor: number }>`
    select given.monitor from unnest(${monitors}::integer[]) as given (monitor)
    cross join lateral (
      select to_status from monitor_transition
      where organization = ${organization} and monitor = given.monitor order by at desc, id desc limit 1
    ) as last
    where last.to_status = 'paused' order by given.monitor`.execute(db)
  return rows.map(({ monitor }) => monitor)
}

/** Instants [from, to). */
export interface TransitionRange {
  from: Date | undefined
  to: Date | undefined
}

export type TransitionRow = Pick<TableRow<'monitor_transition'>, 'id' | 'at' | 'from_status' | 'to_status' | 'reason'>

/** One page, newest first, and the total. */
export function listTransitions(
  db: Db,
  organization: number,
  monitor: number,
  { from, to }: TransitionRange,
  page: PageRequest,
): Promise<{ total: number; rows: TransitionRow[] }> {
  const query = db
    .selectFrom('monitor_transition')
    .select(['id', 'at', 'from_status', 'to_status', 'reason'])
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .$if(from !== undefined, (select) => select.where('at', '>=', from as Date))
    .$if(to !== undefined, (select) => select.where('at', '<', to as Date))
  return readPage(db, query, sql`at desc, id desc`, page)
}
