import type { RawBuilder } from 'kysely'
import { announceChange, announcement, type Db } from '../../../platform/db/index.ts'

/** What workers listen to. */
export const SCHEDULE = 'check_schedule'

/** The monitor as hints and runners name it. */
export const scheduleKey = (organization: number, monitor: number): string => `${organization}.${monitor}`

/**
 * Announces that these monitors were created, changed, paused or deleted. Where announcements do not arrive workers poll every
 * second.
 */
export async function notifyWorkers(db: Db, organization: number, monitors: readonly number[]): Promise<void> {
  await announceChange(db, SCHEDULE, hintsOf(organization, monitors))
}

/** As `notifyWorkers`, as the end of a statement that changes them. */
export const announcing = (organization: number, monitors: readonly number[]): RawBuilder<unknown> =>
  announcement(SCHEDULE, hintsOf(organization, monitors))

const hintsOf = (organization: number, monitors: readonly number[]): string[] =>
  monitors.map((monitor) => scheduleKey(organization, monitor))
