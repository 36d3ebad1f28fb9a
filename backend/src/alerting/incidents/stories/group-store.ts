import type { IncidentCause } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'

/** An open incident of a source whose labels make it part of a story. */
export interface GroupMember {
  incident_id: string
  incident_at: Date
  story_id: string | null
  group: string
}

/** Those with one of these groups, the oldest first; locked. Those that others have locked end, or wait for the lock of the stories. */
export async function lockGroupMembers(
  db: Db,
  organization: number,
  sourceId: string,
  groups: readonly string[],
): Promise<GroupMember[]> {
  const { rows } = await sql<GroupMember>`
    select o.incident_id, o.incident_at, i.story_id, i.external ->> 'group' as group
    from open_incident as o
    join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where o.organization = ${organization} and o.rule_id = ${sourceId} and not o.is_muted
      and i.external ->> 'group' = any(${groups}::text[]) and (i.cause is null or i.cause ->> 'kind' = 'labels')
    order by o.incident_at, o.incident_id for update of o skip locked`.execute(db)
  return rows
}

/** Makes locked incidents members of stories. */
export async function recordStories(
  db: Db,
  organization: number,
  members: readonly { id: string; story_id: string; cause: IncidentCause }[],
): Promise<void> {
  if (members.length === 0) return
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(members)}::jsonb) as given (id uuid, story_id uuid, cause jsonb)
    ), marked as (
      update open_incident as o set story_id = given.story_id from given
      where o.organization = ${organization} and o.incident_id = given.id
    )
    update incident as i set story_id = given.story_id, cause = given.cause from given
    where i.organization = ${organization} and i.id = given.id`.execute(db)
}
