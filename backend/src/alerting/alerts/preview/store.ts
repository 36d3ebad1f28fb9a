import type { AlertTargetType, HealthCode, MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { dayOf } from '../../../platform/time/day.ts'
import { FIGURE } from '../evaluation/check-store.ts'
import { coversComposites } from '../rules/rule.ts'

export interface PreviewTarget {
  id: string
  number: number
  name: string
  interval_seconds: number | null
  /** The first expiry of the certificates that its regions see, ms. */
  certificate_expires_at: number | null
}

interface RuleTargets {
  target_type: AlertTargetType
  target_id: string | null
  target_tag: string | null
  metric: string
}

/** The targets of a rule by name, at most `limit`. */
export async function listPreviewTargets(
  db: Db,
  organization: number,
  { target_type: type, target_id: id, target_tag: tag, metric }: RuleTargets,
  limit: number,
): Promise<PreviewTarget[]> {
  const isOne = id === null ? sql`true` : sql`t.id = ${id}`
  const isTagged = tag === null ? sql`true` : sql`t.tags @> array[${tag}]::text[]`
  const source = SOURCES[type]
  const isOfAll = coversComposites({ target_id: id, target_tag: tag, metric })
  const isCovered = type === 'server' || isOfAll ? sql`true` : sql`t.type <> 'composite'`
  const { rows } = await sql<PreviewTarget>`
    select t.id, t.number, ${source.columns} from ${source.table} as t
    where t.organization = ${organization} and ${isOne} and ${isTagged} and ${isCovered}
    order by name, t.id limit ${limit}`.execute(db)
  return rows
}

const SOURCES: Readonly<Record<AlertTargetType, { table: ReturnType<typeof sql>; columns: ReturnType<typeof sql> }>> = {
  monitor: {
    table: sql`(select * from monitor where deleted_at is null)`,
    columns: sql`t.name, t.interval_seconds, (
      select min(s.certificate_expires_at) from check_schedule as s where s.organization = t.organization and s.monitor = t.number
    ) as certificate_expires_at`,
  },
  server: {
    table: sql`server`,
    columns: sql`coalesce(t.display_name, t.hostname) as name, null::int as interval_seconds, null::bigint as certificate_expires_at`,
  },
}

export interface StatusRow {
  monitor: number
  status: MonitorStatus
  at_ms: number
  reason: string
}

/** The status of these monitors at the beginning, and each change since, oldest first. */
export async function readStatuses(
  db: Db,
  organization: number,
  monitors: readonly number[],
  from: Date,
  limit: number,
): Promise<StatusRow[]> {
  const { rows } = await sql<StatusRow>`
    select monitor, status, at_ms, reason from (
      select t.monitor, coalesce(first.from_status, t.status) as status, ${from.getTime()}::float8 as at_ms, '' as reason, null::uuid as id
      from monitor_status as t
      left join lateral (
        select from_status from monitor_transition as c
        where c.organization = t.organization and c.monitor = t.monitor and c.at >= ${from}
        order by c.at, c.id limit 1
      ) as first on true
      where t.organization = ${organization} and t.monitor = any(${monitors}::int[])
      union all
      select c.monitor, c.to_status, extract(epoch from c.at) * 1000, c.reason, c.id from monitor_transition as c
      where c.organization = ${organization} and c.monitor = any(${monitors}::int[]) and c.at >= ${from}
    ) as statuses
    order by monitor, at_ms, id nulls first limit ${limit}`.execute(db)
  return rows
}

export interface FigureStep {
  monitor: number
  step: number
  least: number
  greatest: number
  mean: number
}

/** A figure of the checks of monitors in steps since the epoch: `response_ms`, or a fact. */
export async function readFigureSteps(
  db: Db,
  organization: number,
  monitors: readonly number[],
  metric: string,
  fromMs: number,
  toMs: number,
  stepMs: number,
): Promise<FigureStep[]> {
  const { rows } = await sql<FigureStep>`
    select monitor, (at / ${stepMs}::bigint)::int as step, min(figure)::float8 as least, max(figure)::float8 as greatest,
      avg(figure)::float8 as mean
    from (select ${metric}::text as metric) as q cross join check_result as c cross join lateral (select ${FIGURE} as figure) as f
    where organization = ${organization} and monitor = any(${monitors}::int[]) and at >= ${fromMs} and at < ${toMs}
      and day between ${dayOf(fromMs)}::date and ${dayOf(toMs)}::date and outcome <> 3 and figure is not null
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

/** Of these servers those on which something is found now, and since when, ms. */
export async function readFound(
  db: Db,
  organization: number,
  ids: readonly string[],
  code: HealthCode,
): Promise<{ id: string; since_ms: number }[]> {
  const { rows } = await sql<{ id: string; since_ms: number }>`
    select server_id as id, min((finding ->> 'sinceMs')::bigint) as since_ms
    from server_health cross join jsonb_array_elements(findings) as finding
    where organization = ${organization} and server_id = any(${ids}::uuid[]) and finding ->> 'code' = ${code}
    group by server_id`.execute(db)
  return rows
}

export interface HealthEventRow {
  /** As in the API. */
  server_id: string
  at: Date
  /** What is found after the change, and what was found before. */
  codes: string[]
  former: string[]
}

/** The changes of the health of these servers since an instant, oldest first. `ids` are those of the API. */
export async function readHealthEvents(
  db: Db,
  organization: number,
  ids: readonly string[],
  from: Date,
  limit: number,
): Promise<HealthEventRow[]> {
  const codes = (path: string) => sql`array(select jsonb_path_query(data, ${path}::jsonpath) #>> '{}')`
  const { rows } = await sql<HealthEventRow & { began: string[]; ended: string[] }>`
    select data #>> '{server,id}' as server_id, at, ${codes('$.health.findings[*].code')} as codes,
      ${codes('$.began[*].code')} as began, ${codes('$.ended[*].code')} as ended
    from live_event
    where organization = ${organization} and type = 'server.health_changed' and at >= ${from}
      and data #>> '{server,id}' = any(${ids}::text[])
    order by at, id limit ${limit}`.execute(db)
  return rows.map(({ began, ended, ...row }) => ({ ...row, former: [...without(row.codes, began), ...ended] }))
}

/** One of the codes less for each that began. */
function without(codes: readonly string[], began: readonly string[]): string[] {
  const left = [...codes]
  for (const code of began) if (left.includes(code)) left.splice(left.indexOf(code), 1)
  return left
}
