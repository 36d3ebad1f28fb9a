import type { Db } from '../platform/db/index.ts'

/** The surrogates of those of these regions that exist, by id. */
export async function findRegionNumbers(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.selectFrom('region').select(['id', 'number']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** Makes sure that a backend's own region is there; one that has a probe elsewhere keeps it. */
export async function ensureRegion(db: Db, region: { id: string; name: string }, at: Date): Promise<number> {
  await db
    .insertInto('region')
    .values({ ...region, token_hash: null, created_at: at, seen_at: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  const { number } = await db.selectFrom('region').select('number').where('id', '=', region.id).executeTakeFirstOrThrow()
  return number
}
