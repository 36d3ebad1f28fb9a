import { type Kysely, sql } from 'kysely'

/**
 * A push may have a thousand samples, which do not fit into a page: those rows go out of line, as they are. Rows below 2 kB, which
 * is nearly all, stay as they were.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table metric_push alter column data set storage external`.execute(db)
}
