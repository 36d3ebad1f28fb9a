import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** The enabled channels of a rule. */
export async function findRuleChannels(db: Db, organization: number, ruleId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('alert_rule')
    .innerJoin('channel', (join) =>
      join
        .onRef('channel.organization', '=', 'alert_rule.organization')
        .on(sql<boolean>`channel.id = any(alert_rule.channel_ids)`),
    )
    .select('channel.id')
    .where('alert_rule.organization', '=', organization)
    .where('alert_rule.id', '=', ruleId)
    .where('alert_rule.deleted_at', 'is', null)
    .where('channel.enabled', '=', true)
    .where('channel.deleted_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

/** Records which channels were notified of the opening, and when. */
export async function markNotified(
  db: Db,
  organization: number,
  incident: { id: string; at: Date },
  channelIds: readonly string[],
  at: Date,
): Promise<void> {
  await db
    .updateTable('incident')
    .set({ notified_channel_ids: [...channelIds] })
    .where('organization', '=', organization)
    .where('id', '=', incident.id)
    .where('at', '=', incident.at)
    .execute()
  await db
    .updateTable('open_incident')
    .set({ notified_at: at })
    .where('organization', '=', organization)
    .where('incident_id', '=', incident.id)
    .execute()
}

/** An incident whose notification is due again. */
export interface OverdueIncident {
  organization: number
  incident_id: string
  incident_at: Date
  repeat_seconds: number
}

/**
 * Open, unacknowledged incidents whose last notification is older than the repeat interval of their rule; locked. Steps of escalation
 * policies are no such notifications.
 */
export async function lockOverdueIncidents(db: Db, at: Date, limit: number): Promise<OverdueIncident[]> {
  const { rows } = await sql<OverdueIncident>`
    select o.organization, o.incident_id, o.incident_at, r.repeat_seconds
    from open_incident as o
    join alert_rule as r on r.organization = o.organization and r.id = o.rule_id and r.deleted_at is null
    join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where r.repeat_seconds is not null and o.notified_at + r.repeat_seconds * interval '1 second' <= ${at} and i.status = 'open'
      and not i.flapping
    order by o.notified_at limit ${limit} for update of o skip locked`.execute(db)
  return rows
}

/** Records when an open incident was last notified. */
export async function markNotifiedAgain(
  db: Db,
  { organization, incident_id }: Pick<OverdueIncident, 'organization' | 'incident_id'>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('open_incident')
    .set({ notified_at: at })
    .where('organization', '=', organization)
    .where('incident_id', '=', incident_id)
    .execute()
}
