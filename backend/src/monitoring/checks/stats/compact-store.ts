import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import type { StoredCheck } from './hour-block.ts'
import { INCONCLUSIVE } from '../results/outcome-code.ts'
import type { Counts } from './counts.ts'
import { dayOf } from '../../../platform/time/day.ts'

/** One monitor by its surrogates. */
export interface MonitorKey {
  organization: number
  monitor: number
}

/** Checks of one monitor and region, in order of time. */
export interface RegionChecks extends MonitorKey {
  region: number
  checks: StoredCheck[]
}

/** A compacted row. `data` is the block of an hour or the sketch of a day. */
export interface CompactedRow extends MonitorKey, Counts {
  region: number
  degraded: number
  data: Buffer
}

/** The next monitors after this one, ordered by organization and surrogate. */
export async function listMonitors(db: Db, after: MonitorKey, limit: number): Promise<MonitorKey[]> {
  const { rows } = await sql<MonitorKey>`
    select organization, number as monitor from monitor
    where (organization, number) > (${after.organization}, ${after.monitor})
    order by organization, number limit ${limit}`.execute(db)
  return rows
}

/** The hour of the oldest check that is stored. */
export async function firstCheckedHour(db: Db): Promise<number | undefined> {
  const { oldest } = await db
    .selectFrom('check_result')
    .select((eb) => eb.fn.min<number | null>('at').as('oldest'))
    .executeTakeFirstOrThrow()
  return oldest === null ? undefined : Math.floor(oldest / HOUR_MS)
}

/** The conclusive checks of these monitors in the hour. */
export async function readHourChecks(db: Db, monitors: readonly MonitorKey[], hour: number): Promise<RegionChecks[]> {
  const { rows } = await sql<MonitorKey & { region: number; at: number[]; outcomes: number[]; times: (number | null)[] }>`
    select wanted.organization, wanted.monitor, region, array_agg(at::float8 order by at) as at,
      array_agg(outcome order by at) as outcomes, array_agg(response_us order by at) as times
    from unnest(${monitors.map(({ organization }) => organization)}::int[], ${monitors.map(({ monitor }) => monitor)}::int[])
      as wanted (organization, monitor)
    join check_result as found on found.organization = wanted.organization and found.monitor = wanted.monitor
      and at >= ${hour * HOUR_MS} and at < ${(hour + 1) * HOUR_MS} and day = ${dayOf(hour * HOUR_MS)}::date
      and outcome <> ${sql.lit(INCONCLUSIVE)}
    group by wanted.organization, wanted.monitor, region`.execute(db)
  return rows.map(({ organization, monitor, region, at, outcomes, times }) => ({
    organization,
    monitor,
    region,
    checks: at.map((atMs, index) => ({ atMs, outcome: outcomes[index] as number, responseUs: times[index] ?? null })),
  }))
}

export async function insertHours(db: Db, hour: number, rows: readonly CompactedRow[]): Promise<void> {
  if (rows.length === 0) return
  const common = { hour, day: dayOf(hour * HOUR_MS) }
  await db
    .insertInto('check_hour')
    .values(rows.map(({ responseSumUs, ...row }) => ({ ...common, ...row, response_sum_us: responseSumUs })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteHour(db: Db, { organization, monitor }: MonitorKey, hour: number): Promise<void> {
  await db
    .deleteFrom('check_hour')
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .where('hour', '=', hour)
    .where('day', '=', dayOf(hour * HOUR_MS))
    .execute()
}

/** The hours of these monitors on a UTC day, given in days since the epoch. */
export async function readDayHours(
  db: Db,
  monitors: readonly MonitorKey[],
  day: number,
): Promise<(CompactedRow & { hour: number })[]> {
  const { rows } = await sql<CompactedRow & { hour: number }>`
    select found.organization, found.monitor, region, hour, checks, failed, degraded, answered,
      response_sum_us as "responseSumUs", data
    from unnest(${monitors.map(({ organization }) => organization)}::int[], ${monitors.map(({ monitor }) => monitor)}::int[])
      as wanted (organization, monitor)
    join check_hour as found on found.organization = wanted.organization and found.monitor = wanted.monitor
      and hour >= ${day * 24} and hour < ${(day + 1) * 24} and day = ${dayOf(day * DAY_MS)}::date`.execute(db)
  return rows
}

/** The inconclusive checks of these monitors on a UTC day. */
export async function countInconclusive(
  db: Db,
  monitors: readonly MonitorKey[],
  day: number,
): Promise<(MonitorKey & { region: number; count: number })[]> {
  const { rows } = await sql<MonitorKey & { region: number; count: number }>`
    select found.organization, found.monitor, region, count(*)::int as count
    from unnest(${monitors.map(({ organization }) => organization)}::int[], ${monitors.map(({ monitor }) => monitor)}::int[])
      as wanted (organization, monitor)
    join check_result as found on found.organization = wanted.organization and found.monitor = wanted.monitor
      and at >= ${day * DAY_MS} and at < ${(day + 1) * DAY_MS} and day = ${dayOf(day * DAY_MS)}::date
      and outcome = ${sql.lit(INCONCLUSIVE)}
    group by found.organization, found.monitor, region`.execute(db)
  return rows
}

/** A compacted day with what reports leave out of it. */
export interface DayRow extends CompactedRow {
  inconclusive: number
  maintenanceChecks: number
  maintenanceFailed: number
}

export async function insertDays(db: Db, day: number, rows: readonly DayRow[]): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map(({ responseSumUs, maintenanceChecks, maintenanceFailed, data, ...row }) => ({
    ...row,
    maintenance_checks: maintenanceChecks,
    maintenance_failed: maintenanceFailed,
    day: dayOf(day * DAY_MS),
    response_sum_us: responseSumUs,
    sketch: data,
  }))
  await db
    .insertInto('check_day')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteDay(db: Db, { organization, monitor }: MonitorKey, day: number): Promise<void> {
  await db
    .deleteFrom('check_day')
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .where('day', '=', dayOf(day * DAY_MS))
    .execute()
}

/** The oldest hours with a late check. */
export function listStale(db: Db, limit: number): Promise<(MonitorKey & { hour: number })[]> {
  return db.selectFrom('check_hour_stale').select(['hour', 'organization', 'monitor']).orderBy('hour').limit(limit).execute()
}

/** Whether the mark still existed. */
export async function deleteStale(db: Db, { organization, monitor }: MonitorKey, hour: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('check_hour_stale')
    .where('hour', '=', hour)
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
