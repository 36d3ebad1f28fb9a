import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { insertWeeks } from '../status/store.ts'
import { announcing, notifyWorkers } from './hint-store.ts'

/** A monitor and the regions that check it. */
export interface MonitorSchedule {
  monitor: number
  intervalSeconds: number
  regions: readonly number[]
  /** A paused monitor is in the schedule but never due. */
  isPaused: boolean
}

/**
 * Schedules the monitors in their regions, due at once and with unknown state, and removes them from all others. Checks in flight
 * are fenced off. Run it in the transaction that created or changed the monitors.
 */
export async function scheduleMonitors(
  db: Db,
  organization: number,
  schedules: readonly MonitorSchedule[],
  nowMs: number,
): Promise<void> {
  if (schedules.length === 0) return
  const removed = await deleteSchedules(
    db,
    organization,
    schedules.map(({ monitor }) => monitor),
  )
  // Higher than the fence of any removed row: fences grow by one per check and time has passed. For two changes in one
  // millisecond the removed fences decide.
  const fence = removed.reduce((highest, { fence }) => Math.max(highest, fence + 1), nowMs)
  await insertSchedules(db, organization, schedules, nowMs, fence)
}

/** As `scheduleMonitors` for monitors that this transaction created, which are in no schedule yet; stores also that they are up. */
export async function startMonitors(
  db: Db,
  organization: number,
  schedules: readonly MonitorSchedule[],
  at: Date,
): Promise<void> {
  const monitors = schedules.map(({ monitor }) => monitor)
  const statuses = sql`weeks as (${insertWeeks(organization, monitors)}), statuses as (
      insert into monitor_status (organization, monitor, status, since)
      select ${organization}::int, monitor, 'up', ${at}::timestamptz from unnest(${monitors}::int[]) as monitor
    ),`
  await insertSchedules(db, organization, schedules, at.getTime(), at.getTime(), statuses)
}

/** `more` are other statements of the same round trip. */
async function insertSchedules(
  db: Db,
  organization: number,
  schedules: readonly MonitorSchedule[],
  nowMs: number,
  fence: number,
  more = sql``,
): Promise<void> {
  const rows = schedules.flatMap(({ monitor, intervalSeconds, regions, isPaused }) =>
    regions.map((region) => {
      const anchor = nowMs + gridOffset(monitor, region, intervalSeconds * 1000)
      return { monitor, region, interval_seconds: intervalSeconds, anchor, due_at: isPaused ? null : nowMs }
    }),
  )
  await sql`
    with ${more} scheduled as (
      insert into check_schedule (organization, monitor, region, interval_seconds, due_at, anchor, lease_until, fence, failures, successes)
      select ${organization}::int, monitor, region, interval_seconds, due_at, anchor, 0, ${fence}::bigint, 0, 0
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as given (monitor int, region smallint, interval_seconds int, due_at bigint, anchor bigint)
    )
    ${announcing(
      organization,
      schedules.map(({ monitor }) => monitor),
    )}`.execute(db)
}

/** Offset of a monitor's grid in its interval, ms. A hash spreads monitors that were created together. */
function gridOffset(monitor: number, region: number, intervalMs: number): number {
  return createHash('sha256').update(`${monitor}/${region}`).digest().readUInt32BE(0) % intervalMs
}

/** Removes monitors from the schedule; results of checks in flight are refused. Returns the removed fences. */
export async function unscheduleMonitors(
  db: Db,
  organization: number,
  monitors: readonly number[],
): Promise<{ monitor: number; fence: number }[]> {
  const removed = await deleteSchedules(db, organization, monitors)
  await notifyWorkers(db, organization, monitors)
  return removed
}

function deleteSchedules(
  db: Db,
  organization: number,
  monitors: readonly number[],
): Promise<{ monitor: number; fence: number }[]> {
  return db
    .deleteFrom('check_schedule')
    .where('organization', '=', organization)
    .where('monitor', 'in', monitors)
    .returning(['monitor', 'fence'])
    .execute()
}

/** Applies changed intervals from the last check of each region; the state of the regions stays. */
export async function changeIntervals(
  db: Db,
  organization: number,
  intervals: readonly { monitor: number; intervalSeconds: number }[],
  nowMs: number,
): Promise<void> {
  if (intervals.length === 0) return
  const monitors = intervals.map(({ monitor }) => monitor)
  const seconds = intervals.map(({ intervalSeconds }) => intervalSeconds)
  await sql`
    update check_schedule as schedule set
      interval_seconds = given.seconds,
      due_at = case when due_at is null then null else coalesce(last_checked_at + given.seconds * 1000::bigint, ${nowMs}) end,
      anchor = coalesce(last_checked_at + given.seconds * 1000::bigint, ${nowMs}),
      lease_until = 0,
      fence = fence + 1
    from unnest(${monitors}::int[], ${seconds}::int[]) as given (monitor, seconds)
    where schedule.organization = ${organization} and schedule.monitor = given.monitor`.execute(db)
  await notifyWorkers(db, organization, monitors)
}

/** Stops checks of a monitor; those in flight are fenced off. */
export async function pauseChecks(db: Db, organization: number, monitor: number): Promise<void> {
  await db
    .updateTable('check_schedule')
    .set((eb) => ({ due_at: null, lease_until: 0, fence: eb('fence', '+', 1) }))
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .execute()
  await notifyWorkers(db, organization, [monitor])
}

/**
 * Makes a running monitor's check due at once in all its regions; later ones follow the grid. A check that is due already, or
 * running, stays as it is: with it the region has its check, and a slow one would never end if each call began it again.
 */
export async function checkAtOnce(db: Db, organization: number, monitor: number, nowMs: number): Promise<void> {
  const moved = await db
    .updateTable('check_schedule')
    .set((eb) => ({ due_at: nowMs, lease_until: 0, fence: eb('fence', '+', 1) }))
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .where('due_at', '>', nowMs)
    .returning('region')
    .execute()
  if (moved.length > 0) await notifyWorkers(db, organization, [monitor])
}

/** Begins the checks of an idle monitor at once; one that runs for a person is fenced off, as none would follow it. */
export async function wakeChecks(db: Db, organization: number, monitor: number, nowMs: number): Promise<void> {
  await db
    .updateTable('check_schedule')
    .set((eb) => ({ due_at: nowMs, lease_until: 0, fence: eb('fence', '+', 1) }))
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .execute()
  await notifyWorkers(db, organization, [monitor])
}

/** Makes a check of a paused monitor due at once, and later ones on the grid; while it is idle none follows. */
export async function resumeChecks(db: Db, organization: number, monitor: number, nowMs: number): Promise<void> {
  await db
    .updateTable('check_schedule')
    .set({ due_at: nowMs })
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .where('due_at', 'is', null)
    .execute()
  await notifyWorkers(db, organization, [monitor])
}
