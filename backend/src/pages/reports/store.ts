import type { MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** A monitor of a report. */
export interface ReportedMonitor {
  id: string
  number: number
  name: string
  intervalSeconds: number
  regions: number
  /** A composite: it has no checks, and its time counts. */
  byTime: boolean
  created_at: Date
  status: MonitorStatus
}

export interface MonitorChoice {
  /** Null: all. */
  ids: readonly string[] | null
  /** The same; both are required. */
  among: readonly string[] | null
  /** All of these. */
  tags: readonly string[]
}

/** By name; deleted ones are absent. */
export async function listReported(
  db: Db,
  organization: number,
  { ids, among, tags }: MonitorChoice,
  limit: number,
): Promise<ReportedMonitor[]> {
  const { rows } = await sql<ReportedMonitor>`
    select m.id, m.number, m.name, m.interval_seconds as "intervalSeconds", cardinality(m.regions) as regions, m.created_at,
      m.type = 'composite' as "byTime", s.status
    from monitor as m join monitor_status as s on s.organization = m.organization and s.monitor = m.number
    where m.organization = ${organization} and m.deleted_at is null and m.tags @> ${tags}::text[]
      and (${ids}::uuid[] is null or m.id = any (${ids}::uuid[]))
      and (${among}::uuid[] is null or m.id = any (${among}::uuid[]))
    order by lower(m.name collate "und-x-icu"), m.id limit ${limit}`.execute(db)
  return rows
}

export interface ChangeRow {
  monitor: number
  at: Date
  from_status: MonitorStatus
  to_status: MonitorStatus
  reason: string
}

/** The changes of status in [from, to), the last one before and the first one after, in order. */
export async function listChanges(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<ChangeRow[]> {
  const [from, to] = [new Date(fromMs), new Date(toMs)]
  const changes = sql`select at, id, from_status, to_status, reason from monitor_transition
    where organization = ${organization} and monitor_transition.monitor = given.monitor`
  const { rows } = await sql<ChangeRow>`
    select given.monitor, at, from_status, to_status, reason
    from unnest(${monitors}::int[]) as given (monitor) cross join lateral (
      (${changes} and at < ${from} order by at desc, id desc limit 1)
      union all (${changes} and at >= ${from} and at < ${to})
      union all (${changes} and at >= ${to} order by at, id limit 1)
    ) as change
    order by given.monitor, at, id`.execute(db)
  return rows
}
