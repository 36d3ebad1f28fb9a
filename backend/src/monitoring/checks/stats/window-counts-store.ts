import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { sql } from 'kysely'
import type { MaintenanceSpan } from '../../../alerting/alerts/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { DEGRADED, DOWN, INCONCLUSIVE } from '../results/outcome-code.ts'
import { type CheckQuery, dayOf, windowParts } from './store.ts'
import type { Span, Window, WindowPlan } from './window-plan.ts'

interface SummedCounts {
  monitor: number
  /** Conclusive checks, and those of them that were down or degraded. */
  checks: number
  failed: number
  degraded: number
  /** Of the days before `exactDay`. */
  inconclusive: number
  maintenanceChecks: number
  maintenanceFailed: number
}

/** Counts of each monitor over a window, from one snapshot; monitors without checks are absent. */
export async function sumWindow(db: Db, query: CheckQuery, plan: WindowPlan, exactMs: number): Promise<SummedCounts[]> {
  const early = (column: string) => sql`case when day < ${dayOf(exactMs)} then ${sql.ref(column)} else 0 end`
  const { rows } = await sql<SummedCounts>`
    with ${windowParts(query, plan)}
    select monitor, sum(checks)::float8 as checks, sum(failed)::float8 as failed, sum(degraded)::float8 as degraded,
      sum(inconclusive)::float8 as inconclusive, sum(maintenance_checks)::float8 as "maintenanceChecks",
      sum(maintenance_failed)::float8 as "maintenanceFailed"
    from (
      select monitor, checks, failed, degraded, ${early('inconclusive')} as inconclusive,
        ${early('maintenance_checks')} as maintenance_checks, ${early('maintenance_failed')} as maintenance_failed from days
      union all select monitor, checks, failed, degraded, 0, 0, 0 from hours
      union all select monitor, 1, (outcome = ${sql.lit(DOWN)})::int, (outcome = ${sql.lit(DEGRADED)})::int, 0, 0, 0 from checks
    ) as part
    group by monitor`.execute(db)
  return rows
}

/** Single checks of each monitor that were inconclusive. */
export async function countInconclusive(
  db: Db,
  { organization, monitors }: CheckQuery,
  { fromMs, toMs }: Window,
): Promise<{ monitor: number; count: number }[]> {
  const { rows } = await sql<{ monitor: number; count: number }>`
    select monitor, count(*)::int as count from check_result
    where organization = ${organization} and monitor = any (${monitors}::int[]) and outcome = ${sql.lit(INCONCLUSIVE)}
      and at >= ${fromMs} and at < ${toMs} and day >= ${dayOf(fromMs)} and day <= ${dayOf(toMs)}
    group by monitor`.execute(db)
  return rows
}

interface MaintenanceCounts {
  monitor: number
  region: number
  checks: number
  failed: number
  /** With a response in less than the threshold. */
  fast: number
}

/** Conclusive single checks within these spans, by monitor and region. */
export async function countInMaintenance(
  db: Db,
  organization: number,
  spans: ReadonlyMap<number, readonly MaintenanceSpan[]>,
  thresholdUs = 0,
): Promise<MaintenanceCounts[]> {
  const rows = [...spans].flatMap(([monitor, own]) => own.map((span) => ({ monitor, ...span })))
  if (rows.length === 0) return []
  const [fromMs, toMs] = [Math.min(...rows.map((row) => row.fromMs)), Math.max(...rows.map((row) => row.toMs))]
  const { rows: counts } = await sql<MaintenanceCounts>`
    select found.monitor, region, count(*)::int as checks, count(*) filter (where outcome = ${sql.lit(DOWN)})::int as failed,
      count(*) filter (where response_us < ${thresholdUs}::bigint)::int as fast
    from unnest(${rows.map(({ monitor }) => monitor)}::int[], ${rows.map((row) => row.fromMs)}::bigint[],
      ${rows.map((row) => row.toMs)}::bigint[]) as span (monitor, from_ms, to_ms)
    join check_result as found on found.organization = ${organization} and found.monitor = span.monitor
      and at >= span.from_ms and at < span.to_ms and outcome <> ${sql.lit(INCONCLUSIVE)}
      and day >= ${dayOf(fromMs)} and day <= ${dayOf(toMs)}
    group by found.monitor, region`.execute(db)
  return counts
}

/** UTC days before `exactMs`, and from then on hours, in which monitors had a conclusive check: in units since the epoch. */
export async function listCovered(
  db: Db,
  { organization, monitors }: CheckQuery,
  { fromMs, toMs }: Window,
  exactMs: number,
): Promise<{ monitor: number; days: number[]; hours: number[] }[]> {
  const isMonitor = sql`organization = ${organization} and monitor = any (${monitors}::int[])`
  const start = Math.max(fromMs, exactMs)
  const inDays = sql`day >= ${dayOf(start)} and day <= ${dayOf(toMs)}`
  const { rows } = await sql<{ monitor: number; days: number[]; hours: number[] }>`
    select monitor, coalesce(array_agg(distinct day) filter (where day is not null), '{}') as days,
      coalesce(array_agg(distinct hour) filter (where hour is not null), '{}') as hours
    from (
      select monitor, day - date '1970-01-01' as day, null::int as hour from check_day
        where ${isMonitor} and day >= ${dayOf(fromMs)} and day < ${dayOf(exactMs)}
      union all select monitor, null, hour from check_hour
        where ${isMonitor} and ${inDays} and hour >= ${Math.floor(start / HOUR_MS)} and hour < ${Math.ceil(toMs / HOUR_MS)}
      union all select monitor, null, hour from check_hour_stale
        where ${isMonitor} and hour >= ${Math.floor(start / HOUR_MS)} and hour < ${Math.ceil(toMs / HOUR_MS)}
      -- Hours that are not compacted yet.
      union all select monitor, null, (at / ${sql.lit(HOUR_MS)})::int from check_result
        where ${isMonitor} and outcome <> ${sql.lit(INCONCLUSIVE)}
          and at >= greatest(${start}::bigint, ((select done from check_progress where name = 'hour') + 1) * ${sql.lit(HOUR_MS)}::bigint)
          and at < ${toMs} and ${inDays}
    ) as unit
    group by monitor`.execute(db)
  return rows
}

/** Counts of a group of monitors on a UTC day that is compacted. */
export interface GroupDay {
  group: number
  /** Days since the epoch. */
  day: number
  /** Conclusive checks outside maintenance, and those of them that were not down. */
  total: number
  good: number
}

/** Days in [from, to); a monitor may be in several groups. */
export async function sumGroupDays(
  db: Db,
  organization: number,
  members: readonly { group: number; monitor: number }[],
  { from, to }: Span,
): Promise<GroupDay[]> {
  const numbers = members.map(({ monitor }) => monitor)
  // Of an interval that is left out, what windows did not; of one that counts, what they did.
  const change = (name: 'checks' | 'failed') => {
    const [all, quiet] = [sql.ref(`d.${name}`), sql.ref(`d.maintenance_${name}`)]
    return sql`sum(case when r.counts_as = 'counted' then 0 else ${all} end - ${quiet})::int`
  }
  const { rows } = await sql<GroupDay>`
    with said as materialized (
      select r.monitor, d.day, d.region, ${change('checks')} as checks, ${change('failed')} as failed
      from reclassification as r
      join reclassified_day as d on d.organization = r.organization and d.reclassification = r.id
      where r.organization = ${organization} and r.monitor = any(${numbers}::int[])
        and d.day >= ${dayOf(from * DAY_MS)} and d.day < ${dayOf(to * DAY_MS)}
      group by r.monitor, d.day, d.region
    ), counted as (
      select given.number as group, check_day.day, check_day.checks - maintenance_checks - coalesce(said.checks, 0) as checks,
        check_day.failed - maintenance_failed - coalesce(said.failed, 0) as failed
      from ${groupsOf(members)} ${daysOf(organization, { from, to })}
      left join said on said.monitor = check_day.monitor and said.day = check_day.day and said.region = check_day.region
    )
    select counted.group, (day - date '1970-01-01') as day, sum(checks)::float8 as total, sum(checks - failed)::float8 as good
    from counted group by counted.group, day`.execute(db)
  return rows
}

/** The sketches of the same days, with all conclusive checks, which include those in maintenance; without days that are left out whole. */
export async function listGroupSketches(
  db: Db,
  organization: number,
  members: readonly { group: number; monitor: number }[],
  { from, to }: Span,
): Promise<{ group: number; day: number; checks: number; sketch: Buffer }[]> {
  const { rows } = await sql<{ group: number; day: number; checks: number; sketch: Buffer }>`
    with left_out as materialized (
      select monitor, from_at, to_at from reclassification
      where organization = ${organization} and monitor = any(${members.map(({ monitor }) => monitor)}::int[]) and counts_as <> 'counted'
    )
    select given.number as group, (day - date '1970-01-01') as day, checks, sketch
    from ${groupsOf(members)} ${daysOf(organization, { from, to })}
    where not exists (
      select from left_out where left_out.monitor = check_day.monitor
        and from_at <= day::timestamp at time zone 'UTC' and to_at >= (day + 1)::timestamp at time zone 'UTC'
    )`.execute(db)
  return rows
}

const groupsOf = (members: readonly { group: number; monitor: number }[]) =>
  sql`unnest(${members.map(({ group }) => group)}::int4[], ${members.map(({ monitor }) => monitor)}::int4[]) as given (number, monitor)`

const daysOf = (organization: number, { from, to }: Span) =>
  sql`join check_day on check_day.organization = ${organization} and check_day.monitor = given.monitor
    and check_day.day >= ${dayOf(from * DAY_MS)} and check_day.day < ${dayOf(to * DAY_MS)}`
