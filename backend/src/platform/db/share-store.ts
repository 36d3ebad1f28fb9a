import { sql } from 'kysely'
import { announceChange } from './changes.ts'
import type { Db } from './pool.ts'

interface ShareKey {
  name: string
  /** Of the process. */
  holder: string
}

export interface LiveShare {
  holder: string
  until: Date
}

/** Extends the share of a process. Returns all that have not expired, as they were before this statement. */
export async function extendShare(db: Db, { name, holder }: ShareKey, at: Date, until: Date): Promise<LiveShare[]> {
  const { rows } = await sql<LiveShare>`
    with own as (
      insert into work_share (name, holder, until) values (${name}, ${holder}, ${until})
      on conflict (name, holder) do update set until = excluded.until
    )
    select holder, until from work_share where name = ${name} and until > ${at}`.execute(db)
  return rows
}

/** Announces a new share, and deletes what processes left that died a minute ago. Skips rows that are being changed: no deadlocks. */
export async function announceShare(db: Db, name: string, at: Date): Promise<void> {
  await sql`
    delete from work_share where (name, holder) in (
      select name, holder from work_share where name = ${name} and until < ${new Date(at.getTime() - 60_000)} for update skip locked)`.execute(
    db,
  )
  await announceChange(db, 'work_share', [name])
}

/** The shares of the other processes expire at this instant, unless they extend them. */
export async function shortenShares(db: Db, { name, holder }: ShareKey, until: Date): Promise<void> {
  await sql`
    update work_share set until = ${until} where (name, holder) in (
      select name, holder from work_share where name = ${name} and holder <> ${holder} and until > ${until} for update skip locked)`.execute(
    db,
  )
}

export async function dropShare(db: Db, { name, holder }: ShareKey): Promise<void> {
  await db.deleteFrom('work_share').where('name', '=', name).where('holder', '=', holder).execute()
  await announceChange(db, 'work_share', [name])
}
