import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

// Who is told, and who was.

/** A webhook that lists what it asks for is told of that alone. */
const ASKS_FOR = (type: string) => sql<boolean>`coalesce(channel.config -> 'events' ? ${type}, true)`

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
    .where('channel.enabled', '=', true)
    .execute()
  return rows.map(({ id }) => id)
}

/** Those of these channels that are there, enabled, and ask for this. */
export async function findAsking(db: Db, organization: number, ids: readonly string[], type: string): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('channel')
    .select('channel.id')
    .where('organization', '=', organization)
    .where('id', 'in', ids)
    .where('enabled', '=', true)
    .where(ASKS_FOR(type))
    .execute()
  return rows.map(({ id }) => id)
}

/** Notes who was told that an incident opened, and when it was told last. */
export async function markTold(
  db: Db,
  organization: number,
  incident: { id: string; at: Date },
  channelIds: readonly string[],
  at: Date,
): Promise<void> {
  await db
    .updateTable('incident')
    .set({ told_channel_ids: [...channelIds] })
    .where('organization', '=', organization)
    .where('id', '=', incident.id)
    .where('at', '=', incident.at)
    .execute()
  await db
    .updateTable('open_incident')
    .set({ told_at: at })
    .where('organization', '=', organization)
    .where('incident_id', '=', incident.id)
    .execute()
}

/** An incident that is to be told again. */
export interface OverdueIncident {
  organization: number
  incident_id: string
  incident_at: Date
  repeat_seconds: number
}

/** Open incidents that nobody acknowledged, told last so long ago that their rules want them told again; held. */
export async function holdOverdueIncidents(db: Db, at: Date, limit: number): Promise<OverdueIncident[]> {
  const { rows } = await sql<OverdueIncident>`
    select o.organization, o.incident_id, o.incident_at, r.repeat_seconds
    from open_incident as o
    join alert_rule as r on r.organization = o.organization and r.id = o.rule_id
    join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where r.repeat_seconds is not null and o.told_at + r.repeat_seconds * interval '1 second' <= ${at} and i.status = 'open'
    order by o.told_at limit ${limit} for update of o skip locked`.execute(db)
  return rows
}

/** Notes when an open incident was told last. */
export async function markToldAgain(db: Db, { organization, incident_id }: OverdueIncident, at: Date): Promise<void> {
  await db
    .updateTable('open_incident')
    .set({ told_at: at })
    .where('organization', '=', organization)
    .where('incident_id', '=', incident_id)
    .execute()
}

/** Enabled channels that ask for this kind of event. */
export async function findSubscribed(db: Db, organization: number, type: string): Promise<string[]> {
  const rows = await db
    .selectFrom('channel')
    .select('id')
    .where('organization', '=', organization)
    .where('enabled', '=', true)
    .where(sql<boolean>`config -> 'events' ? ${type}`)
    .execute()
  return rows.map(({ id }) => id)
}

/** Enabled channels of an organization; of those that list what they ask for, who asks for this kind of event. */
export async function findListening(db: Db, organization: number, type: string): Promise<string[]> {
  const rows = await db
    .selectFrom('channel')
    .select('channel.id')
    .where('organization', '=', organization)
    .where('enabled', '=', true)
    .where(ASKS_FOR(type))
    .execute()
  return rows.map(({ id }) => id)
}
