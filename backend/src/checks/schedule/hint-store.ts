import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** Where workers hear that the schedule of a monitor was changed. */
export const SCHEDULE_CHANNEL = 'vedette_checks'

/** The monitor of a hint, as its payload names it. */
export const hintOf = (organization: number, monitor: number): string => `${organization}.${monitor}`

/**
 * Tells the workers, with the commit, that these monitors were changed, paused or deleted. Only a hint, which a pooler or a broken
 * connection may swallow: what is true they read every second.
 */
export async function hintWorkers(db: Db, organization: number, monitors: readonly number[]): Promise<void> {
  const hints = monitors.map((monitor) => hintOf(organization, monitor))
  await sql`select pg_notify(${SCHEDULE_CHANNEL}, hint) from unnest(${hints}::text[]) as hint`.execute(db)
}
