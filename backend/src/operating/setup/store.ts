import { sql } from 'kysely'
import { announceChange, type Db } from '../../platform/db/index.ts'

/** Number of an advisory lock. */
const SETUP_LOCK = 7_305_220_118

/** Serializes set-ups until the transaction ends. */
export async function lockSetup(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${SETUP_LOCK})`.execute(db)
}

export async function putSetting(db: Db, name: string, value: unknown, at: Date): Promise<void> {
  const json = JSON.stringify(value)
  await db
    .insertInto('setting')
    .values({ name, value: json, updated_at: at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: json, updated_at: at }))
    .execute()
  await announceChange(db, 'setting')
}

/** Whether checks may reach private addresses; every process that runs checks follows. */
export const putAllowPrivateTargets = (db: Db, isOpen: boolean, at: Date): Promise<void> =>
  putSetting(db, 'allow_private_targets', isOpen, at)

/** Stores the value unless there is one; returns the stored one. */
export async function putSettingOnce(db: Db, name: string, value: unknown, at: Date): Promise<unknown> {
  await db
    .insertInto('setting')
    .values({ name, value: JSON.stringify(value), updated_at: at })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return row.value
}

/** True for the first call with this name only. Rolled back with its transaction. */
export async function claimOnce(db: Db, name: string, at: Date): Promise<boolean> {
  const row = await db
    .insertInto('setting')
    .values({ name, value: 'true', updated_at: at })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}
