import type { ControlTarget } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** Surrogates of existing regions by id. */
export async function findRegionNumbers(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.selectFrom('region').select(['id', 'number']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** Creates the backend's own region if it is missing; an existing one stays unchanged. */
export async function ensureRegion(db: Db, region: { id: string; name: string }, at: Date): Promise<number> {
  await db
    .insertInto('region')
    .values({ ...region, token_hash: null, created_at: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  const { number } = await db.selectFrom('region').select('number').where('id', '=', region.id).executeTakeFirstOrThrow()
  return number
}

export interface RegionRow {
  id: string
  name: string
  has_token: boolean
  /** When a worker of the region was last seen, ms; null if never. */
  alive_at: number | null
  /** Of workers that were seen since the given instant, each once. */
  control_targets: ControlTarget[]
}

/** All regions of the installation, ordered by id. */
export async function listRegions(db: Db, aliveSinceMs: number): Promise<RegionRow[]> {
  const { rows } = await sql<RegionRow>`
    select region.id, region.name, region.token_hash is not null as has_token, max(check_worker.alive_at) as alive_at,
      coalesce((
        select jsonb_agg(distinct target) from check_worker as w, jsonb_array_elements(w.control_targets) as target
        where w.region = region.number and w.alive_at >= ${aliveSinceMs}
      ), '[]') as control_targets
    from region left join check_worker on check_worker.region = region.number
    group by region.number order by region.id`.execute(db)
  return rows
}

/** False when the id exists. */
export async function insertRegion(db: Db, region: { id: string; name: string; tokenHash: Buffer }, at: Date): Promise<boolean> {
  const { id, name, tokenHash } = region
  const made = await db
    .insertInto('region')
    .values({ id, name, token_hash: tokenHash, created_at: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('number')
    .executeTakeFirst()
  return made !== undefined
}

/** The old token is invalid with the commit. False for an unknown region. */
export async function replaceRegionToken(db: Db, id: string, tokenHash: Buffer): Promise<boolean> {
  const changed = await db
    .updateTable('region')
    .set({ token_hash: tokenHash })
    .where('id', '=', id)
    .returning('number')
    .executeTakeFirst()
  return changed !== undefined
}
