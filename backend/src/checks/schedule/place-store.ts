import { createHash } from 'node:crypto'
import type { RegionState } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { hintWorkers } from './hint-store.ts'

/** A monitor as the schedule knows it. */
export interface Scheduled {
  organization: number
  /** The monitor's surrogate. */
  monitor: number
  intervalSeconds: number
}

/** A monitor and the regions that it is checked from. */
export interface Placement {
  monitor: number
  intervalSeconds: number
  regions: readonly number[]
  /** Known to the schedule and not due. */
  isPaused: boolean
}

/**
 * Puts the monitor into the schedule of these regions, each due at once, with nothing known of any of them; takes it out of all
 * others. What is under way is fenced off. Run it in the transaction that made or changed the monitor.
 */
export async function placeChecks(db: Db, scheduled: Scheduled, regions: readonly number[], nowMs: number): Promise<void> {
  const { organization, monitor, intervalSeconds } = scheduled
  await placeAll(db, organization, [{ monitor, intervalSeconds, regions, isPaused: false }], nowMs)
}

/** As `placeChecks`, for many monitors of one organization in two statements. */
export async function placeAll(db: Db, organization: number, placements: readonly Placement[], nowMs: number): Promise<void> {
  if (placements.length === 0) return
  const monitors = placements.map(({ monitor }) => monitor)
  const gone = await removeChecks(db, organization, monitors)
  // Above that of any row that stood here before: the clock has moved on, and a fence grows by one a check. Two changes within
  // one millisecond are told apart by what the first left.
  const fence = gone.reduce((highest, { fence }) => Math.max(highest, fence + 1), nowMs)
  const rows = placements.flatMap(({ monitor, intervalSeconds, regions, isPaused }) =>
    regions.map((region) => {
      const anchor = nowMs + phaseOf(monitor, region, intervalSeconds * 1000)
      return { monitor, region, interval_seconds: intervalSeconds, anchor, due_at: isPaused ? null : nowMs }
    }),
  )
  await sql`
    insert into check_schedule (organization, monitor, region, interval_seconds, due_at, anchor, lease_until, fence, failures, successes)
    select ${organization}::int, monitor, region, interval_seconds, due_at, anchor, 0, ${fence}::bigint, 0, 0
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (monitor int, region smallint, interval_seconds int, due_at bigint, anchor bigint)`.execute(db)
  await hintWorkers(db, organization, monitors)
}

/** Where in its interval a monitor's grid lies, ms: spread by a hash, so that many that are made at once do not stay a herd. */
function phaseOf(monitor: number, region: number, intervalMs: number): number {
  return createHash('sha256').update(`${monitor}/${region}`).digest().readUInt32BE(0) % intervalMs
}

/** Takes monitors out of the schedule; results that are under way count for nothing. Gives the fences that stood there. */
export async function removeChecks(
  db: Db,
  organization: number,
  monitors: number | readonly number[],
): Promise<{ monitor: number; fence: number }[]> {
  const removed = await db
    .deleteFrom('check_schedule')
    .where('organization', '=', organization)
    .where('monitor', 'in', [monitors].flat())
    .returning(['monitor', 'fence'])
    .execute()
  await hintWorkers(db, organization, [monitors].flat())
  return removed
}

/** A changed interval counts from the last check of each region; what is known of the regions stays. */
export async function changeInterval(db: Db, scheduled: Scheduled, nowMs: number): Promise<void> {
  await changeIntervals(db, scheduled.organization, [scheduled], nowMs)
}

/** As `changeInterval`, for many monitors of one organization. */
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
    update check_schedule as place set
      interval_seconds = given.seconds,
      due_at = case when due_at is null then null else coalesce(last_checked_at + given.seconds * 1000::bigint, ${nowMs}) end,
      anchor = coalesce(last_checked_at + given.seconds * 1000::bigint, ${nowMs}),
      lease_until = 0,
      fence = fence + 1
    from unnest(${monitors}::int[], ${seconds}::int[]) as given (monitor, seconds)
    where place.organization = ${organization} and place.monitor = given.monitor`.execute(db)
  await hintWorkers(db, organization, monitors)
}

/** No more checks; those under way are fenced off. */
export async function holdChecks(db: Db, organization: number, monitor: number): Promise<void> {
  await db
    .updateTable('check_schedule')
    .set((eb) => ({ due_at: null, lease_until: 0, fence: eb('fence', '+', 1) }))
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .execute()
  await hintWorkers(db, organization, [monitor])
}

/** A check at once, then the grid as before. */
export async function releaseChecks(db: Db, organization: number, monitor: number, nowMs: number): Promise<void> {
  await db
    .updateTable('check_schedule')
    .set({ due_at: nowMs })
    .where('organization', '=', organization)
    .where('monitor', '=', monitor)
    .where('due_at', 'is', null)
    .execute()
  await hintWorkers(db, organization, [monitor])
}

/** The first status of monitors that were just made. */
export async function insertStatus(
  db: Db,
  organization: number,
  monitors: number | readonly number[],
  status: RegionState,
  at: Date,
): Promise<void> {
  const rows = [monitors].flat().map((monitor) => ({ organization, monitor, status, since: at, before_pause: null }))
  await db.insertInto('monitor_status').values(rows).execute()
}
