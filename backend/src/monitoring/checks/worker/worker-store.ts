import { type ControlTarget, DAY_MS } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'

/** Workers that were not seen for longer are deleted. */
const RETENTION_MS = DAY_MS

/**
 * Records a heartbeat of this worker and returns its index among the workers that were seen since `aliveSinceMs`, ordered by id.
 * Two workers may disagree for a while; near checks are then claimed by the first.
 */
export async function recordHeartbeat(
  db: Db,
  worker: { region: number; id: string; controlTargets: readonly ControlTarget[] },
  nowMs: number,
  aliveSinceMs: number,
): Promise<{ index: number; count: number }> {
  const { rows } = await sql<{ index: number; count: number }>`
    with mine as (
      insert into check_worker (region, id, alive_at, control_targets)
      values (${worker.region}, ${worker.id}, ${nowMs}, ${JSON.stringify(worker.controlTargets)}::jsonb)
      on conflict (region, id) do update set alive_at = excluded.alive_at, control_targets = excluded.control_targets
    ), old as (
      -- Two that were both away for long would each wait for the other.
      delete from check_worker where region = ${worker.region} and id in (
        select id from check_worker
        where region = ${worker.region} and alive_at < ${nowMs - RETENTION_MS} and id <> ${worker.id} for update skip locked
      )
    )
    select (count(*) filter (where id < ${worker.id}))::int as index, count(*)::int + 1 as count
    from check_worker where region = ${worker.region} and id <> ${worker.id} and alive_at >= ${aliveSinceMs}`.execute(db)
  return rows[0] ?? { index: 0, count: 1 }
}

/** Deletes a worker that stops. */
export async function deleteWorker(db: Db, worker: { region: number; id: string }): Promise<void> {
  await db.deleteFrom('check_worker').where('region', '=', worker.region).where('id', '=', worker.id).execute()
}
