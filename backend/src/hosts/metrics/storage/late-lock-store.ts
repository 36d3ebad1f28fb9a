import { sql } from 'kysely'
import type pg from 'pg'
import { binaryArray, type Db } from '../../../platform/db/index.ts'

/** Class of the advisory locks of hours that get late samples, where tables are distributed. */
const LATE_LOCK = 730_530

/**
 * Deleting marks of these hours waits until the transaction of the client ends. Nodes commit shortly after the coordinator, so that
 * a mark may be visible before its samples; the locks are held until both are.
 */
export async function lockLateHours(client: Pick<pg.ClientBase, 'query'>, hours: readonly number[]): Promise<void> {
  const ordered = [...new Set(hours)].sort((one, other) => one - other)
  await client.query(`select pg_advisory_xact_lock_shared(${LATE_LOCK}, hour) from unnest($1::int4[]) as hour`, [
    binaryArray.int4(ordered),
  ])
}

export async function waitForLate(db: Db, hour: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LATE_LOCK}, ${hour})`.execute(db)
}
