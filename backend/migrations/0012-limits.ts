import { type Kysely, sql } from 'kysely'

/** What a count was given beyond its need with its newest ask: the row decides it, and tells. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rate_limit add column given int4 not null default 0`.execute(db)
}
