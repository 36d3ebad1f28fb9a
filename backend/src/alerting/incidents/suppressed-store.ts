import type { RuleTargetType } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db, TableRow } from '../../platform/db/index.ts'

/** Those of SLOs are never suppressed. */
export type SuppressedIncident = Pick<TableRow<'alert_rule'>, 'metric'> & { target_type: RuleTargetType } & Pick<
    TableRow<'incident'>,
    'series' | 'parent_id' | 'flapping' | 'external'
  > &
  Pick<
    TableRow<'open_incident'>,
    'organization' | 'rule_id' | 'target_id' | 'incident_id' | 'incident_at' | 'has_down_parent' | 'parents_up_at'
  >

/** Open incidents of all organizations whose notifications are suppressed, oldest first, after `last`. */
export async function listSuppressed(db: Db, last: SuppressedIncident | undefined, limit: number): Promise<SuppressedIncident[]> {
  const { rows } = await sql<SuppressedIncident>`
    select o.organization, o.rule_id, o.target_id, o.incident_id, o.incident_at, o.has_down_parent, o.parents_up_at,
      coalesce(i.target_type, rule.target_type) as target_type, rule.metric, i.series, i.parent_id, i.flapping, i.external
    from open_incident as o
    join alert_rule as rule on rule.organization = o.organization and rule.id = o.rule_id and rule.deleted_at is null
    left join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where o.is_suppressed and not o.is_muted
      and ${last ? sql`(o.incident_at, o.incident_id) > (${last.incident_at}, ${last.incident_id})` : sql`true`}
    order by o.incident_at, o.incident_id limit ${limit}`.execute(db)
  return rows
}

/** The parents of these incidents, their parents, and so on. It ends also where they form a circle. */
export async function readParents(db: Db, organization: number, incidentIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; parent_id: string }>`
    with recursive line (id, parent_id) as (
      select id, parent_id from incident where organization = ${organization} and id = any(${incidentIds}::uuid[])
      union
      select i.id, i.parent_id from line join incident as i on i.organization = ${organization} and i.id = line.parent_id
    )
    select id, parent_id from line where parent_id is not null`.execute(db)
  return new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
}

/** What is recorded of a suppressed incident. */
export interface ParentState {
  incident: SuppressedIncident
  /** Something that its target depends on is down; with its incident, if it has one. */
  hasDownParent: boolean
  parentId: string | null
  /** Since when nothing is down any more. */
  upAt: Date | null
}

/** Records what is known of the parents of these incidents, except those that are being resolved. A parent that is null stays. */
export async function recordParents(db: Db, organization: number, states: readonly ParentState[]): Promise<void> {
  const column = <T>(pick: (state: ParentState) => T): T[] => states.map(pick)
  // Locked rows are skipped: several rows in whatever order could deadlock with a resolution.
  await sql`
    with open as materialized (
      select o.rule_id, o.target_id, o.incident_id, o.incident_at, given.parent_id, given.has_down, given.up_at
      from unnest(${column(({ incident }) => incident.rule_id)}::uuid[], ${column(({ incident }) => incident.target_id)}::uuid[],
        ${column(({ incident }) => incident.incident_id)}::uuid[], ${column(({ parentId }) => parentId)}::uuid[],
        ${column(({ hasDownParent }) => hasDownParent)}::boolean[], ${column(({ upAt }) => upAt)}::timestamptz[])
        as given (rule_id, target_id, incident_id, parent_id, has_down, up_at)
      join open_incident as o on o.organization = ${organization} and o.rule_id = given.rule_id and o.target_id = given.target_id
        and o.incident_id = given.incident_id
      for update of o skip locked
    ), marked as (
      update open_incident as o set has_down_parent = open.has_down, parents_up_at = open.up_at from open
      where o.organization = ${organization} and o.rule_id = open.rule_id and o.target_id = open.target_id
        and o.incident_id = open.incident_id
    )
    update incident as i set parent_id = open.parent_id from open
    where i.organization = ${organization} and i.id = open.incident_id and i.at = open.incident_at and open.parent_id is not null`.execute(
    db,
  )
}

/** Ends the suppression of an incident; false where it has ended already, or the incident has. */
export async function markUnsuppressed(
  db: Db,
  { organization, incident_id, incident_at }: SuppressedIncident,
  isFlapping: boolean,
): Promise<boolean> {
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
    .set({ silenced: false, flapping: isFlapping })
    .where('organization', '=', organization)
    .where('id', '=', incident_id)
    .where('at', '=', incident_at)
    .execute()
  return true
}
