import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { DEGRADED, DOWN, INCONCLUSIVE } from '../results/outcome-code.ts'
import { type WindowPlan, type Span, type Window } from './window-plan.ts'
import type { Counts } from './counts.ts'

/** Selects the checks to read. */
export interface CheckQuery {
  organization: number
  /** Surrogates. */
  monitors: readonly number[]
  /** Only this region. */
  region?: number | undefined
}

/** Rows of a window: compacted hours and days, and single checks. */
export interface StatsRow {
  kind: 'day' | 'hour' | 'check'
  monitor: number
  region: number
  /** Start of the day or hour, or the instant of the check, ms. */
  atMs: number
  checks: number
  failed: number
  answered: number
  responseSumUs: number
  /** Of a single check: 0 up, 1 degraded, 2 down. */
  outcome: number
  responseUs: number | null
  /** The sketch of a day or the block of an hour; null for a single check. */
  data: Buffer | null
}

const HOURS_A_DAY = DAY_MS / HOUR_MS

/** The rows of a window, from one snapshot, unordered. */
export function readStatsRows(db: Db, query: CheckQuery, cut: WindowPlan): Promise<StatsRow[]> {
  return readWithStale(async (withStale) => {
    const rows = await readRows(db, query, cut, withStale)
    const pieces = rows.filter((row): row is StatsRow => row.kind !== 'stale')
    return { isWhole: pieces.length === rows.length, result: pieces }
  })
}

/**
 * Late checks are rare, and searching every partition of the window for them doubles the cost. So the first statement leaves them
 * out and reports whether there are any.
 */
export async function readWithStale<T>(read: (withStale: boolean) => Promise<{ isWhole: boolean; result: T }>): Promise<T> {
  const first = await read(false)
  return first.isWhole ? first.result : (await read(true)).result
}

async function readRows(
  db: Db,
  query: CheckQuery,
  cut: WindowPlan,
  withStale: boolean,
): Promise<(StatsRow | (Omit<StatsRow, 'kind'> & { kind: 'stale' }))[]> {
  const { rows } = await sql<StatsRow>`
    with ${windowParts(query, cut, withStale)}
    select 'day' as kind, monitor, region, (day - date '1970-01-01')::bigint * ${sql.lit(DAY_MS)} as "atMs", checks, failed, answered,
      response_sum_us as "responseSumUs", 0 as outcome, null::int as "responseUs", sketch as data from days
    union all
    select 'hour', monitor, region, hour::bigint * ${sql.lit(HOUR_MS)}, checks, failed, answered, response_sum_us, 0, null, data from hours
    union all
    select 'check', monitor, region, at, 1, 0, 0, 0, outcome, response_us, null from checks
    ${withStale ? sql`` : sql`union all (select 'stale', 0, 0::smallint, 0, 0, 0, 0, 0, 0, null, null from stale limit 1)`}`.execute(
    db,
  )
  return rows
}

/** Counts of each monitor over a window, from one snapshot; monitors without checks are absent. */
export async function sumCounts(db: Db, query: CheckQuery, cut: WindowPlan): Promise<Map<number, Counts>> {
  const { rows } = await sql<Counts & { monitor: number; responseSumUs: string }>`
    with ${windowParts(query, cut)}
    select monitor, sum(checks)::bigint as checks, sum(failed)::bigint as failed, sum(answered)::bigint as answered,
      sum(response_sum_us)::bigint as "responseSumUs"
    from (
      select monitor, checks, failed, answered, response_sum_us from days
      union all select monitor, checks, failed, answered, response_sum_us from hours
      union all select monitor, 1, (outcome = ${sql.lit(DOWN)})::int, (response_us is not null)::int, coalesce(response_us, 0)
        from checks
    ) as part
    group by monitor`.execute(db)
  return new Map(rows.map(({ monitor, ...counts }) => [monitor, counts]))
}

/** Counts per monitor and hour since the epoch, for a plan without days. */
export async function sumHours(
  db: Db,
  query: CheckQuery,
  cut: WindowPlan,
): Promise<(Counts & { monitor: number; hour: number })[]> {
  const { rows } = await sql<Counts & { monitor: number; hour: number; responseSumUs: string }>`
    with ${windowParts(query, cut)}
    select monitor, hour, sum(checks)::bigint as checks, sum(failed)::bigint as failed, sum(answered)::bigint as answered,
      sum(response_sum_us)::bigint as "responseSumUs"
    from (
      select monitor, hour, checks, failed, answered, response_sum_us from hours
      union all select monitor, (at / ${sql.lit(HOUR_MS)})::int, 1, (outcome = ${sql.lit(DOWN)})::int,
        (response_us is not null)::int, coalesce(response_us, 0) from checks
    ) as part
    group by monitor, hour`.execute(db)
  return rows
}

/** Counts of a monitor and region over an hour or a UTC day. */
export interface UnitSums extends Counts {
  monitor: number
  region: number
  /** Hours or days since the epoch. */
  unit: number
  degraded: number
}

/** Counts by units of this length; days are read only for days. */
export async function sumUnits(db: Db, query: CheckQuery, cut: WindowPlan, unitMs: number): Promise<UnitSums[]> {
  const length = sql.lit(unitMs)
  const { rows } = await sql<UnitSums>`
    with ${windowParts(query, cut)}
    select monitor, region, unit, sum(checks)::float8 as checks, sum(failed)::float8 as failed, sum(degraded)::float8 as degraded,
      sum(answered)::float8 as answered, sum(response_sum_us)::float8 as "responseSumUs"
    from (
      select monitor, region, day - date '1970-01-01' as unit, checks, failed, degraded, answered, response_sum_us from days
      union all
      select monitor, region, (hour::bigint * ${sql.lit(HOUR_MS)} / ${length})::int, checks, failed, degraded, answered, response_sum_us
        from hours
      union all
      select monitor, region, (at / ${length})::int, 1, (outcome = ${sql.lit(DOWN)})::int, (outcome = ${sql.lit(DEGRADED)})::int,
        (response_us is not null)::int, coalesce(response_us, 0) from checks
    ) as part
    group by monitor, region, unit
    order by monitor, region, unit`.execute(db)
  return rows
}

/**
 * Common table expressions `days`, `hours` and `checks` of the window, and `stale`. Hours and days that received a late check
 * after compaction are read from their single checks: the statement sees both the mark and the check, or neither.
 */
export function windowParts(query: CheckQuery, cut: WindowPlan, withStale = true): RawBuilder<unknown> {
  const whole = compactedSpan(cut)
  const checks = [...cut.raw.map((window) => checksIn(query, window)), ...(withStale ? [staleChecks(query, whole)] : [])]
  if (checks.length === 0) checks.push(sql`select monitor, region, at, outcome, response_us from check_result where false`)
  const hours = cut.hours.map((span) => hoursIn(query, span))
  return sql`
    stale as (
      select distinct monitor, is_day, case when is_day then hour - hour % ${sql.lit(HOURS_A_DAY)} else hour end as start
      from (
        select monitor, hour, hour >= ${cut.days.from * HOURS_A_DAY} and hour < ${cut.days.to * HOURS_A_DAY} as is_day
        from check_hour_stale
        where ${isMonitor(query)} and hour >= ${whole.from} and hour < ${whole.to}
      ) as mark
    ),
    days as not materialized (
      select * from check_day as part
      where ${isMonitor(query)} and ${isRegion(query)} and day >= ${dayOf(cut.days.from * DAY_MS)} and day < ${dayOf(cut.days.to * DAY_MS)}
        and not exists (select from stale where is_day and stale.monitor = part.monitor
          and start = (part.day - date '1970-01-01') * ${sql.lit(HOURS_A_DAY)})
    ),
    hours as (${hours.length === 0 ? sql`select * from check_hour where false` : sql.join(hours, sql` union all `)}),
    checks as (${sql.join(checks, sql` union all `)})`
}

/** From the first to the last compacted hour of the window. */
function compactedSpan({ days, hours }: WindowPlan): Span {
  const spans = [...hours, { from: days.from * HOURS_A_DAY, to: days.to * HOURS_A_DAY }].filter(({ from, to }) => from < to)
  if (spans.length === 0) return { from: 0, to: 0 }
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) }
}

const isMonitor = ({ organization, monitors }: CheckQuery) =>
  sql`organization = ${organization} and monitor = any (${monitors}::int[])`
const isRegion = ({ region }: CheckQuery) => (region === undefined ? sql`true` : sql`region = ${region}`)
/** The UTC day, so that Postgres skips the other partitions. */
export const dayOf = (ms: number) => sql`${new Date(ms).toISOString().slice(0, 10)}::date`

function checksIn(query: CheckQuery, { fromMs, toMs }: Window): RawBuilder<unknown> {
  return sql`select monitor, region, at, outcome, response_us from check_result
    where ${isMonitor(query)} and ${isRegion(query)} and outcome <> ${sql.lit(INCONCLUSIVE)}
      and at >= ${fromMs} and at < ${toMs} and day >= ${dayOf(fromMs)} and day <= ${dayOf(toMs)}`
}

function hoursIn(query: CheckQuery, { from, to }: Span): RawBuilder<unknown> {
  return sql`select * from check_hour as part
    where ${isMonitor(query)} and ${isRegion(query)} and hour >= ${from} and hour < ${to}
      and day >= ${dayOf(from * HOUR_MS)} and day <= ${dayOf(to * HOUR_MS)}
      and not exists (select from stale where not is_day and stale.monitor = part.monitor and start = part.hour)`
}

function staleChecks(query: CheckQuery, { from, to }: Span): RawBuilder<unknown> {
  return sql`select found.* from stale cross join lateral (
      select monitor, region, at, outcome, response_us from check_result
      where organization = ${query.organization} and check_result.monitor = stale.monitor and ${isRegion(query)}
        and outcome <> ${sql.lit(INCONCLUSIVE)}
        and at >= start::bigint * ${sql.lit(HOUR_MS)}
        and at < (start + case when is_day then ${sql.lit(HOURS_A_DAY)} else 1 end)::bigint * ${sql.lit(HOUR_MS)}
        and day >= ${dayOf(from * HOUR_MS)} and day <= ${dayOf(to * HOUR_MS)}
    ) as found`
}
