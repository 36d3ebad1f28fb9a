import type { IncidentEventType } from '@vedette/shared'
import { sql } from 'kysely'
import { announcementText, type Db, readPage, type TableRow } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'

const OPEN_COLUMNS = ['rule_id', 'target_id', 'series', 'incident_id', 'incident_at', 'is_muted', 'story_id', 'ends_at'] as const

/** An incident that is not resolved. */
export type OpenIncident = Pick<TableRow<'open_incident'>, (typeof OPEN_COLUMNS)[number]>

/** In the key of an incident whose rule is not on an expression. */
const NO_SERIES = '00000000-0000-0000-0000-000000000000'

/** Whether its rule is on an expression: what else happens to its target does not end it. */
export const isOfSeries = ({ series }: Pick<OpenIncident, 'series'>): boolean => series !== NO_SERIES

/** With the number of an organization it names the lock under which incidents get their parents and their stories. */
export const FAMILY_LOCK = 730_528

/**
 * Keeps other transactions from giving incidents of the organization parents and stories until this one ends. A transaction that
 * waits for it may have locked open incidents: its holder skips those.
 */
export async function lockFamilies(db: Db, organization: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${FAMILY_LOCK}, ${organization})`.execute(db)
}

/**
 * Opens an incident and locks the stories, or returns false where one of the same rule and target is open. A second transaction that opens the same waits
 * for the first.
 */
export async function insertIncident(
  db: Db,
  organization: number,
  { hasDownParent = false, ...incident }: NewIncident & { hasDownParent?: boolean },
  at: Date,
): Promise<boolean> {
  const { id, rule_id, target_id, series, evidence, external = null } = incident
  const inserted = await db
    .insertInto('open_incident')
    .values({
      organization,
      rule_id,
      target_id,
      series: series ?? NO_SERIES,
      incident_id: id,
      incident_at: at,
      notified_at: null,
      is_suppressed: incident.silenced,
      has_down_parent: hasDownParent,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('incident_id')
    .executeTakeFirst()
  if (!inserted) return false
  const state = { status: 'open', acknowledged_at: null, acknowledged_by: null, resolved_at: null } as const
  await db
    .insertInto('incident')
    .values({
      ...incident,
      ...state,
      organization,
      at,
      evidence: JSON.stringify(evidence),
      external: external && JSON.stringify(external),
    })
    .execute()
  await sql`select pg_advisory_xact_lock(${FAMILY_LOCK}, ${organization}), ${sql.raw(announcementText('open_incident'))}`.execute(
    db,
  )
  return true
}

/** `<rule> <target>` → when their incident was last opened or resolved, ms, where that was at this instant or later. */
export async function findLastChanges(
  db: Db,
  organizations: readonly number[],
  ruleIds: readonly string[],
  targetIds: readonly string[],
  since: Date,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('incident')
    .select(['rule_id', 'target_id', sql<Date>`max(greatest(at, resolved_at))`.as('changed_at')])
    .where('organization', 'in', organizations)
    .where('rule_id', 'in', ruleIds)
    .where('target_id', 'in', targetIds)
    .where((eb) => eb.or([eb('at', '>=', since), eb('resolved_at', '>=', since)]))
    .groupBy(['rule_id', 'target_id'])
    .execute()
  return new Map(rows.map(({ rule_id, target_id, changed_at: at }) => [`${rule_id} ${target_id}`, at.getTime()]))
}

/** Whether any organization has an open or muted incident. */
export async function hasOpenIncidents(db: Db): Promise<boolean> {
  return (await db.selectFrom('open_incident').select('incident_id').limit(1).executeTakeFirst()) !== undefined
}

/** The open and muted incidents of monitors or servers, locked until the transaction ends. */
export function lockOpenIncidents(db: Db, organization: number, targetIds: readonly string[]): Promise<OpenIncident[]> {
  return db
    .selectFrom('open_incident')
    .select(OPEN_COLUMNS)
    .where('organization', '=', organization)
    .where('target_id', 'in', targetIds)
    .orderBy('rule_id')
    .orderBy('target_id')
    .forUpdate()
    .execute()
}

/** The open and muted incidents of one rule, locked until the transaction ends. */
export function lockOpenIncidentsOfRule(db: Db, organization: number, ruleId: string): Promise<OpenIncident[]> {
  return db
    .selectFrom('open_incident')
    .select(OPEN_COLUMNS)
    .where('organization', '=', organization)
    .where('rule_id', '=', ruleId)
    .orderBy('target_id')
    .forUpdate()
    .execute()
}

/** `<rule> <target>` of all open and muted incidents of these rules. */
export async function listOpenKeys(db: Db, ruleIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('open_incident').select(['rule_id', 'target_id']).where('rule_id', 'in', ruleIds).execute()
  return new Set(rows.map(({ rule_id, target_id }) => `${rule_id} ${target_id}`))
}

/** The open and muted incidents of all rules for these targets of these organizations, except those of rules on expressions. */
export async function listOpenOfTargets(
  db: Db,
  organizations: readonly number[],
  targetIds: readonly string[],
): Promise<{ rule_id: string; target_id: string }[]> {
  return db
    .selectFrom('open_incident')
    .select(['rule_id', 'target_id'])
    .where('organization', 'in', organizations)
    .where('target_id', 'in', targetIds)
    .where('series', '=', NO_SERIES)
    .execute()
}

/** Resolves an incident; false where it was resolved by hand before. */
export async function markResolved(db: Db, organization: number, open: OpenIncident, at: Date): Promise<boolean> {
  await db
    .deleteFrom('open_incident')
    .where('organization', '=', organization)
    .where('rule_id', '=', open.rule_id)
    .where('target_id', '=', open.target_id)
    .where('series', '=', open.series)
    .execute()
  if (open.is_muted) return false
  await db
    .updateTable('incident')
    // Not before it opened: clocks of instances may differ.
    .set((eb) => ({ status: 'resolved', resolved_at: eb.fn('greatest', [sql`at`, eb.val(at)]) }))
    .where('organization', '=', organization)
    .where('id', '=', open.incident_id)
    .where('at', '=', open.incident_at)
    .execute()
  return true
}

/** Marks the open incidents of these rules and a target as flapping, or no longer so; returns those that were not marked so. */
export async function markFlapping(
  db: Db,
  organization: number,
  targetId: string,
  ruleIds: readonly string[],
  isFlapping: boolean,
): Promise<{ id: string; at: Date }[]> {
  const { rows } = await sql<{ id: string; at: Date }>`
    update incident as i set flapping = ${isFlapping} from open_incident as o
    where o.organization = ${organization} and o.target_id = ${targetId} and o.rule_id = any(${ruleIds}::uuid[]) and not o.is_muted
      and i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at and i.flapping <> ${isFlapping}
    returning i.id, i.at`.execute(db)
  return rows
}

/** Keeps the key of an incident that was resolved by hand, so that nothing opens before its condition ends. */
export async function insertMuted(db: Db, organization: number, open: OpenIncident): Promise<void> {
  await db
    .insertInto('open_incident')
    .values({ ...open, organization, notified_at: null, is_muted: true })
    .execute()
}

/** Adds an entry to the timeline of an incident. */
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

export const COLUMNS = [
  'id',
  'at',
  'rule_id',
  'target_type',
  'target_id',
  'series',
  'external',
  'target_name',
  'status',
  'severity',
  'summary',
  'silenced',
  'parent_id',
  'story_id',
  'cause',
  'flapping',
  'acknowledged_at',
  'acknowledged_by',
  'resolved_at',
  'evidence',
] as const

export type IncidentRow = Pick<TableRow<'incident'>, (typeof COLUMNS)[number]>

/** An incident as it opens. */
export type NewIncident = Omit<
  IncidentRow,
  | 'at'
  | 'status'
  | 'acknowledged_at'
  | 'acknowledged_by'
  | 'resolved_at'
  | 'series'
  | 'external'
  | 'parent_id'
  | 'story_id'
  | 'cause'
  | 'flapping'
> &
  Partial<Pick<IncidentRow, 'series' | 'external' | 'parent_id' | 'flapping'>>

export function findIncident(db: Db, organization: number, id: string): Promise<IncidentRow | undefined> {
  return db
    .selectFrom('incident')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
}

export function findNewestIncident(db: Db, organization: number): Promise<IncidentRow | undefined> {
  return db
    .selectFrom('incident')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** An incident with who was notified of it. */
export type NotifiedIncident = IncidentRow &
  Pick<TableRow<'incident'>, 'notified_channel_ids' | 'notified_user_ids' | 'escalation_policy_id'>

/** The same by id and opening time, with who was notified. */
export function findIncidentAt(db: Db, organization: number, id: string, at: Date): Promise<NotifiedIncident | undefined> {
  return db
    .selectFrom('incident')
    .select([...COLUMNS, 'notified_channel_ids', 'notified_user_ids', 'escalation_policy_id'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('at', '=', at)
    .executeTakeFirst()
}

/** How many incidents of a rule and target, or of one series of the rule, opened in a span. */
export async function countIncidents(
  db: Db,
  organization: number,
  {
    ruleId,
    targetId,
    series,
    since,
    before,
  }: { ruleId: string; targetId: string; series?: string | undefined; since: Date; before: Date },
): Promise<number> {
  const { count } = await db
    .selectFrom('incident')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('organization', '=', organization)
    .where('at', '>=', since)
    .where('at', '<', before)
    .where('rule_id', '=', ruleId)
    .where('target_id', '=', targetId)
    .$if(series !== undefined, (query) => query.where('series', '=', series as string))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Those of these series of a rule of which at least so many incidents opened since an instant. */
export async function findFlappingSeries(
  db: Db,
  organization: number,
  { ruleId, series, since, least }: { ruleId: string; series: readonly string[]; since: Date; least: number },
): Promise<Set<string>> {
  const { rows } = await sql<{ series: string }>`
    select series from incident
    where organization = ${organization} and at >= ${since} and rule_id = ${ruleId} and series = any(${series}::uuid[])
    group by series having count(*) >= ${least}`.execute(db)
  return new Set(rows.map(({ series: one }) => one))
}

/** The first incidents with this parent, and how many there are. */
export async function listChildren(
  db: Db,
  organization: number,
  parentId: string,
  limit: number,
): Promise<{ total: number; rows: IncidentRow[] }> {
  const query = db
    .selectFrom('incident')
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('parent_id', '=', parentId)
  return readPage(db, query, sql`at, id`, { page: 1, limit })
}

/** The timeline of an incident with who did what, the oldest first. */
export async function listIncidentEvents(db: Db, organization: number, incidentId: string) {
  const rows = await db
    .selectFrom('incident_event as e')
    .leftJoin('app_user as u', 'u.id', 'e.actor_id')
    .select(['e.at', 'e.type', 'e.message', 'u.id as user_id', 'u.email', 'u.name'])
    .where('e.organization', '=', organization)
    .where('e.incident_id', '=', incidentId)
    .orderBy('e.at')
    .orderBy('e.id')
    .execute()
  return rows.map((row) => ({ ...row, type: row.type as IncidentEventType }))
}

/** Returns when the incident opened; undefined where it is acknowledged or resolved already. */
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

/** An open incident, locked until the transaction ends; undefined once it is resolved. */
export function lockOpenIncident(db: Db, organization: number, incidentId: string): Promise<OpenIncident | undefined> {
  return db
    .selectFrom('open_incident')
    .select(OPEN_COLUMNS)
    .where('organization', '=', organization)
    .where('incident_id', '=', incidentId)
    .where('is_muted', '=', false)
    .forUpdate()
    .executeTakeFirst()
}

/** Deletes the keys of incidents that opened before an instant: their partitions were dropped. */
export async function deleteOpenedBefore(db: Db, at: Date): Promise<void> {
  await db.deleteFrom('open_incident').where('incident_at', '<', at).execute()
}

/** Deletes the incidents of an organization that is deleted: they have no foreign key. */
export async function deleteOrganizationIncidents(db: Db, organization: number): Promise<void> {
  for (const table of ['incident', 'incident_event'] as const)
    await db.deleteFrom(table).where('organization', '=', organization).execute()
}
