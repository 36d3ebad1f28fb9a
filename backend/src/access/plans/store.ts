import type { Plan } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { notFound } from '../../platform/errors.ts'

/** The plan of the organization. Throws not_found once it is deleted, which may happen during a request. */
export async function findPlan(db: Db, organization: number): Promise<Plan> {
  const row = await db
    .selectFrom('organization')
    .select('plan')
    .where('number', '=', organization)
    .executeTakeFirstOrThrow(notFound)
  return row.plan
}

/** As `findPlan`; locks the plan until the transaction ends, but not the insertion of rows that refer to the organization. */
export async function lockPlan(db: Db, organization: number): Promise<Plan> {
  const row = await db
    .selectFrom('organization')
    .select('plan')
    .where('number', '=', organization)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(notFound)
  return row.plan
}

export async function updatePlan(db: Db, organization: number, plan: Plan): Promise<void> {
  await db.updateTable('organization').set({ plan }).where('number', '=', organization).execute()
}

/** Rows of an organization that count; counts no further than `upTo`. */
export async function countUpTo(
  db: Db,
  table:
    | 'annotation'
    | 'alert_rule'
    | 'alert_source'
    | 'api_key'
    | 'certificate'
    | 'channel'
    | 'escalation_policy'
    | 'identity_provider'
    | 'maintenance_window'
    | 'metric_export'
    | 'schedule'
    | 'status_page'
    | 'slo',
  organization: number,
  upTo: number,
): Promise<number> {
  // Revoked keys stay in the list; rules of SLOs and sources and contact methods are in none. Annotations are kept until they are old.
  const valid =
    {
      annotation: sql``,
      certificate: sql`and fingerprint is null`,
      metric_export: sql`and not is_managed`,
      api_key: sql`and revoked_at is null`,
      alert_rule: sql`and target_type not in ('slo', 'source') and deleted_at is null`,
      channel: sql`and user_id is null and deleted_at is null`,
    }[table as string] ?? sql`and deleted_at is null`
  const { rows } = await sql<{ count: number }>`select count(*)::int4 as count from (
    select from ${sql.table(table)} where organization = ${organization} ${valid} limit ${upTo}
  ) as counted`.execute(db)
  return rows[0]?.count ?? 0
}
