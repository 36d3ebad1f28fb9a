import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** The notification channel on which workers hear of changes of the schedule. */
export const SCHEDULE_CHANNEL = 'vedette_checks'

/** The monitor as hints and runners name it. */
export const scheduleKey = (organization: number, monitor: number): string => `${organization}.${monitor}`

/**
 * Notifies the workers at commit that these monitors were created, changed, paused or deleted. A pooler or a broken connection
 * may lose it; workers poll every second as well.
 */
export async function notifyWorkers(db: Db, organization: number, monitors: readonly number[]): Promise<void> {
  const hints = monitors.map((monitor) => scheduleKey(organization, monitor))
  await sql`select pg_notify(${SCHEDULE_CHANNEL}, hint) from unnest(${hints}::text[]) as hint`.execute(db)
}
