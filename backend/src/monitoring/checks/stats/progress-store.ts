import { sql } from 'kysely'
import { createProgressStore, type Db, type Progress } from '../../../platform/db/index.ts'
import { HOUR_LOCK } from '../results/store.ts'

/** The lock of an hour waits until no late check of the hour is being stored, that of a day serializes its compaction. */
export const { lockHour, lockDay, readProgress, setProgress } = createProgressStore('check_progress', HOUR_LOCK)

/** How far checks are compacted, and which of these monitors are composites, whose time is counted in place of checks. */
export async function readBasis(
  db: Db,
  organization: number,
  monitors: readonly number[],
): Promise<{ progress: Progress; composites: number[] }> {
  const { rows } = await sql<{ hour: number | null; day: number | null; composites: number[] }>`
    select (select done from check_progress where name = 'hour') as hour, (select done from check_progress where name = 'day') as day,
      array(
        select number from monitor
        where organization = ${organization} and type = 'composite' and deleted_at is null and number = any(${monitors}::int[])
      ) as composites`.execute(db)
  const [basis] = rows
  return { progress: { hour: basis?.hour ?? -1, day: basis?.day ?? -1 }, composites: basis?.composites ?? [] }
}
