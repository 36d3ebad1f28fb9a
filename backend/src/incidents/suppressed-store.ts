import { sql } from 'kysely'
import type { Db, TableRow } from '../platform/db/index.ts'

export type SuppressedIncident = Pick<TableRow<'alert_rule'>, 'target_type' | 'metric'> &
  Pick<TableRow<'incident'>, 'parent_id' | 'flapping'> &
  Pick<
    TableRow<'open_incident'>,
    'organization' | 'rule_id' | 'target_id' | 'incident_id' | 'incident_at' | 'has_down_parent' | 'parents_up_at'
  >

/** Open incidents of all organizations whose notifications are suppressed, oldest first, after `last`. */
export async function listSuppressed(db: Db, last: SuppressedIncident | undefined, limit: number): Promise<SuppressedIncident[]> {
  const { rows } = await sql<SuppressedIncident>`
    select o.organization, o.rule_id, o.target_id, o.incident_id, o.incident_at, o.has_down_parent, o.parents_up_at,
      rule.target_type, rule.metric, i.parent_id, i.flapping
    from open_incident as o
    join alert_rule as rule on rule.organization = o.organization and rule.id = o.rule_id
    left join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where o.is_suppressed and not o.is_muted
      and ${last ? sql`(o.incident_at, o.incident_id) > (${last.incident_at}, ${last.incident_id})` : sql`true`}
    order by o.incident_at, o.incident_id limit ${limit}`.execute(db)
  return rows
}

/** With the number of an organization it names the lock under which incidents get their parents. */
const PARENTS_LOCK = 730_528

/**
 * Records that something which the target of a suppressed incident depends on is down, with its incident if it has one; or since
 * when nothing is any more. False where the parent has the incident above itself: two that wait for each other would both stay
 * silent. Run it in a transaction.
 */
export async function recordParents(
  db: Db,
  { organization, rule_id, target_id, incident_id, incident_at, parent_id }: SuppressedIncident,
  parents: { parentId: string | null } | { upAt: Date },
): Promise<boolean> {
  const isDown = 'parentId' in parents
  if (isDown && parents.parentId !== null && parents.parentId !== parent_id) {
    await sql`select pg_advisory_xact_lock(${PARENTS_LOCK}, ${organization})`.execute(db)
    if (await isAbove(db, organization, incident_id, parents.parentId)) return false
  }
  // First the key, then the incident: a resolution locks them in this order.
  await db
    .updateTable('open_incident')
    .set({ has_down_parent: isDown, parents_up_at: isDown ? null : parents.upAt })
    .where('organization', '=', organization)
    .where('rule_id', '=', rule_id)
    .where('target_id', '=', target_id)
    .where('incident_id', '=', incident_id)
    .execute()
  if (isDown && parents.parentId !== null)
    await db
      .updateTable('incident')
      .set({ parent_id: parents.parentId })
      .where('organization', '=', organization)
      .where('id', '=', incident_id)
      .where('at', '=', incident_at)
      .execute()
  return true
}

/** Whether an incident is another one, or its parent, or the parent of that, and so on. It ends also where they form a circle. */
async function isAbove(db: Db, organization: number, incidentId: string, of: string): Promise<boolean> {
  const { rows } = await sql<{ is_above: boolean }>`
    with recursive line (id) as (
      select ${of}::uuid
      union
      select i.parent_id from line join incident as i on i.organization = ${organization} and i.id = line.id
      where i.parent_id is not null
    )
    select exists (select from line where id = ${incidentId}) as is_above`.execute(db)
  return rows[0]?.is_above ?? false
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
