import { type Expression, sql, type SqlBool } from 'kysely'
import type { Db } from '../platform/db/index.ts'

/** How many of the newest pushes tell when the last one came: live data goes first, so the newest instant came last. */
export const NEWEST_PUSHES = 3

/**
 * Days of receipt from this one on to that of tomorrow, for clocks that disagree: without an end the partitions of all days to come
 * are opened for each server.
 */
export const receivedSince = (day: string) => sql<SqlBool>`received_day between ${day}::date and ${day}::date + 2`

/** By their places; without servers that sent nothing. */
export interface LastPushes {
  servers: number[]
  receivedAtMs: number[]
}

/** A statement that gives numbers of servers. */
export type Numbers = Expression<{ number: number }>

/**
 * When the last pushes of these servers of an organization came, where pushes lie on nodes: the coordinator tells the servers to the
 * node of the organization, which looks for their pushes.
 */
export async function readLastPushes(db: Db, organization: number, numbers: Numbers, sinceDay: string): Promise<LastPushes> {
  const { rows } = await sql<{ server: number; at: number }>`
    with given as materialized (${numbers})
    select given.number as server, max(newest.received_at) as at
    from given
    cross join lateral (
      select received_at from metric_push
      where organization = ${organization} and server = given.number and ${receivedSince(sinceDay)}
      order by t0 desc limit ${sql.lit(NEWEST_PUSHES)}
    ) as newest
    group by given.number`.execute(db)
  return { servers: rows.map(({ server }) => server), receivedAtMs: rows.map(({ at }) => at) }
}
