import { type Expression, sql, type SqlBool } from 'kysely'
import type { Db } from '../platform/db/index.ts'

/** How many of the newest pushes to read for the last receipt time. Agents send live data first, so it is among them. */
export const NEWEST_PUSHES = 3

/**
 * Receipt days from this day to tomorrow, which allows for clock differences. Without an upper bound the planner opens the
 * partitions of all future days for each server.
 */
export const receivedSince = (day: string) => sql<SqlBool>`received_day between ${day}::date and ${day}::date + 2`

/** The last push of every server is stored so often, ms, and when it pushes again after a longer silence, within seconds. */
export const LAST_PUSH_STORED_EVERY_MS = 300_000

/**
 * Whether a server may have pushed since this instant although its stored last push is older. All others are left out where every
 * server of an organization is asked for: to find the pushes of one takes 13 µs.
 */
export const mayBeUnstored = (sinceMs: number) => {
  const fromMs = sinceMs - 2 * LAST_PUSH_STORED_EVERY_MS
  return sql<SqlBool>`(state.last_push_ms > ${fromMs}::bigint or server.registered_at > ${new Date(fromMs)}::timestamptz)`
}

/** Parallel arrays, without servers that sent nothing. */
export interface LastPushes {
  servers: number[]
  receivedAtMs: number[]
}

/** A query that returns server numbers. */
export type Numbers = Expression<{ number: number }>

/**
 * The receipt times of the last pushes of these servers, for a distributed database: the coordinator passes the server numbers to
 * the node of the organization, which reads their pushes.
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
