import type { Db } from '../../platform/db/index.ts'

/** Tables that reference a monitor without a foreign key; the schedule first, so that no further check is stored. */
const TABLES = [
  'check_schedule',
  'monitor_status',
  'monitor_transition',
  'check_result',
  'check_answer',
  'check_response',
  'check_hour',
  'check_hour_stale',
  'check_day',
  'check_week',
] as const

/** Ends the checks of monitors that are deleted: without a schedule and a status there is no check, no list and no evaluation. */
export async function endChecks(db: Db, organization: number, monitors: readonly number[]): Promise<void> {
  for (const table of ['check_schedule', 'monitor_status', 'check_week'] as const)
    await db.deleteFrom(table).where('organization', '=', organization).where('monitor', 'in', monitors).execute()
}

/** Deletes schedule, status, transitions and checks of monitors that are removed for good. */
export async function deleteChecks(db: Db, organization: number, monitors: readonly number[]): Promise<void> {
  for (const table of TABLES)
    await db.deleteFrom(table).where('organization', '=', organization).where('monitor', 'in', monitors).execute()
}

/** As `deleteChecks`, of an organization that is deleted. */
export async function deleteOrganizationChecks(db: Db, organization: number): Promise<void> {
  for (const table of TABLES) await db.deleteFrom(table).where('organization', '=', organization).execute()
}
