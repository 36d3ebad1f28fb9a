import type { AlertTargetType, IncidentEventType, IncidentStatus, Severity } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'

/** An incident as it opens. */
export interface NewIncident {
  id: string
  rule_id: string
  target_type: AlertTargetType
  target_id: string
  target_name: string
  severity: Severity
  summary: string
  silenced: boolean
  evidence: Record<string, unknown>
}

/** One that is not resolved. */
export interface OpenIncident {
  rule_id: string
  target_id: string
  incident_id: string
  incident_at: Date
  /** Ended by hand while its condition holds: it is kept so that nothing opens before that is over. */
  is_muted: boolean
}

const STANDING = ['rule_id', 'target_id', 'incident_id', 'incident_at', 'is_muted'] as const

/**
 * Opens an incident, unless one of the same rule and target stands open already: then it changes nothing and gives false. Whoever
 * opens the same at the same moment waits here.
 */
export async function insertIncident(db: Db, organization: number, incident: NewIncident, at: Date): Promise<boolean> {
  const { id, rule_id, target_id, evidence } = incident
  const taken = await db
    .insertInto('open_incident')
    .values({ organization, rule_id, target_id, incident_id: id, incident_at: at, told_at: null, is_silenced: incident.silenced })
    .onConflict((conflict) => conflict.doNothing())
    .returning('incident_id')
    .executeTakeFirst()
  if (!taken) return false
  const state = { status: 'open', acknowledged_at: null, acknowledged_by: null, resolved_at: null } as const
  await db
    .insertInto('incident')
    .values({ ...incident, ...state, organization, at, evidence: JSON.stringify(evidence) })
    .execute()
  return true
}

/** The open and muted incidents of monitors or servers, locked until the transaction ends. */
export function lockOpenIncidents(db: Db, organization: number, targetIds: readonly string[]): Promise<OpenIncident[]> {
  return db
    .selectFrom('open_incident')
    .select(STANDING)
    .where('organization', '=', organization)
    .where('target_id', 'in', targetIds)
    .orderBy('rule_id')
    .orderBy('target_id')
    .forUpdate()
    .execute()
}

/** Those of one rule. */
export function lockOpenIncidentsOfRule(db: Db, organization: number, ruleId: string): Promise<OpenIncident[]> {
  return db
    .selectFrom('open_incident')
    .select(STANDING)
    .where('organization', '=', organization)
    .where('rule_id', '=', ruleId)
    .orderBy('target_id')
    .forUpdate()
    .execute()
}

/** `<rule> <target>` of all that stands open or muted by these rules. */
export async function listStanding(db: Db, ruleIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('open_incident').select(['rule_id', 'target_id']).where('rule_id', 'in', ruleIds).execute()
  return new Set(rows.map(({ rule_id, target_id }) => `${rule_id} ${target_id}`))
}

/** The same of all rules, for what these organizations have of these monitors or servers. */
export async function listStandingOf(
  db: Db,
  organizations: readonly number[],
  targetIds: readonly string[],
): Promise<{ rule_id: string; target_id: string }[]> {
  return db
    .selectFrom('open_incident')
    .select(['rule_id', 'target_id'])
    .where('organization', 'in', organizations)
    .where('target_id', 'in', targetIds)
    .execute()
}

/** Ends what stands; false where it had been ended by hand before. */
export async function markResolved(db: Db, organization: number, open: OpenIncident, at: Date): Promise<boolean> {
  await db
    .deleteFrom('open_incident')
    .where('organization', '=', organization)
    .where('rule_id', '=', open.rule_id)
    .where('target_id', '=', open.target_id)
    .execute()
  if (open.is_muted) return false
  await db
    .updateTable('incident')
    // Not before it opened: clocks of instances may disagree.
    .set((eb) => ({ status: 'resolved', resolved_at: eb.fn('greatest', [sql`at`, eb.val(at)]) }))
    .where('organization', '=', organization)
    .where('id', '=', open.incident_id)
    .where('at', '=', open.incident_at)
    .execute()
  return true
}

/** Keeps the key of an incident that was ended by hand, so that nothing opens before its condition is over. */
export async function keepMuted(db: Db, organization: number, open: OpenIncident): Promise<void> {
  await db
    .insertInto('open_incident')
    .values({ ...open, organization, told_at: null, is_muted: true })
    .execute()
}

/** Adds to the timeline of an incident. */
export async function insertIncidentEvent(
  db: Db,
  organization: number,
  incidentId: string,
  { type, message, actorId = null }: { type: IncidentEventType; message: string; actorId?: string | null },
  at: Date,
): Promise<void> {
  const event = { id: newId(), organization, incident_id: incidentId, at, type, message, actor_id: actorId }
  await db.insertInto('incident_event').values(event).execute()
}

export interface IncidentRow extends NewIncident {
  /** When it opened. */
  at: Date
  status: IncidentStatus
  acknowledged_at: Date | null
  acknowledged_by: string | null
  resolved_at: Date | null
}

const COLUMNS = [
  'id',
  'at',
  'rule_id',
  'target_type',
  'target_id',
  'target_name',
  'status',
  'severity',
  'summary',
  'silenced',
  'acknowledged_at',
  'acknowledged_by',
  'resolved_at',
  'evidence',
] as const

export function findIncident(db: Db, organization: number, id: string): Promise<IncidentRow | undefined> {
  return db
    .selectFrom('incident')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The same, where it is known when it opened, with who was told so. */
export function findIncidentAt(
  db: Db,
  organization: number,
  id: string,
  at: Date,
): Promise<(IncidentRow & { told_channel_ids: string[] }) | undefined> {
  return db
    .selectFrom('incident')
    .select([...COLUMNS, 'told_channel_ids'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('at', '=', at)
    .executeTakeFirst()
}

/** One page, newest first, and the total. */
export function listIncidents(
  db: Db,
  organization: number,
  status: IncidentStatus | undefined,
  page: PageRequest,
): Promise<{ total: number; rows: IncidentRow[] }> {
  const query = db
    .selectFrom('incident')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .$if(status !== undefined, (select) => select.where('status', '=', status as IncidentStatus))
  return readPage(db, query, sql`at desc, id desc`, page)
}

/** The timeline of an incident, the oldest first. */
export async function listIncidentEvents(db: Db, organization: number, incidentId: string) {
  const rows = await db
    .selectFrom('incident_event')
    .select(['at', 'type', 'message'])
    .where('organization', '=', organization)
    .where('incident_id', '=', incidentId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, type: row.type as IncidentEventType }))
}

/** Gives when it opened; undefined where it is acknowledged or resolved already. */
export async function markAcknowledged(
  db: Db,
  organization: number,
  id: string,
  userId: string | null,
  at: Date,
): Promise<Date | undefined> {
  const row = await db
    .updateTable('incident')
    .set({ status: 'acknowledged', acknowledged_at: at, acknowledged_by: userId })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('status', '=', 'open')
    .returning('at')
    .executeTakeFirst()
  return row?.at
}

/** An incident that stands open, locked until the transaction ends; undefined once it is resolved. */
export function lockOpenIncident(db: Db, organization: number, incidentId: string): Promise<OpenIncident | undefined> {
  return db
    .selectFrom('open_incident')
    .select(STANDING)
    .where('organization', '=', organization)
    .where('incident_id', '=', incidentId)
    .where('is_muted', '=', false)
    .forUpdate()
    .executeTakeFirst()
}

/** Removes the keys of incidents that opened before an instant: they are gone. */
export async function forgetOpenedBefore(db: Db, at: Date): Promise<void> {
  await db.deleteFrom('open_incident').where('incident_at', '<', at).execute()
}

/** Removes the incidents of an organization that is deleted, and what waits to be judged: they hang on no foreign key. */
export async function deleteOrganizationIncidents(db: Db, organization: number): Promise<void> {
  for (const table of ['incident', 'incident_event', 'alert_signal'] as const)
    await db.deleteFrom(table).where('organization', '=', organization).execute()
}
