import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** Nobody asks which workers there were once. */
const KEPT_MS = 86_400_000

/**
 * Says that this worker is there for a region, and gives its place among those that were heard of since `aliveSinceMs`. Places
 * follow the ids: two workers that ask at the same moment agree, and where they do not for a while, what is near is taken by
 * whoever is first.
 */
export async function announceWorker(
  db: Db,
  worker: { region: number; id: string },
  nowMs: number,
  aliveSinceMs: number,
): Promise<{ index: number; count: number }> {
  const { rows } = await sql<{ index: number; count: number }>`
    with mine as (
      insert into check_worker (region, id, alive_at) values (${worker.region}, ${worker.id}, ${nowMs})
      on conflict (region, id) do update set alive_at = excluded.alive_at
    ), old as (
      -- Two that were both away for long would each wait for the other.
      delete from check_worker where region = ${worker.region} and id in (
        select id from check_worker
        where region = ${worker.region} and alive_at < ${nowMs - KEPT_MS} and id <> ${worker.id} for update skip locked
      )
    )
    select (count(*) filter (where id < ${worker.id}))::int as index, count(*)::int + 1 as count
    from check_worker where region = ${worker.region} and id <> ${worker.id} and alive_at >= ${aliveSinceMs}`.execute(db)
  return rows[0] ?? { index: 0, count: 1 }
}

/** Says that this worker is gone. */
export async function forgetWorker(db: Db, worker: { region: number; id: string }): Promise<void> {
  await db.deleteFrom('check_worker').where('region', '=', worker.region).where('id', '=', worker.id).execute()
}
