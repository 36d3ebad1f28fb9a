import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'

/** When any instance was last alive; undefined before the very first start. */
export async function findLastAlive(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('instance')
    .select((eb) => eb.fn.max('alive_at').as('alive_at'))
    .executeTakeFirst()
  return row?.alive_at ?? undefined
}

/** Says that this instance is alive, and forgets those that have not been for a day. */
export async function markAlive(db: Db, instance: { id: string; startedAt: Date }, at: Date): Promise<void> {
  await db
    .insertInto('instance')
    .values({ id: instance.id, started_at: instance.startedAt, alive_at: at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ alive_at: at }))
    .execute()
  await db.deleteFrom('instance').where('alive_at', '<', sql<Date>`${at}::timestamptz - interval '1 day'`).execute()
}
