import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { dayOf } from '../../../platform/time/day.ts'

/** Where a push is in the order of receipt. A server's pushes of one request, received at once, go by their time. */
export interface PushPlace {
  receivedAtMs: number
  t0Ms: number
  digest: string
  server: number
}

/** What an export has not sent is kept as it was pushed for this long after its receipt; the exports give it up some time before. */
export const UNSENT_KEPT_MS = 49 * HOUR_MS
export const GIVEN_UP_AFTER_MS = 48 * HOUR_MS

export interface ReceivedPush extends PushPlace {
  block: Buffer
}

/**
 * The first pushes of an organization after a place, received no later than an instant. A statement that stores pushes may commit
 * some seconds after their instant: who asks for those of less than ten seconds ago may miss some.
 */
export async function readReceived(
  db: Db,
  organization: number,
  after: PushPlace,
  untilMs: number,
  limit: number,
): Promise<ReceivedPush[]> {
  const { receivedAtMs, t0Ms, digest, server } = after
  const { rows } = await sql<{ received_at: number; t0: number; digest: string; server: number; data: Buffer }>`
    select received_at, t0, digest::text as digest, server, data from metric_push
    where organization = ${organization} and received_day between ${dayOf(receivedAtMs)}::date and ${dayOf(untilMs)}::date
      and received_at between ${receivedAtMs}::int8 and ${untilMs}::int8
      and (received_at, t0, metric_push.digest, server) > (${receivedAtMs}::int8, ${t0Ms}::int8, ${digest}::int8, ${server}::int4)
    order by received_at, t0, metric_push.digest, server limit ${limit}`.execute(db)
  return rows.map((row) => ({
    receivedAtMs: row.received_at,
    t0Ms: row.t0,
    digest: row.digest,
    server: row.server,
    block: row.data,
  }))
}

/** How many samples about an organization has of [from, to): by the share of each UTC day. Of a day that is not finished none. */
export async function countSamplesOfDays(
  db: Db,
  organization: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(round(sum(samples * (least((day + 1 - date '1970-01-01') * ${DAY_MS}::float8, ${toMs}::float8)
      - greatest((day - date '1970-01-01') * ${DAY_MS}::float8, ${fromMs}::float8)) / ${DAY_MS}::float8)), 0)::int8 as count from metric_samples
    where organization = ${organization} and day >= ${dayOf(fromMs)}::date and day <= ${dayOf(toMs)}::date`.execute(db)
  return rows[0]?.count ?? 0
}
