import { sql } from 'kysely'
import type { Db } from '../../../../platform/db/index.ts'
import { dayOf } from '../../../../platform/time/day.ts'
import type { CheckColumn } from '../../export/monitor-figures.ts'
import { IP_PROTOCOL } from '../../export/store.ts'

export interface KnownMonitor {
  number: number
  id: string
  name: string
  type: string
  url: string
  tags: string[]
  intervalSeconds: number
  createdAtMs: number
}

/** Monitors that are not deleted and were made until then, by number; with those that are paused. */
export function listKnownMonitors(db: Db, organization: number, createdUntil: Date): Promise<KnownMonitor[]> {
  return db
    .selectFrom('monitor')
    .select(['number', 'id', 'name', 'type', 'url', 'tags', 'interval_seconds as intervalSeconds'])
    .select(sql<number>`(extract(epoch from created_at) * 1000)::float8`.as('createdAtMs'))
    .where('organization', '=', organization)
    .where('deleted_at', 'is', null)
    .where('created_at', '<=', createdUntil)
    .orderBy('number')
    .execute()
}

/** The checks of monitors that started in (fromMs, toMs]; every monitor has a beginning of its own. */
export interface CheckSpan {
  organization: number
  monitors: readonly { number: number; fromMs: number }[]
  toMs: number
}

/** The checks of a monitor in a region, in order of time. */
export interface RegionColumns {
  monitor: number
  region: string
  columns: Map<CheckColumn, StoredColumn>
}

interface StoredColumn {
  /** How many are not null. */
  count: number
  /** As doubles, highest byte first, NaN where it is null; undefined where only the counts were asked for. */
  values: Buffer | undefined
}

const COLUMNS: Readonly<Record<CheckColumn, ReturnType<typeof sql>>> = {
  at: sql`c.at`,
  outcome: sql`c.outcome`,
  http_status: sql`c.status_code`,
  response_us: sql`c.response_us`,
  dns_us: sql`c.dns_us`,
  connect_us: sql`c.connect_us`,
  tls_us: sql`c.tls_us`,
  first_byte_us: sql`c.first_byte_us`,
  transfer_us: sql`c.transfer_us`,
  ip_protocol: IP_PROTOCOL,
  // Only of the newest check.
  certificate_expires_at: sql`case when s.last_checked_at = c.at then s.certificate_expires_at end`,
}

/** Of each monitor and region with a check, in one statement. */
export async function readCheckColumns(
  db: Db,
  span: CheckSpan,
  names: readonly CheckColumn[],
  withValues: boolean,
): Promise<RegionColumns[]> {
  const figures = names.flatMap((name) => [
    sql`count(${COLUMNS[name]})::float8 as ${sql.ref(countOf(name))}`,
    ...(withValues ? [sql`${doubles(COLUMNS[name])} as ${sql.ref(valuesOf(name))}`] : []),
  ])
  const schedule = names.includes('certificate_expires_at')
    ? sql`left join check_schedule as s on s.organization = c.organization and s.monitor = c.monitor and s.region = c.region`
    : sql``
  const { rows } = await sql<{ monitor: number; id: string } & Record<string, unknown>>`
    select given.monitor, region.id, found.*
    from ${givenMonitors(span)}
    cross join lateral (
      select c.region, ${sql.join(figures)} from check_result as c ${schedule} where ${isInSpan(span)} group by c.region
    ) as found
    join region on region.number = found.region
    order by given.monitor, region.id`.execute(db)
  return rows.map((row) => ({
    monitor: row.monitor,
    region: row.id,
    columns: new Map(
      names.map((name) => [name, { count: row[countOf(name)] as number, values: row[valuesOf(name)] as Buffer | undefined }]),
    ),
  }))
}

const countOf = (name: CheckColumn): string => `count_${name}`
const valuesOf = (name: CheckColumn): string => `values_${name}`

/** The numeric facts of a monitor in a region by name: when, and which value. */
export interface FactColumns {
  monitor: number
  region: string
  fact: string
  /** As doubles, highest byte first; empty where they were not asked for. */
  atMs: Buffer
  values: Buffer
}

/** One row for each monitor, region and fact, in one statement. */
export async function readFactColumns(db: Db, span: CheckSpan, withValues: boolean): Promise<FactColumns[]> {
  const value = sql`(fact.value #>> '{}')`
  const columns = withValues
    ? sql`${doubles(sql`c.at`)} as "atMs", ${doubles(value)} as values`
    : sql`''::bytea as "atMs", ''::bytea as values`
  const { rows } = await sql<FactColumns>`
    select given.monitor, region.id as region, found.fact, found."atMs", found.values
    from ${givenMonitors(span)}
    cross join lateral (
      select c.region, fact.key as fact, ${columns}
      from check_result as c cross join lateral jsonb_each(c.facts) as fact (key, value)
      where ${isInSpan(span)} and c.facts is not null and jsonb_typeof(fact.value) = 'number'
      group by c.region, fact.key
    ) as found
    join region on region.number = found.region
    order by given.monitor, region.id, found.fact`.execute(db)
  return rows
}

/** A column of a group in order of time, as doubles, highest byte first, NaN where it is null. */
export const doubles = (column: ReturnType<typeof sql>, at = sql`c.at`) =>
  sql`string_agg(float8send(coalesce(${column}::float8, 'NaN'::float8)), ''::bytea order by ${at})`

const givenMonitors = ({ monitors }: CheckSpan) =>
  sql`unnest(${monitors.map(({ number }) => number)}::int4[], ${monitors.map(({ fromMs }) => fromMs)}::int8[]) as given (monitor, from_ms)`

/** The days let Postgres skip the other partitions. */
function isInSpan({ organization, monitors, toMs }: CheckSpan) {
  const earliestMs = monitors.reduce((least, { fromMs }) => Math.min(least, fromMs), toMs)
  return sql`c.organization = ${organization} and c.monitor = given.monitor and c.at > given.from_ms and c.at <= ${toMs}::int8
    and c.day >= ${dayOf(earliestMs)}::date and c.day <= ${dayOf(toMs)}::date`
}
