import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

export interface Tagged {
  id: string
  tags: readonly string[]
}

/** Whether an incident says that this server is offline. */
export async function isToldOffline(db: Db, organization: number, serverId: string): Promise<boolean> {
  const row = await db
    .selectFrom('open_incident as open')
    .innerJoin('alert_rule as rule', (join) =>
      join.onRef('rule.organization', '=', 'open.organization').onRef('rule.id', '=', 'open.rule_id'),
    )
    .select('open.rule_id')
    .where('open.organization', '=', organization)
    .where('open.target_id', '=', serverId)
    .where('open.is_muted', '=', false)
    .where('rule.metric', '=', 'status')
    .where('rule.target_type', '=', 'server')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A server as windows and people know it. */
export async function findServer(db: Db, organization: number, id: string): Promise<(Tagged & { name: string }) | undefined> {
  const { rows } = await sql<{ id: string; tags: string[]; name: string }>`
    select id, tags, coalesce(display_name, hostname) as name from server
    where organization = ${organization} and id = ${id}`.execute(db)
  return rows[0]
}

/** A monitor as windows know it, and the server that it runs on. */
export async function findMonitor(
  db: Db,
  organization: number,
  id: string,
): Promise<(Tagged & { server_id: string | null }) | undefined> {
  return db
    .selectFrom('monitor')
    .select(['id', 'tags', 'server_id'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
}

export interface Silenced {
  organization: number
  rule_id: string
  target_type: 'monitor' | 'server'
  target_id: string
  metric: string
  incident_id: string
  incident_at: Date
  /** When last its server was offline, roughly; null where it is not for that that it is silent. */
  host_silent_at: Date | null
}

/** Incidents that stand open and are not told, of all organizations, the oldest first; those behind `last`. */
export async function listSilenced(db: Db, last: Silenced | undefined, limit: number): Promise<Silenced[]> {
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
      'open.host_silent_at',
    ])
    .select(['rule.target_type', 'rule.metric'])
    .where('open.is_silenced', '=', true)
    .where('open.is_muted', '=', false)
    .$if(last !== undefined, (query) =>
      query.where(sql<boolean>`(open.incident_at, open.incident_id) > (${last?.incident_at}, ${last?.incident_id})`),
    )
    .orderBy('open.incident_at')
    .orderBy('open.incident_id')
    .limit(limit)
    .execute()
}

/** Notes that the server of what is silent for it is offline still. */
export async function noteHostSilent(db: Db, { organization, rule_id, target_id }: Silenced, at: Date): Promise<void> {
  await db
    .updateTable('open_incident')
    .set({ host_silent_at: at })
    .where('organization', '=', organization)
    .where('rule_id', '=', rule_id)
    .where('target_id', '=', target_id)
    .execute()
}

/** Says that an incident is to be told from now on; false where somebody else did, or it is over. */
export async function unsilence(db: Db, { organization, incident_id, incident_at }: Silenced): Promise<boolean> {
  const open = await db
    .updateTable('open_incident')
    .set({ is_silenced: false })
    .where('organization', '=', organization)
    .where('incident_id', '=', incident_id)
    .where('is_silenced', '=', true)
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
