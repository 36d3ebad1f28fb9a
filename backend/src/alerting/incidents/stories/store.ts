import { type IncidentCause, MINUTE_MS } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import type { RelatedIncident, SharedTag } from './choose-story.ts'
import { type RuleSubject, saysTheSame, type SubjectEvidence, subjectsOf } from './subjects.ts'

/** Servers that fall silent within this time of each other may have one cause. */
const TOGETHER_MS = MINUTE_MS

/** What an incident that opens is about. */
export interface OpeningIncident {
  id: string
  rule_id: string
  target_type: string
  target_id: string
  target_name: string
  parent_id?: string | null | undefined
  evidence: SubjectEvidence
}

interface RelatedRow {
  kind: 'mine' | 'same_target' | 'same_slo' | 'parent' | 'shared_tag'
  incident_id: string
  story_id: string | null
  target_name: string
  tag: string
  servers: number
  silent: number
  /** Of the rule. */
  rule: RuleSubject | null
  evidence: SubjectEvidence | null
}

export interface Related {
  sameTarget: RelatedIncident[]
  parent: RelatedIncident | undefined
  tags: SharedTag[]
}

const OPEN = (organization: number) => sql`o.organization = ${organization} and not o.is_muted`

const RULE = sql`json_build_object('metric', r.metric, 'operator', r.operator, 'mount', r.mount, 'entity_name', r.entity_name, 'expression', r.expression)`
/** What of the evidence names what an incident is about. */
export const SUBJECT_EVIDENCE = sql`json_build_object('mount', i.evidence -> 'mount', 'findings', i.evidence -> 'findings', 'entities', i.evidence -> 'entities', 'labels', i.evidence -> 'labels')`

/** Open incidents about the status of servers: those of the same minute, and those of stories of a shared tag. */
const silentServers = (organization: number, at: Date) => sql`
  select o.incident_id, o.incident_at, o.story_id, o.story_tag, s.id as server_id, s.tags,
    o.incident_at between ${new Date(at.getTime() - TOGETHER_MS)} and ${new Date(at.getTime() + TOGETHER_MS)} as is_recent
  from open_incident as o
  join alert_rule as r on r.organization = o.organization and r.id = o.rule_id and r.metric = 'status' and r.target_type = 'server'
    and r.deleted_at is null
  join server as s on s.organization = o.organization and s.id = o.target_id
  where ${OPEN(organization)}`

/**
 * The open incidents that may have the same cause as one that opens, in one statement: it finds none for most. Run it in a transaction
 * that has locked the stories.
 */
export async function readRelated(db: Db, organization: number, incident: OpeningIncident, at: Date): Promise<Related> {
  const { id, rule_id: ruleId, target_id: targetId, target_type: type, parent_id: parentId = null, evidence } = incident
  // Tags that only this server and another one share are no story: their servers are not counted.
  const shared = sql`
    union all
    select 'shared_tag', null, of_tag.story_id, null, null, of_tag.tag,
      (select count(*)::int from server as s where s.organization = ${organization} and s.tags @> array[of_tag.tag]) - of_tag.earlier,
      of_tag.others + 1, null, null
    from (
      select t.tag, min(o.story_id::text) filter (where o.story_tag = t.tag)::uuid as story_id,
        count(distinct o.server_id) filter (where o.is_recent or o.story_tag = t.tag)::int as others,
        count(distinct o.server_id) filter (where not o.is_recent and o.story_tag is distinct from t.tag)::int as earlier
      from mine cross join unnest(mine.tags) as t (tag)
      join (${silentServers(organization, at)}) as o on o.tags @> array[t.tag] and o.server_id <> ${targetId}
      group by t.tag
    ) as of_tag
    where of_tag.others > 1`
  const { rows } = await sql<RelatedRow>`
    with mine as materialized (
      select ${RULE} as rule, r.target_type, s.tags
      from alert_rule as r
      left join server as s on s.organization = r.organization and s.id = ${targetId} and r.metric = 'status'
      where r.organization = ${organization} and r.id = ${ruleId} and r.deleted_at is null
    )
    select 'mine' as kind, null::uuid as incident_id, null::uuid as story_id, null::timestamptz as incident_at, ''::text as target_name,
      ''::text as tag, 0 as servers, 0 as silent, rule, null::json as evidence from mine
    union all
    select case r.target_type when 'slo' then 'same_slo' else 'same_target' end, o.incident_id, o.story_id, o.incident_at, '', '', 0, 0,
      ${RULE}, ${SUBJECT_EVIDENCE}
    from open_incident as o
    join alert_rule as r on r.organization = o.organization and r.id = o.rule_id and r.deleted_at is null
    join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where ${OPEN(organization)} and o.target_id = ${targetId} and o.incident_id <> ${id}
    union all
    select 'parent', o.incident_id, o.story_id, o.incident_at, i.target_name, '', 0, 0, null, null
    from open_incident as o
    join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where ${OPEN(organization)} and o.incident_id = ${parentId}::uuid
    ${type === 'server' ? shared : sql``}
    order by incident_at, incident_id`.execute(db)
  const ofKind = (kind: RelatedRow['kind']) => rows.filter((row) => row.kind === kind)
  const toRelated = (row: RelatedRow) => ({ incidentId: row.incident_id, storyId: row.story_id, targetName: row.target_name })
  const [mine] = ofKind('mine')
  const own = mine?.rule ? subjectsOf(mine.rule, evidence) : []
  const isSame = (row: RelatedRow) => row.rule !== null && saysTheSame(own, subjectsOf(row.rule, row.evidence ?? {}))
  return {
    sameTarget: rows.filter((row) => row.kind === 'same_slo' || (row.kind === 'same_target' && isSame(row))).map(toRelated),
    parent: ofKind('parent').map(toRelated)[0],
    tags: ofKind('shared_tag').map(({ tag, servers, silent, story_id: storyId }) => ({ tag, servers, silent, storyId })),
  }
}

/** An open incident that is not muted. */
export async function findOpen(db: Db, organization: number, id: string): Promise<RelatedIncident | undefined> {
  const { rows } = await sql<RelatedIncident>`
    select o.incident_id as "incidentId", o.story_id as "storyId", i.target_name as "targetName"
    from open_incident as o
    join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where ${OPEN(organization)} and o.incident_id = ${id}`.execute(db)
  return rows[0]
}

/** The silent servers with a tag whose incidents are not in its story yet. */
export async function listSilent(db: Db, organization: number, tag: string, at: Date): Promise<string[]> {
  const { rows } = await sql<{ incident_id: string }>`
    select o.incident_id from (${silentServers(organization, at)}) as o
    where o.is_recent and o.story_tag is distinct from ${tag} and o.tags @> array[${tag}::text]`.execute(db)
  return rows.map(({ incident_id: id }) => id)
}

/** An open incident of a story. */
export interface Member {
  incident_id: string
  incident_at: Date
  story_id: string | null
}

/**
 * Locks open incidents, and all of their stories except the one that they join; the oldest first. Those that others have locked are left out: they end, or wait for
 * the lock of the stories.
 */
export async function lockMembers(
  db: Db,
  organization: number,
  ids: readonly string[],
  storyId: string | null,
): Promise<Member[]> {
  const { rows } = await sql<Member>`
    select o.incident_id, o.incident_at, o.story_id from open_incident as o
    where ${OPEN(organization)} and (o.incident_id = any(${ids}::uuid[]) or o.story_id is distinct from ${storyId}::uuid and o.story_id in (
      select own.story_id from open_incident as own where own.organization = ${organization} and own.incident_id = any(${ids}::uuid[])
    ))
    order by o.incident_at, o.incident_id for update of o skip locked`.execute(db)
  return rows
}

/** What becomes one story. */
export interface NewStory {
  storyId: string
  /** Of `ids`; the others keep their own. */
  cause: IncidentCause
  tag: string | null
  ids: readonly string[]
  /** Locked; those of other stories included. */
  members: readonly Member[]
}

/** Makes incidents one story. A shared tag explains more than rules on one target, and those more than a parent. */
export async function recordStory(db: Db, organization: number, { storyId, cause, tag, ids, members }: NewStory): Promise<void> {
  const memberIds = members.map(({ incident_id: id }) => id)
  const stays = sql`i.cause is not null and (i.cause ->> 'kind' = 'shared_tag' and ${cause.kind}::text <> 'shared_tag' or ${cause.kind}::text = 'parent')`
  await sql`
    with moved as (
      update open_incident as o set story_id = ${storyId},
        story_tag = case when o.incident_id = any(${ids}::uuid[]) then coalesce(${tag}::text, o.story_tag) else o.story_tag end
      where o.organization = ${organization} and o.incident_id = any(${memberIds}::uuid[])
    )
    update incident as i set story_id = ${storyId},
      cause = case when i.id = any(${ids}::uuid[]) and not (${stays}) then ${JSON.stringify(cause)}::jsonb else i.cause end
    where i.organization = ${organization} and i.id = any(${memberIds}::uuid[])`.execute(db)
  const merged = [...new Set(members.flatMap(({ story_id: id }) => (id === null || id === storyId ? [] : id)))]
  if (merged.length === 0) return
  // Those that have ended.
  await sql`
    update incident set story_id = ${storyId}
    where organization = ${organization} and story_id = any(${merged}::uuid[])`.execute(db)
}
