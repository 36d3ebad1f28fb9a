import { sql } from 'kysely'
import { announcementText, binaryArray, type Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { COLUMNS, type IncidentRow, type NotifiedIncident, type OpenIncident } from './store.ts'

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

/** Whom incidents notify as they open, as it is recorded of them. */
export interface NotifiedOnOpening {
  channelIds: readonly string[]
  userIds: readonly string[]
  /** What it does next; without one the channels of the source are notified. */
  policy: { id: string; step: number; dueAt: Date | null } | null
}

/**
 * Opens those of one source of which none is open, and returns the ids of what it opened. `notified`: whom an incident is recorded to
 * have notified; nobody where it gives undefined.
 */
export async function insertIncidents(
  db: Db,
  organization: number,
  incidents: readonly NewExternal[],
  notified: (incident: NewExternal) => NotifiedOnOpening | undefined,
  at: Date,
): Promise<Set<string>> {
  const column = <T>(pick: (incident: NewExternal) => T): T[] => incidents.map(pick)
  const uuids = (pick: (incident: NewExternal) => string) => binaryArray.uuid(column(pick))
  const texts = (pick: (incident: NewExternal) => string | null) => binaryArray.text(column(pick))
  const switches = (pick: (incident: NewExternal) => boolean) => binaryArray.bool(column(pick))
  const [{ rule_id: rule } = { rule_id: null }] = incidents
  const to = [...new Set(incidents.map(notified))]
  const indexes = new Map(to.map((one, index) => [one, index]))
  const recipients = to.map((one, index) => recipientRow(one, index, at))
  const { rows } = await sql<{ ids: string[] | null }>`
    with recipient as materialized (
      select * from json_to_recordset(${JSON.stringify(recipients)}::json) as recipient (
        index int, notified_at timestamptz, policy_id uuid, step int, due_at timestamptz, channel_ids uuid[], user_ids uuid[]
      )
    ), given as materialized (
      select given.*, recipient.* from unnest(${uuids(({ id }) => id)}::uuid[],
        ${texts(({ target_type: type }) => type)}::text[], ${uuids(({ target_id: target }) => target)}::uuid[],
        ${uuids(({ series }) => series)}::uuid[], ${texts(({ external }) => JSON.stringify(external))}::text[],
        ${texts(({ target_name: name }) => name)}::text[], ${texts(({ severity }) => severity)}::text[],
        ${texts(({ summary }) => summary)}::text[], ${switches(({ silenced }) => silenced)}::boolean[],
        ${texts(({ parent_id: parent }) => parent)}::text[], ${switches((one) => one.has_down_parent)}::boolean[],
        ${switches(({ flapping }) => flapping)}::boolean[], ${texts(({ evidence }) => JSON.stringify(evidence))}::text[],
        ${binaryArray.timestamptz(column((one) => one.ends_at))}::timestamptz[],
        ${binaryArray.int4(column((one) => indexes.get(notified(one)) as number))}::int[]) as given (id, target_type, target_id, series,
          external, target_name, severity, summary, silenced, parent_id, has_down_parent, flapping, evidence, ends_at, recipient)
      join recipient on recipient.index = given.recipient
    ), opened as (
      insert into open_incident (organization, rule_id, target_id, series, incident_id, incident_at, is_suppressed, has_down_parent,
        ends_at, notified_at, escalation_policy_id, escalation_step, escalation_due_at)
      select ${organization}::int, ${rule}::uuid, target_id, series, id, ${at}::timestamptz, silenced, has_down_parent, ends_at, notified_at,
        policy_id, step, due_at
      from given on conflict do nothing returning incident_id as id
    ), stored as (
      insert into incident (organization, id, at, rule_id, target_type, target_id, series, external, target_name, status, severity,
        summary, silenced, parent_id, flapping, evidence, escalation_policy_id, notified_channel_ids, notified_user_ids)
      select ${organization}::int, id, ${at}::timestamptz, ${rule}::uuid, target_type, target_id, series, external::jsonb, target_name, 'open',
        severity, summary, silenced, parent_id::uuid, flapping, evidence::jsonb, policy_id, channel_ids, user_ids
      from given join opened using (id)
    )
    select array_agg(id) as ids, ${sql.raw(announcementText('open_incident'))} from opened`.execute(db)
  return new Set(rows[0]?.ids)
}

/** Nobody is notified by a policy at once: its steps are. */
const recipientRow = (to: NotifiedOnOpening | undefined, index: number, at: Date) => ({
  index,
  notified_at: to && !to.policy ? at : null,
  policy_id: to?.policy?.id ?? null,
  step: to?.policy?.step ?? 0,
  due_at: to?.policy?.dueAt ?? null,
  channel_ids: to?.channelIds ?? [],
  user_ids: to?.userIds ?? [],
})

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
    from unnest(${binaryArray.uuid(column(({ incidentId }) => incidentId))}::uuid[], ${binaryArray.uuid(column(() => newId()))}::uuid[],
      ${binaryArray.text(column(({ type }) => type))}::text[], ${binaryArray.text(column(({ message }) => message))}::text[])
      as event (incident_id, id, type, message)`.execute(db)
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

/** Records of incidents of a source that opened at one instant whom they notified, where that is known only once they are stored. */
export async function markManyNotified(
  db: Db,
  organization: number,
  incidents: readonly Pick<NewExternal, 'id' | 'rule_id' | 'target_id' | 'series'>[],
  at: Date,
  { policy, channelIds, userIds }: NotifiedOnOpening,
): Promise<void> {
  const ids = incidents.map(({ id }) => id)
  await sql`
    update open_incident as o set notified_at = ${policy ? null : at}::timestamptz, escalation_policy_id = ${policy?.id ?? null}::uuid,
      escalation_step = ${policy?.step ?? 0}::int, escalation_due_at = ${policy?.dueAt ?? null}::timestamptz
    from ${keysOf(incidents)}
    where ${isOfKey(organization)}`.execute(db)
  await sql`
    update incident set escalation_policy_id = ${policy?.id ?? null}::uuid, notified_channel_ids = ${channelIds}::uuid[],
      notified_user_ids = ${userIds}::uuid[]
    where organization = ${organization} and id = any(${binaryArray.uuid(ids)}::uuid[]) and at = ${at}`.execute(db)
}

/** By the whole key: its parts have no index of their own. */
const keysOf = (incidents: readonly Pick<OpenIncident, 'rule_id' | 'target_id' | 'series'>[]) => sql`
  unnest(${binaryArray.uuid(incidents.map(({ rule_id: rule }) => rule))}::uuid[],
    ${binaryArray.uuid(incidents.map(({ target_id: target }) => target))}::uuid[],
    ${binaryArray.uuid(incidents.map(({ series }) => series))}::uuid[]) as key (rule_id, target_id, series)`

const isOfKey = (organization: number) => sql`
  o.organization = ${organization} and o.rule_id = key.rule_id and o.target_id = key.target_id and o.series = key.series`

/** Deletes the keys of these incidents and resolves those that are not muted; returns them as they are then. */
export async function markManyResolved(
  db: Db,
  organization: number,
  open: readonly OpenIncident[],
  at: Date,
): Promise<NotifiedIncident[]> {
  await sql`delete from open_incident as o using ${keysOf(open)} where ${isOfKey(organization)}`.execute(db)
  const ends = open.filter(({ is_muted: isMuted }) => !isMuted)
  if (ends.length === 0) return []
  const columns = sql.join(
    [...COLUMNS, 'notified_channel_ids', 'notified_user_ids', 'escalation_policy_id'].map((name) => sql.ref(`i.${name}`)),
  )
  // Not before it opened: clocks of instances may differ.
  const { rows } = await sql<NotifiedIncident>`
    update incident as i set status = 'resolved', resolved_at = greatest(i.at, ${at}::timestamptz)
    from unnest(${binaryArray.uuid(ends.map(({ incident_id: id }) => id))}::uuid[],
      ${binaryArray.timestamptz(ends.map(({ incident_at: openedAt }) => openedAt))}::timestamptz[]) as given (id, at)
    where i.organization = ${organization} and i.id = given.id and i.at = given.at
    returning ${columns}`.execute(db)
  return rows
}
