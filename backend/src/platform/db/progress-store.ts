import { sql } from 'kysely'
import type { Db } from './pool.ts'

/** The last hour and day since the epoch that are compacted, -1 before the first. */
export interface Progress {
  hour: number
  day: number
}

/** The progress of a compaction, and its locks, which are held until the transaction ends; `hourLock` is their class. */
export function createProgressStore(table: 'metric_progress' | 'check_progress', hourLock: number) {
  return {
    async lockHour(db: Db, hour: number): Promise<void> {
      await sql`select pg_advisory_xact_lock(${hourLock}, ${hour})`.execute(db)
    },
    /** Take it before the lock of an hour. */
    async lockDay(db: Db, day: number): Promise<void> {
      await sql`select pg_advisory_xact_lock(${hourLock}, ${-1 - day})`.execute(db)
    },
    async readProgress(db: Db): Promise<Progress> {
      const rows = await db.selectFrom(table).select(['name', 'done']).execute()
      const doneOf = (name: string) => rows.find((row) => row.name === name)?.done ?? -1
      return { hour: doneOf('hour'), day: doneOf('day') }
    },
    async setProgress(db: Db, name: 'hour' | 'day', done: number): Promise<void> {
      await db
        .insertInto(table)
        .values({ name, done })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ done }))
        .execute()
    },
  }
}
