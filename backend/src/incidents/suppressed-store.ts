import { sql } from 'kysely'
import type { Db, TableRow } from '../platform/db/index.ts'

export type SuppressedIncident = Pick<TableRow<'alert_rule'>, 'target_type' | 'metric'> &
  Pick<TableRow<'open_incident'>, 'organization' | 'rule_id' | 'target_id' | 'incident_id' | 'incident_at' | 'host_offline_at'>

/** Open incidents of all organizations whose notifications are suppressed, oldest first, after `last`. */
export async function listSuppressed(db: Db, last: SuppressedIncident | undefined, limit: number): Promise<SuppressedIncident[]> {
  return db
    .selectFrom('open_incident as open')
    .innerJoin('alert_rule as rule', (join) =>
      join.onRef('rule.organization', '=', 'open.organization').onRef('rule.id', '=', 'open.rule_id'),
    )
    .select([
      'open.organization',
      'open.rule_id',
      'open.target_id',
      'open.incident_id',
      'open.incident_at',
      'open.host_offline_at',
    ])
    .select(['rule.target_type', 'rule.metric'])
    .where('open.is_suppressed', '=', true)
    .where('open.is_muted', '=', false)
    .$if(last !== undefined, (query) =>
      query.where(sql<boolean>`(open.incident_at, open.incident_id) > (${last?.incident_at}, ${last?.incident_id})`),
    )
    .orderBy('open.incident_at')
    .orderBy('open.incident_id')
    .limit(limit)
    .execute()
}

/** Records that the server of a suppressed incident is still offline. */
export async function recordHostOffline(
  db: Db,
  { organization, rule_id, target_id }: SuppressedIncident,
  at: Date,
): Promise<void> {
  await db
    .updateTable('open_incident')
    .set({ host_offline_at: at })
    .where('organization', '=', organization)
    .where('rule_id', '=', rule_id)
    .where('target_id', '=', target_id)
    .execute()
}

/** Ends the suppression of an incident; false where it has ended already, or the incident has. */
export async function markUnsuppressed(db: Db, { organization, incident_id, incident_at }: SuppressedIncident): Promise<boolean> {
  const open = await db
    .updateTable('open_incident')
    .set({ is_suppressed: false })
    .where('organization', '=', organization)
    .where('incident_id', '=', incident_id)
    .where('is_suppressed', '=', true)
    .where('is_muted', '=', false)
    .returning('rule_id')
    .executeTakeFirst()
  if (!open) return false
  await db
    .updateTable('incident')
    .set({ silenced: false })
    .where('organization', '=', organization)
    .where('id', '=', incident_id)
    .where('at', '=', incident_at)
    .execute()
  return true
}
