import type { Db } from '../platform/db/index.ts'

/** What hangs on a monitor without a foreign key, and what is known of it; the schedule first, so that nothing new comes. */
const TABLES = [
  'check_schedule',
  'monitor_status',
  'monitor_transition',
  'check_result',
  'check_answer',
  'check_hour',
  'check_hour_stale',
  'check_day',
] as const

/** Removes everything that is known of monitors that are deleted: schedule, status, transitions, checks and their means. */
export async function deleteChecks(db: Db, organization: number, monitors: readonly number[]): Promise<void> {
  for (const table of TABLES)
    await db.deleteFrom(table).where('organization', '=', organization).where('monitor', 'in', monitors).execute()
}

/** As `deleteChecks`, of an organization that is deleted. */
export async function deleteOrganizationChecks(db: Db, organization: number): Promise<void> {
  for (const table of TABLES) await db.deleteFrom(table).where('organization', '=', organization).execute()
}
