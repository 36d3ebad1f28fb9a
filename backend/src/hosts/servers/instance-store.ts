import { sql } from 'kysely'
import { MAX_SILENCE_MS } from './presence.ts'
import type { Db } from '../../platform/db/index.ts'

/** When any instance was last alive; undefined before the very first start. */
export async function findLastAlive(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('instance')
    .select((eb) => eb.fn.max('alive_at').as('alive_at'))
    .executeTakeFirst()
  return row?.alive_at ?? undefined
}

const MAX_SILENCE_SECONDS = MAX_SILENCE_MS / 1_000

/**
 * Since when an instance accepts pushes without interruption, by its heartbeats. A start and a database outage reset it.
 * Undefined while no instance is alive; one that was stopped is not.
 */
export async function findUpSince(db: Db, at: Date): Promise<Date | undefined> {
  const row = await db
    .selectFrom('instance')
    .select((eb) => eb.fn.min<Date | null>('started_at').as('since'))
    .where('stopped_at', 'is', null)
    .where('alive_at', '>', sql<Date>`${at}::timestamptz - make_interval(secs => ${MAX_SILENCE_SECONDS})`)
    .executeTakeFirst()
  return row?.since ?? undefined
}

/** Deletes instances without a heartbeat for a week: the stories of incidents name starts and ends. */
export async function deleteGoneInstances(db: Db, at: Date): Promise<void> {
  await db.deleteFrom('instance').where('alive_at', '<', sql<Date>`${at}::timestamptz - interval '7 days'`).execute()
}

/** Records that this instance was alive until now, and has stopped. */
export async function markStopped(db: Db, id: string, at: Date): Promise<void> {
  await db.updateTable('instance').set({ alive_at: at, stopped_at: at }).where('id', '=', id).execute()
}

/** Records that this instance is alive. */
export async function markAlive(db: Db, instance: { id: string; startedAt: Date; version?: string }, at: Date): Promise<void> {
  await db
    .insertInto('instance')
    .values({
      id: instance.id,
      started_at: instance.startedAt,
      alive_at: at,
      stopped_at: null,
      ...(instance.version !== undefined && { version: instance.version }),
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        alive_at: at,
        started_at: sql<Date>`case when instance.alive_at < ${at}::timestamptz - make_interval(secs => ${MAX_SILENCE_SECONDS})
          then ${at}::timestamptz else instance.started_at end`,
      }),
    )
    .execute()
}
