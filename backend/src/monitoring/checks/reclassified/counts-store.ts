import { DAY_MS } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { dayOf } from '../../../platform/time/day.ts'
import { DEGRADED, DOWN, INCONCLUSIVE } from '../results/outcome-code.ts'
import type { Reclassified } from './exclusions.ts'

/** [from, to) in days since the epoch. */
export interface Days {
  from: number
  to: number
}

/** Steps into which counts are divided. */
export interface Steps {
  /** Start of step 0, ms. */
  fromMs: number
  stepMs: number
}

/** Conclusive checks of an interval in one region and step. */
export interface IntervalCounts {
  id: string
  region: number
  step: number
  checks: number
  failed: number
  degraded: number
  /** With a response in less than the threshold; null where single checks are gone. */
  fast: number | null
  /** Of `checks` and `failed`, those in maintenance windows, where single checks are gone; else 0. */
  maintenanceChecks: number
  maintenanceFailed: number
}

const unnestIntervals = (intervals: readonly Reclassified[]) => sql`unnest(
    ${intervals.map(({ id }) => id)}::uuid[], ${intervals.map(({ monitor }) => monitor)}::int[],
    ${intervals.map(({ fromMs }) => fromMs)}::bigint[], ${intervals.map(({ toMs }) => toMs)}::bigint[]
  ) as interval (id, monitor, from_ms, to_ms)`

const outcomes = (name: number) => sql`count(*) filter (where outcome = ${sql.lit(name)})::int`

/** Of single checks. */
export async function countInIntervals(
  db: Db,
  organization: number,
  intervals: readonly Reclassified[],
  thresholdUs: number,
  { fromMs, stepMs }: Steps,
): Promise<IntervalCounts[]> {
  const first = Math.min(...intervals.map((one) => one.fromMs))
  const last = Math.max(...intervals.map((one) => one.toMs))
  const { rows } = await sql<IntervalCounts>`
    select interval.id, region, floor((at - ${fromMs}::bigint)::float8 / ${stepMs}::bigint)::int as step, count(*)::int as checks,
      ${outcomes(DOWN)} as failed, ${outcomes(DEGRADED)} as degraded,
      count(*) filter (where response_us < ${thresholdUs}::bigint)::int as fast,
      0 as "maintenanceChecks", 0 as "maintenanceFailed"
    from ${unnestIntervals(intervals)}
    join check_result as found on found.organization = ${organization} and found.monitor = interval.monitor
      and at >= interval.from_ms and at < interval.to_ms and outcome <> ${sql.lit(INCONCLUSIVE)}
      and day >= ${dayOf(first)}::date and day <= ${dayOf(last)}::date
    group by 1, 2, 3`.execute(db)
  return rows
}

/** Of compacted UTC days in [from, to). */
export async function sumIntervalDays(
  db: Db,
  organization: number,
  intervals: readonly Pick<Reclassified, 'id'>[],
  { from, to }: Days,
  { fromMs, stepMs }: Steps,
): Promise<IntervalCounts[]> {
  const { rows } = await sql<IntervalCounts>`
    select reclassification as id, region,
      floor(((day - date '1970-01-01')::float8 * ${sql.lit(DAY_MS)} - ${fromMs}::bigint) / ${stepMs}::bigint)::int as step,
      checks, failed, degraded, null::int as fast,
      maintenance_checks as "maintenanceChecks", maintenance_failed as "maintenanceFailed"
    from reclassified_day
    where organization = ${organization} and reclassification = any(${intervals.map(({ id }) => id)}::uuid[])
      and day >= ${dayOf(from * DAY_MS)}::date and day < ${dayOf(to * DAY_MS)}::date`.execute(db)
  return rows
}

/** The intervals of these monitors that overlap [from, to), ms; they are not taken back before the transaction ends. */
export async function lockReclassified(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<Reclassified[]> {
  if (monitors.length === 0) return []
  const rows = await db
    .selectFrom('reclassification')
    .select(['id', 'monitor', 'counts_as', 'from_at', 'to_at'])
    .where('organization', '=', organization)
    .where('monitor', '=', sql<number>`any(${monitors}::int[])`)
    .where('from_at', '<', new Date(toMs))
    .where('to_at', '>', new Date(fromMs))
    .forKeyShare()
    .execute()
  return rows.map(({ id, monitor, counts_as: as, from_at: from, to_at: to }) => {
    return { id, monitor, as, fromMs: from.getTime(), toMs: to.getTime() }
  })
}

/** The counts of an interval on a UTC day, in days since the epoch. */
export interface IntervalDay {
  id: string
  region: number
  day: number
  checks: number
  failed: number
  degraded: number
  maintenanceChecks: number
  maintenanceFailed: number
}

/** Of whole UTC days in [from, to), whose single checks may be gone. */
export async function readWholeDays(
  db: Db,
  organization: number,
  { id, monitor }: Pick<Reclassified, 'id' | 'monitor'>,
  { from, to }: Days,
): Promise<IntervalDay[]> {
  const { rows } = await sql<IntervalDay>`
    select ${id}::uuid as id, region, (day - date '1970-01-01') as day, checks, failed, degraded,
      maintenance_checks as "maintenanceChecks", maintenance_failed as "maintenanceFailed"
    from check_day
    where organization = ${organization} and monitor = ${monitor} and day >= ${dayOf(from * DAY_MS)}::date and day < ${dayOf(to * DAY_MS)}::date`.execute(
    db,
  )
  return rows
}

/** Replaces what is stored of these intervals of UTC days in [from, to). */
export async function replaceIntervalDays(
  db: Db,
  organization: number,
  ids: readonly string[],
  { from, to }: Days,
  rows: readonly IntervalDay[],
): Promise<void> {
  await db
    .deleteFrom('reclassified_day')
    .where('organization', '=', organization)
    .where('reclassification', '=', sql<string>`any(${ids}::uuid[])`)
    .where('day', '>=', dayOf(from * DAY_MS))
    .where('day', '<', dayOf(to * DAY_MS))
    .execute()
  if (rows.length === 0) return
  const values = rows.map(({ id, day, maintenanceChecks, maintenanceFailed, ...counts }) => ({
    organization,
    reclassification: id,
    day: dayOf(day * DAY_MS),
    maintenance_checks: maintenanceChecks,
    maintenance_failed: maintenanceFailed,
    ...counts,
  }))
  await db.insertInto('reclassified_day').values(values).execute()
}
