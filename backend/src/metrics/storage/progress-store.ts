import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** Class of the advisory locks of hours: only one transaction at a time compacts an hour or adds late samples to it. */
const HOUR_LOCK = 730_525

/** The last hour and day since the epoch that are compacted, -1 before the first. */
export interface Progress {
  hour: number
  day: number
}

/** Held until the transaction ends. */
export async function lockHour(db: Db, hour: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${HOUR_LOCK}, ${hour})`.execute(db)
}

/** Held until the transaction ends. Take it before the lock of an hour. */
export async function lockDay(db: Db, day: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${HOUR_LOCK}, ${-1 - day})`.execute(db)
}

export async function readProgress(db: Db): Promise<Progress> {
  const rows = await db.selectFrom('metric_progress').select(['name', 'done']).execute()
  const doneOf = (name: string) => rows.find((row) => row.name === name)?.done ?? -1
  return { hour: doneOf('hour'), day: doneOf('day') }
}

export async function setProgress(db: Db, name: 'hour' | 'day', done: number): Promise<void> {
  await db
    .insertInto('metric_progress')
    .values({ name, done })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ done }))
    .execute()
}
