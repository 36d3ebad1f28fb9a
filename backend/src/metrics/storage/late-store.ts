import { type Db, isDistributed, type Progress } from '../../platform/db/index.ts'
import type { ServerKey } from './keys.ts'
import { waitForLate } from './late-lock-store.ts'

/** An hour of a server with late samples that are not in its row yet. */
export interface LateMark extends ServerKey {
  hour: number
}

/** The oldest marks of hours that are compacted already. */
export function listLateMarks(db: Db, progress: Progress, limit: number): Promise<LateMark[]> {
  return db
    .selectFrom('metric_late')
    .select(['hour', 'organization', 'server'])
    .where('hour', '<=', progress.hour)
    .orderBy('hour')
    .orderBy('organization')
    .orderBy('server')
    .limit(limit)
    .execute()
}

/** Waits for transactions that add late samples to the hour. Returns whether the mark still existed. */
export async function deleteLateMark(db: Db, { hour, organization, server }: LateMark): Promise<boolean> {
  if (await isDistributed(db)) await waitForLate(db, hour)
  const { numDeletedRows } = await db
    .deleteFrom('metric_late')
    .where('hour', '=', hour)
    .where('organization', '=', organization)
    .where('server', '=', server)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** When the oldest late sample came that is not where it belongs yet, ms; undefined when all are. */
export async function oldestMark(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('metric_late')
    .select((eb) => eb.fn.min<number | null>('marked_at').as('oldest'))
    .executeTakeFirstOrThrow()
  return row.oldest ?? undefined
}

/** The oldest hour since the epoch that has late samples which are not in it yet. */
export async function oldestLateHour(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('metric_late')
    .select((eb) => eb.fn.min<number | null>('hour').as('oldest'))
    .executeTakeFirstOrThrow()
  return row.oldest ?? undefined
}

/** How many hours of servers have late samples that are not in them yet. */
export async function countMarks(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('metric_late')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
