import { sql } from 'kysely'
import type { Db } from '../../../../platform/db/index.ts'
import { dayOf } from '../../../../platform/time/day.ts'
import { doubles } from './monitors-store.ts'

export interface HeartbeatState {
  monitor: number
  lastPingAtMs: number | null
  /** Null while nothing is awaited. */
  expectedAtMs: number | null
  /** Since when it is awaited as it is now, or longer. */
  sinceMs: number
}

/** What is awaited of these heartbeats now. */
export async function listHeartbeatStates(db: Db, organization: number, monitors: readonly number[]): Promise<HeartbeatState[]> {
  const { rows } = await sql<HeartbeatState>`
    select h.monitor, h.last_ping_at as "lastPingAtMs",
      case when h.deadline_at is not null
        then h.expected_by - (m.options -> 'schedule' ->> 'grace_seconds')::int8 * 1000 end as "expectedAtMs",
      greatest(coalesce(s.last_checked_at, 0), extract(epoch from greatest(t.since, m.updated_at)) * 1000)::float8 as "sinceMs"
    from heartbeat as h
    join monitor as m on m.organization = h.organization and m.number = h.monitor and m.deleted_at is null
    join monitor_status as t on t.organization = h.organization and t.monitor = h.monitor
    left join check_schedule as s on s.organization = h.organization and s.monitor = h.monitor
    where h.organization = ${organization} and h.monitor = any(${monitors}::int4[])`.execute(db)
  return rows
}

export interface PingColumns {
  monitor: number
  /** As `doubles` writes them. */
  atMs: Buffer
  durationMs: Buffer
}

/**
 * The ends of runs in (fromMs, toMs] and the last one before, and the last one before whose duration is known, in one statement. One may
 * be there twice.
 */
export async function readPings(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<PingColumns[]> {
  // 0 is a success, 1 a failure.
  const isOwn = sql`organization = ${organization} and monitor = given.monitor and kind in (0, 1)`
  const isBefore = sql`at <= ${fromMs}::int8 and day <= ${dayOf(fromMs)}::date`
  const { rows } = await sql<PingColumns>`
    select given.monitor, ${doubles(sql`p.at`, sql`p.at`)} as "atMs", ${doubles(sql`p.duration_ms`, sql`p.at`)} as "durationMs"
    from unnest(${monitors}::int4[]) as given (monitor)
    cross join lateral (
      (select at, duration_ms from ping where ${isOwn} and ${isBefore} order by at desc limit 1)
      union all
      (select at, duration_ms from ping where ${isOwn} and ${isBefore} and duration_ms is not null order by at desc limit 1)
      union all
      select at, duration_ms from ping
      where ${isOwn} and at > ${fromMs}::int8 and at <= ${toMs}::int8
        and day >= ${dayOf(fromMs)}::date and day <= ${dayOf(toMs)}::date
    ) as p
    group by given.monitor`.execute(db)
  return rows
}
