import { sql } from 'kysely'
import { announcementText, type Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { COLUMNS, FAMILY_LOCK, type IncidentRow, type NotifiedIncident, type OpenIncident } from './store.ts'

// Statements for many incidents of one source at once: each is one, however many they are.

/** An incident of a source as it opens; `series` is the alert. */
export type NewExternal = Omit<
  IncidentRow,
  'at' | 'status' | 'acknowledged_at' | 'acknowledged_by' | 'resolved_at' | 'story_id' | 'cause'
> & {
  series: string
  external: NonNullable<IncidentRow['external']>
  has_down_parent: boolean
  ends_at: Date | null
}

/** Opens those of which none is open, locks the stories, and returns the ids of what it opened. */
export async function insertIncidents(
  db: Db,
  organization: number,
  incidents: readonly NewExternal[],
  at: Date,
): Promise<Set<string>> {
  const column = <T>(pick: (incident: NewExternal) => T): T[] => incidents.map(pick)
  const { rows: inserted } = await sql<{ incident_id: string }>`
    insert into open_incident (organization, rule_id, target_id, series, incident_id, incident_at, is_suppressed, has_down_parent, ends_at)
    select ${organization}::int, rule_id, target_id, series, id, ${at}::timestamptz, silenced, has_down_parent, ends_at
    from unnest(${column(({ id }) => id)}::uuid[], ${column(({ rule_id: rule }) => rule)}::uuid[],
      ${column(({ target_id: target }) => target)}::uuid[], ${column(({ series }) => series)}::uuid[],
      ${column(({ silenced }) => silenced)}::boolean[], ${column((one) => one.has_down_parent)}::boolean[],
      ${column((one) => one.ends_at)}::timestamptz[]) as given (id, rule_id, target_id, series, silenced, has_down_parent, ends_at)
    on conflict do nothing returning incident_id`.execute(db)
  const ids = new Set(inserted.map(({ incident_id: id }) => id))
  const opened = JSON.stringify(incidents.filter(({ id }) => ids.has(id)))
  await sql`
    insert into incident (organization, id, at, rule_id, target_type, target_id, series, external, target_name, status, severity, summary,
      silenced, parent_id, flapping, evidence)
    select ${organization}::int, id, ${at}::timestamptz, rule_id, target_type, target_id, series, external, target_name, 'open', severity,
      summary, silenced, parent_id, flapping, evidence
    from json_to_recordset(${opened}::json) as given (
      id uuid, rule_id uuid, target_type text, target_id uuid, series uuid, external jsonb, target_name text, severity text, summary text,
      silenced boolean, parent_id uuid, flapping boolean, evidence jsonb
    )`.execute(db)
  await sql`select pg_advisory_xact_lock(${FAMILY_LOCK}, ${organization}), ${sql.raw(announcementText('open_incident'))}`.execute(
    db,
  )
  return ids
}

/** Entries of timelines, in their order. */
export async function insertIncidentEvents(
  db: Db,
  organization: number,
  events: readonly { incidentId: string; type: string; message: string }[],
  at: Date,
): Promise<void> {
  if (events.length === 0) return
  const column = <T>(pick: (event: (typeof events)[number]) => T): T[] => events.map(pick)
  await sql`
    insert into incident_event (organization, incident_id, at, id, type, message)
    select ${organization}::int, incident_id, ${at}::timestamptz, id, type, message
    from unnest(${column(({ incidentId }) => incidentId)}::uuid[], ${column(() => newId())}::uuid[],
      ${column(({ type }) => type)}::text[], ${column(({ message }) => message)}::text[]) as event (incident_id, id, type, message)`.execute(
    db,
  )
}

/** Whom a source notifies itself. */
export async function findSourcePolicy(db: Db, organization: number, sourceId: string): Promise<string | null> {
  const row = await db
    .selectFrom('alert_rule')
    .select('escalation_policy_id')
    .where('organization', '=', organization)
    .where('id', '=', sourceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.escalation_policy_id ?? null
}

/** Records of incidents that opened at one instant whom they were notified by, and what their policy does next. */
export async function markManyNotified(
  db: Db,
  organization: number,
  ids: readonly string[],
  at: Date,
  to: {
    channelIds: readonly string[]
    userIds: readonly string[]
    policy?: { id: string; step: number; dueAt: Date | null } | undefined
  },
): Promise<void> {
  const { policy } = to
  await sql`
    update open_incident set notified_at = ${policy ? null : at}::timestamptz, escalation_policy_id = ${policy?.id ?? null}::uuid,
      escalation_step = ${policy?.step ?? 0}::int, escalation_due_at = ${policy?.dueAt ?? null}::timestamptz
    where organization = ${organization} and incident_id = any(${ids}::uuid[])`.execute(db)
  await sql`
    update incident set escalation_policy_id = ${policy?.id ?? null}::uuid, notified_channel_ids = ${to.channelIds}::uuid[],
      notified_user_ids = ${to.userIds}::uuid[]
    where organization = ${organization} and id = any(${ids}::uuid[]) and at = ${at}`.execute(db)
}

/** Deletes the keys of these incidents and resolves those that are not muted; returns them as they are then. */
export async function markManyResolved(
  db: Db,
  organization: number,
  open: readonly OpenIncident[],
  at: Date,
): Promise<NotifiedIncident[]> {
  const ids = open.map(({ incident_id: id }) => id)
  await sql`delete from open_incident where organization = ${organization} and incident_id = any(${ids}::uuid[])`.execute(db)
  const ends = open.filter(({ is_muted: isMuted }) => !isMuted)
  if (ends.length === 0) return []
  const columns = sql.join(
    [...COLUMNS, 'notified_channel_ids', 'notified_user_ids', 'escalation_policy_id'].map((name) => sql.ref(`i.${name}`)),
  )
  // Not before it opened: clocks of instances may differ.
  const { rows } = await sql<NotifiedIncident>`
    update incident as i set status = 'resolved', resolved_at = greatest(i.at, ${at}::timestamptz)
    from unnest(${ends.map(({ incident_id: id }) => id)}::uuid[], ${ends.map(({ incident_at: openedAt }) => openedAt)}::timestamptz[])
      as given (id, at)
    where i.organization = ${organization} and i.id = given.id and i.at = given.at
    returning ${columns}`.execute(db)
  return rows
}
