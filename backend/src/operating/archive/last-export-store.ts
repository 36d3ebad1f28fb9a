import type { Db } from '../../platform/db/index.ts'

/** A setting of this database: exports leave it out. */
export const LAST_EXPORT = 'last_export'

/** Records that the whole installation was exported. */
export async function recordExport(db: Db, at: Date): Promise<void> {
  const value = JSON.stringify(at)
  await db
    .insertInto('setting')
    .values({ name: LAST_EXPORT, value, updated_at: at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value, updated_at: at }))
    .execute()
}

/** When the whole installation was exported last. */
export async function readLastExport(db: Db): Promise<Date | undefined> {
  const row = await db.selectFrom('setting').select('updated_at').where('name', '=', LAST_EXPORT).executeTakeFirst()
  return row?.updated_at
}
