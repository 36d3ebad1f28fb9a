import { type AlertTargetType, type Dependency, UNWATCHED_STATUSES } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, literals } from '../../../platform/db/index.ts'
import { MAX_WAIT_MS, REPEAT_SECONDS } from './suppression-rules.ts'

/** What decides whether somebody is notified of an incident of this target. */
export interface Subject {
  type: AlertTargetType
  id: string
  number: number
  tags: string[]
  depends_on: Dependency[]
  /** The server that a monitor runs on; a server itself. */
  host_id: string | null
  host_name: string | null
  host_tags: string[] | null
  /** Of a monitor: the time from one check to the end of the next. */
  interval_ms: number | null
}

/** Of the monitor `m`: the time from one check to the end of the next. No check follows the missed ping of a heartbeat. */
export const RECHECK_MS = sql`least((m.interval_seconds + m.timeout_seconds) * 1000::float8,
  case when m.type = 'heartbeat' then ${MAX_WAIT_MS}::float8 end)`

/** The monitors and servers among these that are there. */
export async function readSubjects(db: Db, organization: number, ids: readonly string[]): Promise<Subject[]> {
  const { rows } = await sql<Subject>`
    select 'monitor' as type, m.id, m.number, m.tags, m.depends_on, s.id as host_id, coalesce(s.display_name, s.hostname) as host_name,
      s.tags as host_tags, ${RECHECK_MS} as interval_ms
    from monitor as m left join server as s on s.organization = m.organization and s.id = m.server_id
    where m.organization = ${organization} and m.id = any(${ids}::uuid[]) and m.deleted_at is null
    union all
    select 'server', id, number, tags, depends_on, id, coalesce(display_name, hostname), tags, null from server
    where organization = ${organization} and id = any(${ids}::uuid[])`.execute(db)
  return rows
}

export async function listMonitorIds(db: Db, organization: number, numbers: readonly number[]): Promise<string[]> {
  if (numbers.length === 0) return []
  const rows = await db
    .selectFrom('monitor')
    .select('id')
    .where('organization', '=', organization)
    .where('number', 'in', numbers)
    .execute()
  return rows.map(({ id }) => id)
}

/** How long after an incident its notification waits for the check of a parent. */
export interface ParentWait {
  wait_ms: number
  /** A check of the parent is under way, or one has failed and is not confirmed: */
  is_undecided: boolean
  /** the notification then waits until that has ended, at most this long. */
  longest_ms: number
}

/** The waits for what is named here and is there, by its position. Of a tag they are the longest of all that have it. */
export async function readWaits(
  db: Db,
  organization: number,
  named: readonly Dependency[],
  { nowMs, offlineMs }: { nowMs: number; offlineMs: number },
): Promise<Map<number, ParentWait>> {
  if (named.length === 0) return new Map()
  const longest = sql`(m.interval_seconds + m.confirmations * (m.timeout_seconds + ${REPEAT_SECONDS}::int)) * 1000::float8`
  const { rows } = await sql<ParentWait & { n: number }>`
    with named as materialized (
      select * from unnest(${named.map(({ type }) => type)}::text[], ${named.map(({ id }) => id ?? null)}::uuid[],
        ${named.map(({ tag }) => tag ?? null)}::text[]) with ordinality as named (type, id, tag, n)
    )
    select named.n::int4, m.interval_seconds * 1000::float8 as wait_ms, ${longest} as longest_ms, exists (
        select from check_schedule as s where s.organization = ${organization} and s.monitor = m.number
          and (s.due_at <= ${nowMs}::bigint or s.due_at is not null and s.failures > 0 and s.state is distinct from 'down')
      ) as is_undecided
    from named join monitor as m on m.organization = ${organization} and m.id = named.id
    join monitor_status as t on t.organization = ${organization} and t.monitor = m.number and t.status not in (${literals(UNWATCHED_STATUSES)})
    where named.type = 'monitor'
    union all
    select named.n::int4, max(${longest}), max(${longest}), false
    from named join monitor as m on m.organization = ${organization} and m.tags @> array[named.tag]
    join monitor_status as t on t.organization = ${organization} and t.monitor = m.number and t.status not in (${literals(UNWATCHED_STATUSES)})
    where named.type = 'monitor' and named.tag is not null group by named.n
    union all
    select named.n::int4, ${offlineMs}::float8, ${offlineMs}::float8, false from named
    where named.type = 'server' and exists (
      select from server as s where s.organization = ${organization} and (s.id = named.id or s.tags @> array[named.tag])
    )`.execute(db)
  return new Map(rows.map(({ n, ...wait }) => [n - 1, wait]))
}

/** The last checks of a monitor, ms; null where there is none. */
export interface LastChecks {
  /** The oldest of the last conclusive checks of all regions. */
  checked_ms: number | null
  /** The same of the regions that are not up. */
  failing_checked_ms: number | null
  /** Whether the last check of one of those failed. */
  is_failing: boolean | null
}

export async function readLastChecks(
  db: Db,
  organization: number,
  monitors: readonly number[],
): Promise<Map<number, LastChecks>> {
  if (monitors.length === 0) return new Map()
  const { rows } = await sql<LastChecks & { monitor: number }>`
    select monitor, min(coalesce(last_conclusive_at, 0)) as checked_ms,
      min(coalesce(last_conclusive_at, 0)) filter (where state is distinct from 'up') as failing_checked_ms,
      bool_or(successes = 0) filter (where state is distinct from 'up') as is_failing
    from check_schedule where organization = ${organization} and monitor = any(${monitors}::int[]) and due_at is not null
    group by monitor`.execute(db)
  return new Map(rows.map(({ monitor, ...checks }) => [monitor, checks]))
}
