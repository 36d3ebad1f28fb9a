import type { IncidentCause, Severity } from '@vedette/shared'
import { sql } from 'kysely'
import { CHANNEL_KINDS } from '../../../notifying/notifications/index.ts'
import type { Db, TableRow } from '../../../platform/db/index.ts'

// What depends on another target is silent below it, and is notified by itself where it stays down. The rest of a story is notified once:
// all servers behind a tag together, alerts of one sender that it groups, and what several rules say of one target, of which a story of a parent may have several.
const GROUP = sql`case i.cause ->> 'kind' when 'parent' then null when 'shared_tag' then i.story_id when 'labels' then i.story_id else i.target_id end`

/** What decides with which incidents one is notified. */
export type StoryPart = Pick<TableRow<'incident'>, 'story_id' | 'target_id'> & {
  cause: Pick<IncidentCause, 'kind'> | null
}

/** The same as in SQL; null: the incident is notified by itself. */
function groupOf({ story_id: storyId, target_id: targetId, cause }: StoryPart): string | null {
  if (storyId === null || cause?.kind === 'parent') return null
  return cause?.kind === 'shared_tag' || cause?.kind === 'labels' ? storyId : targetId
}

const isOfGroup = (part: StoryPart) => sql`i.story_id = ${part.story_id} and ${GROUP} = ${groupOf(part)}`

/** Whether an incident is notified with others of its story. */
export const sharesNotification = (part: StoryPart): boolean => groupOf(part) !== null

/** Who was notified of the other incidents of a story. */
export interface Reached {
  channel_ids: string[]
  policy_ids: string[]
  /** Browsers of all members are notified of incidents without a policy. */
  has_browsers: boolean
}

/** Of a critical incident only critical ones count: a story that becomes critical is notified again. */
export async function findReached(
  db: Db,
  organization: number,
  { id, severity, ...part }: StoryPart & { id: string; severity: Severity | null },
): Promise<Reached> {
  const { rows } = await sql<Reached>`
    with other as materialized (
      select i.notified_channel_ids, i.escalation_policy_id from incident as i
      where i.organization = ${organization} and ${isOfGroup(part)} and i.id <> ${id} and not i.silenced
        and (i.severity = 'critical' or ${severity !== 'critical'})
    )
    select array(select distinct unnest(notified_channel_ids) from other) as channel_ids,
      array(select distinct escalation_policy_id from other where escalation_policy_id is not null) as policy_ids,
      exists (select from other where escalation_policy_id is null) as has_browsers`.execute(db)
  return rows[0] as Reached
}

export type NotifiedMember = Pick<
  TableRow<'incident'>,
  'id' | 'at' | 'severity' | 'notified_channel_ids' | 'notified_user_ids' | 'escalation_policy_id'
>

/** The incidents of a story of which somebody was notified, the oldest first. */
export async function listNotified(db: Db, organization: number, part: StoryPart): Promise<NotifiedMember[]> {
  const { rows } = await sql<NotifiedMember>`
    select i.id, i.at, i.severity, i.notified_channel_ids, i.notified_user_ids, i.escalation_policy_id from incident as i
    where i.organization = ${organization} and ${isOfGroup(part)} and not i.silenced
      and cardinality(i.notified_channel_ids) + cardinality(i.notified_user_ids) > 0
    order by i.at, i.id`.execute(db)
  return rows
}

/** How many incidents a story has that are notified together, and how many of them are not resolved. */
export async function countMembers(
  db: Db,
  organization: number,
  part: StoryPart,
): Promise<{ total: number; unresolved: number }> {
  const { rows } = await sql<{ total: number; unresolved: number }>`
    select count(*)::int as total, (count(*) filter (where i.status <> 'resolved'))::int as unresolved from incident as i
    where i.organization = ${organization} and ${isOfGroup(part)}`.execute(db)
  return rows[0] as { total: number; unresolved: number }
}

/** The open and acknowledged ones of these. */
export async function listUnresolved(db: Db, organization: number, part: StoryPart): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select i.id from incident as i
    where i.organization = ${organization} and ${isOfGroup(part)} and i.status <> 'resolved'
    order by i.at, i.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Those of these channels that must know the end of each incident. */
export async function listTakingEach(db: Db, organization: number, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('channel')
    .select(['id', 'type'])
    .where('organization', '=', organization)
    .where('id', 'in', [...new Set(ids)])
    .where('deleted_at', 'is', null)
    .execute()
  return new Set(rows.flatMap(({ id, type }) => (CHANNEL_KINDS[type].takesEachIncident === true ? id : [])))
}

/** Records that channels were not notified of incidents after all. */
export async function markNotNotified(
  db: Db,
  organization: number,
  dropped: readonly { incident_id: string; lane: string }[],
): Promise<void> {
  const lanesOf = Map.groupBy(dropped, ({ incident_id: id }) => id)
  for (const [incidentId, lanes] of lanesOf)
    await sql`
      with changed as (
        update incident set notified_channel_ids = array(
          select unnest(notified_channel_ids) except select unnest(${lanes.map(({ lane }) => lane)}::uuid[])
        )
        where organization = ${organization} and id = ${incidentId} returning id, notified_channel_ids
      )
      update open_incident as o set notified_at = null from changed
      where o.organization = ${organization} and o.incident_id = changed.id and cardinality(changed.notified_channel_ids) = 0`.execute(
      db,
    )
}

/** Of several open incidents of a story with one policy only the first goes on, and the first critical one. */
export async function stopLaterEscalations(db: Db, organization: number, part: StoryPart): Promise<void> {
  await sql`
    with later as (
      select o.incident_id, row_number() over (
        partition by o.escalation_policy_id, i.severity = 'critical' order by o.incident_at, o.incident_id
      ) as place
      from open_incident as o
      join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
      where o.organization = ${organization} and ${isOfGroup(part)} and i.status = 'open' and o.escalation_due_at is not null
    ), locked as materialized (
      select o.incident_id from open_incident as o join later on later.incident_id = o.incident_id and later.place > 1
      where o.organization = ${organization} for update of o skip locked
    )
    update open_incident as o set escalation_due_at = null from locked
    where o.organization = ${organization} and o.incident_id = locked.incident_id`.execute(db)
}

/**
 * Gives what is due of an incident that ends, reminders and steps of its policy, to another open one of its story that has the same policy
 * or was not notified by itself. One of the same rule is the first choice. Run it before the incident is resolved.
 */
export async function handOver(
  db: Db,
  organization: number,
  { incident_id: incidentId }: { incident_id: string },
): Promise<void> {
  await sql`
    with gone as materialized (
      select o.rule_id, o.incident_id, o.notified_at, o.escalation_policy_id, o.escalation_step, o.escalation_due_at, i.story_id, i.status,
        ${GROUP} as part
      from open_incident as o
      join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
      where o.organization = ${organization} and o.incident_id = ${incidentId} and i.story_id is not null
        and (o.escalation_due_at is not null or o.notified_at is not null)
    ), heir as materialized (
      select o.incident_id from gone
      join incident as i on i.organization = ${organization} and i.story_id = gone.story_id and i.id <> gone.incident_id
        and (i.status = 'open' or i.status = 'acknowledged' and gone.status = 'acknowledged') and ${GROUP} = gone.part
      join open_incident as o on o.organization = i.organization and o.incident_id = i.id and not o.is_muted and not o.is_suppressed
        and (gone.escalation_due_at is null and o.notified_at is null
          and o.escalation_policy_id is not distinct from gone.escalation_policy_id
          or o.escalation_policy_id = gone.escalation_policy_id and o.escalation_due_at is null)
      order by o.rule_id = gone.rule_id desc, i.status = 'open' desc, o.incident_at, o.incident_id
      limit 1 for update of o skip locked
    )
    update open_incident as o set notified_at = coalesce(o.notified_at, gone.notified_at),
      escalation_policy_id = case when gone.escalation_due_at is null then o.escalation_policy_id else gone.escalation_policy_id end,
      escalation_step = case when gone.escalation_due_at is null then o.escalation_step else gone.escalation_step end,
      escalation_due_at = coalesce(gone.escalation_due_at, o.escalation_due_at)
    from heir, gone
    where o.organization = ${organization} and o.incident_id = heir.incident_id and not o.is_muted`.execute(db)
}
