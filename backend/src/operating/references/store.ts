import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** The ids that the organization has among these; none of those is deleted before the transaction ends. */
export async function lockReferences(
  db: Db,
  table: 'monitor' | 'server' | 'channel' | 'schedule' | 'escalation_policy',
  organization: number,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .$if(table === 'monitor', (select) => select.where(sql<boolean>`deleted_at is null`))
    // Not the contact methods of members.
    .$if(table === 'channel', (select) => select.where(sql<boolean>`user_id is null`))
    // In one order, to prevent deadlocks.
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Removes a channel or schedule that is deleted from the steps of escalation policies. */
export async function removeFromSteps(
  db: Db,
  organization: number,
  field: 'channel_ids' | 'schedule_ids',
  id: string,
): Promise<void> {
  await sql`
    update escalation_policy set steps = (
      select jsonb_agg(jsonb_set(step, ${sql.raw(`'{${field}}'`)}, (step -> ${field}) - ${id}::text) order by number)
      from jsonb_array_elements(steps) with ordinality as each (step, number)
    )
    where organization = ${organization} and exists (
      select from jsonb_array_elements(steps) as step where step -> ${field} ? ${id}::text
    )`.execute(db)
}
