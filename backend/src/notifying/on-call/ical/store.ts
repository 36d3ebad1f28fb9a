import { sql } from 'kysely'
import type { Db, StoredIcal, TableRow } from '../../../platform/db/index.ts'

export type FollowingRow = Pick<TableRow<'schedule'>, 'organization' | 'id' | 'time_zone' | 'rota' | 'ical_state'> & {
  ical_url: Buffer
}

/** When a calendar is to be read next, ms; undefined: no schedule follows one. */
export async function findNextDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ due_at: Date | null }>`
    select min(ical_due_at) as due_at from schedule where ical_due_at is not null and deleted_at is null`.execute(db)
  return rows[0]?.due_at?.getTime()
}

/** Takes schedules whose calendar is due, and puts off the next attempt: those of a process that dies are due again then. */
export async function claimDue(db: Db, at: Date, nextAt: Date, limit: number): Promise<FollowingRow[]> {
  const { rows } = await sql<FollowingRow>`
    update schedule set ical_due_at = ${nextAt}
    where (organization, id) in (
      select organization, id from schedule
      where ical_due_at <= ${at} and ical_url is not null and deleted_at is null
      order by ical_due_at limit ${limit} for update skip locked
    )
    returning organization, id, time_zone, rota, ical_state, ical_url`.execute(db)
  return rows
}

/** The same, locked until the transaction ends; undefined where it follows another calendar by now. */
export async function lockFollowing(
  db: Db,
  { organization, id, ical_url: url }: FollowingRow,
): Promise<FollowingRow | undefined> {
  const { rows } = await sql<FollowingRow>`
    select organization, id, time_zone, rota, ical_state, ical_url from schedule
    where organization = ${organization} and id = ${id} and ical_url = ${url} and deleted_at is null for update`.execute(db)
  return rows[0]
}

/** What was read is measured, and no change of the schedule. */
export async function storeRead(
  db: Db,
  { organization, id }: Pick<FollowingRow, 'organization' | 'id'>,
  read: { rota: FollowingRow['rota']; state: StoredIcal; dueAt: Date },
): Promise<void> {
  await sql`
    update schedule set rota = ${JSON.stringify(read.rota)}::jsonb, ical_state = ${JSON.stringify(read.state)}::jsonb,
      ical_due_at = ${read.dueAt}
    where organization = ${organization} and id = ${id} and deleted_at is null`.execute(db)
}
