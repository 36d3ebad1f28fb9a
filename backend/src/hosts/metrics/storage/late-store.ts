import { type RawBuilder, sql } from 'kysely'
import { type Db, isDistributed, type Progress } from '../../../platform/db/index.ts'
import { given } from './given-store.ts'
import type { ServerKey } from './keys.ts'
import { waitForLate } from './late-lock-store.ts'

/** An hour of a server with late samples that are not in its row yet. */
export interface LateMark extends ServerKey {
  hour: number
}

/** A day of a server that has such hours. */
export interface LateDay extends ServerKey {
  day: number
}

/**
 * The oldest of such days that have compacted hours with late samples, after another one. Its marks are all before `beforeMs`, or one
 * is before `latestMs`.
 */
export async function listLateDays(
  db: Db,
  progress: Progress,
  { beforeMs, latestMs }: { beforeMs: number; latestMs: number },
  after: LateDay | undefined,
  limit: number,
): Promise<LateDay[]> {
  const last = after ?? { day: -1, organization: 0, server: 0 }
  const { rows } = await sql<LateDay>`
    select hour / 24 as day, organization, server from metric_late
    where hour <= ${progress.hour} and hour >= ${last.day * 24} and (hour / 24, organization, server) > (${last.day}, ${last.organization}, ${last.server})
    group by 1, 2, 3 having max(marked_at) <= ${beforeMs} or min(marked_at) <= ${latestMs}
    order by 1, 2, 3 limit ${limit}`.execute(db)
  return rows
}

/** Waits for transactions that add late samples to these hours. Returns the hours that still had a mark. */
export async function deleteLateMarks(db: Db, { day, organization, server }: LateDay, lastHour: number): Promise<number[]> {
  const ofDay = sql`organization = ${organization} and server = ${server}
    and hour >= ${day * 24} and hour < ${(day + 1) * 24} and hour <= ${lastHour}`
  const awaited = (await isDistributed(db)) ? sql` and hour = any (${await awaitedHours(db, ofDay)}::int4[])` : sql``
  return deleteInOrder(db, sql`select hour, organization, server from metric_late where ${ofDay}${awaited}`)
}

/** The same for an hour that is compacted now: it takes in what these servers sent so far. */
export async function deleteMarksOf(db: Db, servers: readonly ServerKey[], hour: number): Promise<void> {
  if (await isDistributed(db)) await waitForLate(db, hour)
  await deleteInOrder(
    db,
    sql`select hour, organization, server from metric_late where hour = ${hour}
      and (organization, server) in (select organization, server from ${given(servers)})`,
  )
}

/** In the order in which pushes lock them: neither waits for a mark that the other has while that one waits for another. */
async function deleteInOrder(db: Db, marks: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ hour: number }>`
    with locked as materialized (${marks} order by hour, organization, server for update)
    delete from metric_late using locked where metric_late.hour = locked.hour
      and metric_late.organization = locked.organization and metric_late.server = locked.server
    returning metric_late.hour`.execute(db)
  return rows.map(({ hour }) => hour).sort((one, other) => one - other)
}

async function awaitedHours(db: Db, ofDay: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ hour: number }>`select hour from metric_late where ${ofDay} order by hour`.execute(db)
  for (const { hour } of rows) await waitForLate(db, hour)
  return rows.map(({ hour }) => hour)
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
