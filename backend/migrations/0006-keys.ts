import { type Kysely, sql } from 'kysely'

/** A plan is one of the table in shared: a typing error in it would otherwise be found at the first registration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table organization add constraint organization_plan_known check (plan in ('free', 'pro', 'enterprise'))`.execute(
    db,
  )
}
