import { sql } from 'kysely'
import type { Db } from './pool.ts'

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
