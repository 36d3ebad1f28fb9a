import { sql } from 'kysely'
import { announcementText, binaryArray, type Db } from '../../platform/db/index.ts'

/** No transaction that stores an event takes longer; older events are not read. */
export const LOOKBACK_MS = 15 * 60_000

/** Before every id. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/** An event as it is delivered. */
export interface NewEvent {
  id: string
  type: string
  at: Date
  data: object
}

/** Stores an event. Run it in the transaction of the change that it describes. */
export const insertEvent = (db: Db, organization: number, event: NewEvent): Promise<void> =>
  insertEvents(db, organization, [event])

/** The same for many. */
export async function insertEvents(db: Db, organization: number, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const column = <T>(pick: (event: NewEvent) => T): T[] => events.map(pick)
  await sql`
    with stored as (
      insert into live_event (organization, at, id, transaction_id, settled_before, type, data)
      select ${organization}::int, at, id, pg_current_xact_id(), pg_snapshot_xmin(pg_current_snapshot()), type, data::jsonb
      from unnest(${binaryArray.timestamptz(column(({ at }) => at))}::timestamptz[], ${binaryArray.uuid(column(({ id }) => id))}::uuid[],
        ${binaryArray.text(column(({ type }) => type))}::text[],
        ${binaryArray.text(column(({ data }) => JSON.stringify(data)))}::text[]) as event (at, id, type, data)
    )
    select ${sql.raw(announcementText('live_event'))}`.execute(db)
}

/** Removes the events of an organization that is deleted: they hang on no foreign key. */
export async function deleteOrganizationEvents(db: Db, organization: number): Promise<void> {
  await db.deleteFrom('live_event').where('organization', '=', organization).execute()
}

export interface EventRow {
  organization: number
  id: string
  at: Date
  type: string
  data: Record<string, unknown>
}

/**
 * The transaction before which all were over: what they stored is visible by now. Transactions become visible in another order
 * than they began in, so that nothing else says where somebody is who has seen all there was.
 */
export async function readSettled(db: Db): Promise<string> {
  const { rows } = await sql<{ settled: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as settled`.execute(db)
  return rows[0]?.settled ?? '0'
}

/** Where somebody goes on who has seen an event: the transactions that were over when it was stored were visible with it. */
export async function findPosition(db: Db, organization: number, id: string): Promise<{ settled: string; at: Date } | undefined> {
  const { rows } = await sql<{ settled: string; at: Date }>`
    select settled_before::text as settled, at from live_event where organization = ${organization} and id = ${id}`.execute(db)
  return rows[0]
}

/** The newest event of an organization. */
export async function findNewest(db: Db, organization: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from live_event where organization = ${organization} order by at desc, id desc limit 1`.execute(db)
  return rows[0]?.id
}

/** The newest events of these types since an instant, newest first; reminders are none. `sinceId`: no id of one is below it. */
export async function readNewestEvents(
  db: Db,
  organization: number,
  { types, since, sinceId }: { types: readonly string[]; since: Date; sinceId: string },
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select organization, id, at, type, data from live_event
    where organization = ${organization} and id >= ${sinceId} and at >= ${since} and type = any(${types}::text[])
      and not data ? 'reminder'
    order by id desc limit ${limit}`.execute(db)
  return rows
}

/** An event with the transaction that stored it. */
export interface EventWithTransaction extends EventRow {
  transaction_id: string
}

/**
 * Events of these organizations by transactions that were not over at that position, by transaction, from an instant on; those behind
 * `last`. Reminders are none.
 */
export async function readEventsFrom(
  db: Db,
  organizations: readonly number[],
  settled: string,
  since: Date,
  limit: number,
  last?: EventWithTransaction,
): Promise<EventWithTransaction[]> {
  const { transaction_id: transaction = settled, id = LOWEST_ID } = last ?? {}
  const { rows } = await sql<EventWithTransaction>`
    select organization, id, at, type, data, transaction_id::text from live_event
    where organization = any(${organizations}::int[]) and (transaction_id, id) > (${transaction}::xid8, ${id}::uuid) and at >= ${since}
      and not data ? 'reminder'
    order by transaction_id, id limit ${limit}`.execute(db)
  return rows
}
