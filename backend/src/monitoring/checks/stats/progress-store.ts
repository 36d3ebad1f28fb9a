import { sql } from 'kysely'
import { createProgressStore, type Db, type Progress } from '../../../platform/db/index.ts'
import { HOUR_LOCK } from '../results/store.ts'
import type { Reclassified } from '../reclassified/exclusions.ts'

/** The lock of an hour waits until no late check of the hour is being stored, that of a day serializes its compaction. */
export const { lockHour, lockDay, readProgress, setProgress } = createProgressStore('check_progress', HOUR_LOCK)

/** Locks the compaction of UTC days, from the first to the last, until the transaction ends. */
export async function lockDays(db: Db, first: number, last: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${HOUR_LOCK}, -1 - day) from generate_series(${first}::int, ${last}::int) as day`.execute(
    db,
  )
}

/**
 * How far checks are compacted, which of these monitors are composites, whose time is counted in place of checks, and the reclassified
 * intervals of all of them; by one statement.
 */
export async function readBasis(
  db: Db,
  organization: number,
  monitors: readonly number[],
): Promise<{ progress: Progress; composites: number[]; reclassified: Reclassified[] }> {
  const { rows } = await sql<{ hour: number | null; day: number | null; composites: number[]; reclassified: Reclassified[] }>`
    select (select done from check_progress where name = 'hour') as hour, (select done from check_progress where name = 'day') as day,
      array(
        select number from monitor
        where organization = ${organization} and type = 'composite' and deleted_at is null and number = any(${monitors}::int[])
      ) as composites,
      coalesce((
        select json_agg(json_build_object('id', id, 'monitor', monitor, 'as', counts_as,
          'fromMs', (extract(epoch from from_at) * 1000)::int8, 'toMs', (extract(epoch from to_at) * 1000)::int8))
        from reclassification where organization = ${organization} and monitor = any(${monitors}::int[])
      ), '[]') as reclassified`.execute(db)
  const [basis] = rows
  const progress = { hour: basis?.hour ?? -1, day: basis?.day ?? -1 }
  return { progress, composites: basis?.composites ?? [], reclassified: basis?.reclassified ?? [] }
}
