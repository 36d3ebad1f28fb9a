import { announceChange, type Db } from '../../platform/db/index.ts'

/** What workers listen to. */
export const SCHEDULE = 'check_schedule'

/** The monitor as hints and runners name it. */
export const scheduleKey = (organization: number, monitor: number): string => `${organization}.${monitor}`

/**
 * Announces that these monitors were created, changed, paused or deleted. Where announcements do not arrive workers poll every
 * second.
 */
export async function notifyWorkers(db: Db, organization: number, monitors: readonly number[]): Promise<void> {
  const hints = monitors.map((monitor) => scheduleKey(organization, monitor))
  await announceChange(db, SCHEDULE, hints)
}
