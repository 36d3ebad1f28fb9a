import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { personName } from '../../access/auth/index.ts'

interface IncidentKey {
  incident_id: string
  incident_at: Date
}

/** An open incident whose next step is due, or an acknowledged one that opens again. */
export interface DueIncident extends IncidentKey {
  organization: number
  escalation_policy_id: string | null
  escalation_step: number
  status: 'open' | 'acknowledged'
}

/** The longest due first; locked. A flapping incident waits until it is stable. */
export async function lockDueIncidents(db: Db, at: Date, limit: number): Promise<DueIncident[]> {
  const { rows } = await sql<DueIncident>`
    select o.organization, o.incident_id, o.incident_at, o.escalation_policy_id, o.escalation_step, i.status
    from open_incident as o
    join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where o.escalation_due_at <= ${at} and not o.is_muted and not i.flapping
    order by o.escalation_due_at limit ${limit} for update of o skip locked`.execute(db)
  return rows
}

/** Sets the number of the next step, and when it is due; null: nothing is. */
export async function scheduleEscalation(
  db: Db,
  organization: number,
  incidentId: string,
  next: { policyId?: string; step?: number; dueAt: Date | null },
): Promise<void> {
  await db
    .updateTable('open_incident')
    .set({
      escalation_due_at: next.dueAt,
      ...(next.policyId !== undefined && { escalation_policy_id: next.policyId }),
      ...(next.step !== undefined && { escalation_step: next.step }),
    })
    .where('organization', '=', organization)
    .where('incident_id', '=', incidentId)
    .execute()
}

/** Records the policy of an incident whose story has taken its steps already. */
export async function recordPolicy(
  db: Db,
  organization: number,
  { id, at }: { id: string; at: Date },
  policyId: string,
): Promise<void> {
  await scheduleEscalation(db, organization, id, { policyId, step: 0, dueAt: null })
  await markStepNotified(db, organization, { incident_id: id, incident_at: at }, policyId, { channelIds: [], userIds: [] })
}

/** Adds whom a step of the policy notified. */
export async function markStepNotified(
  db: Db,
  organization: number,
  { incident_id: id, incident_at: incidentAt }: IncidentKey,
  policyId: string,
  { channelIds, userIds }: { channelIds: readonly string[]; userIds: readonly string[] },
): Promise<void> {
  await sql`
    update incident set escalation_policy_id = ${policyId},
      notified_channel_ids = array(select distinct unnest(notified_channel_ids || ${channelIds}::uuid[])),
      notified_user_ids = array(select distinct unnest(notified_user_ids || ${userIds}::uuid[]))
    where organization = ${organization} and id = ${id} and at = ${incidentAt}`.execute(db)
}

/** Opens an acknowledged incident again. Its open incident is locked: nothing resolves it meanwhile. */
export async function markReopened(
  db: Db,
  organization: number,
  { incident_id: id, incident_at: at }: IncidentKey,
): Promise<void> {
  await db
    .updateTable('incident')
    .set({ status: 'open', acknowledged_at: null, acknowledged_by: null })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('at', '=', at)
    .execute()
}

/** After how long an acknowledged incident of its policy opens again, s; null: never. */
export async function findReopenSeconds(db: Db, organization: number, incidentId: string): Promise<number | null> {
  const row = await db
    .selectFrom('open_incident')
    .innerJoin('escalation_policy as policy', (join) =>
      join
        .onRef('policy.organization', '=', 'open_incident.organization')
        .onRef('policy.id', '=', 'open_incident.escalation_policy_id'),
    )
    .select('policy.reopen_seconds')
    .where('open_incident.organization', '=', organization)
    .where('incident_id', '=', incidentId)
    .where('policy.deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.reopen_seconds ?? null
}

/** The e-mails of people and the names of channels of the organization, for the timeline. */
export async function listNames(
  db: Db,
  organization: number,
  { channelIds, userIds }: { channelIds: readonly string[]; userIds: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${personName('app_user')} as name from app_user where id = any(${userIds}::uuid[])
    union all
    select name from channel where organization = ${organization} and id = any(${channelIds}::uuid[]) and user_id is null
    order by name`.execute(db)
  return rows.map(({ name }) => name)
}
