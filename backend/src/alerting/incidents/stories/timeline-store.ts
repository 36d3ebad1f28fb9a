import type { IncidentStatus, IncidentTarget, Severity } from '@vedette/shared'
import { sql } from 'kysely'
import { personName } from '../../../access/auth/index.ts'
import type { Db, TableRow } from '../../../platform/db/index.ts'

/** What is read of one story; it has more incidents where `total` is larger. */
const MOST_MEMBERS = 1_000
const MOST_STEPS = 5_000
const MOST_CHANGES = 100

export type StoryMember = Pick<
  TableRow<'incident'>,
  | 'id'
  | 'at'
  | 'target_id'
  | 'series'
  | 'external'
  | 'target_name'
  | 'summary'
  | 'silenced'
  | 'cause'
  | 'resolved_at'
  | 'notified_channel_ids'
  | 'escalation_policy_id'
> & {
  target_type: IncidentTarget['type']
  status: IncidentStatus
  severity: Severity
  total: number
  /** Of a monitor or server that is there still. */
  tags: string[]
  /** Of a server. */
  booted_at: string | null
}

export function findStoryOf(
  db: Db,
  organization: number,
  id: string,
): Promise<Pick<TableRow<'incident'>, 'story_id' | 'cause' | 'severity'> | undefined> {
  return db
    .selectFrom('incident')
    .select(['story_id', 'cause', 'severity'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The incidents of a story, or one that is alone: the oldest first. */
export async function listMembers(db: Db, organization: number, id: string, storyId: string | null): Promise<StoryMember[]> {
  const isMember = storyId === null ? sql`i.id = ${id}` : sql`i.story_id = ${storyId}`
  const { rows } = await sql<StoryMember>`
    select i.id, i.at, i.target_type, i.target_id, i.series, i.external, i.target_name, i.status, i.severity, i.summary, i.silenced, i.cause, i.resolved_at,
      i.notified_channel_ids, i.escalation_policy_id, (count(*) over ())::int as total, coalesce(s.tags, m.tags, '{}') as tags,
      s.facts ->> 'boot_time' as booted_at
    from incident as i
    left join server as s on s.organization = i.organization and s.id = i.target_id
    left join monitor as m on m.organization = i.organization and m.id = i.target_id
    where i.organization = ${organization} and ${isMember}
    order by i.at, i.id limit ${MOST_MEMBERS}`.execute(db)
  return rows
}

export interface StoryStep {
  incident_id: string
  at: Date
  type: string
  message: string
  actor: string | null
}

/** The timelines of incidents, the oldest first. */
export async function listSteps(db: Db, organization: number, incidentIds: readonly string[]): Promise<StoryStep[]> {
  const { rows } = await sql<StoryStep>`
    select e.incident_id, e.at, e.type, e.message, ${personName('u')} as actor
    from incident_event as e
    left join app_user as u on u.id = e.actor_id
    where e.organization = ${organization} and e.incident_id = any(${incidentIds}::uuid[])
    order by e.at, e.id limit ${MOST_STEPS}`.execute(db)
  return rows
}

export interface NotifiedChannel {
  id: string
  name: string
  type: string
  /** Of whom it is a contact method. */
  person: string | null
}

export async function listChannels(db: Db, organization: number, ids: readonly string[]): Promise<NotifiedChannel[]> {
  const { rows } = await sql<NotifiedChannel>`
    select c.id, c.name, c.type, ${personName('u')} as person from channel as c left join app_user as u on u.id = c.user_id
    where c.organization = ${organization} and c.id = any(${ids}::uuid[]) order by c.name, c.id`.execute(db)
  return rows
}

export interface SurroundingEvent {
  at: Date
  kind: 'annotation' | 'change' | 'update' | 'backend' | 'post'
  text: string
  target_name: string | null
  url: string | null
}

/** What a story is about, for what happened around it. */
export interface Surroundings {
  from: Date
  to: Date
  now: Date
  incidentIds: readonly string[]
  targetIds: readonly string[]
  tags: readonly string[]
}

/** An instance whose heartbeat is older has ended without notice; one that is younger has gone on. */
const SILENT_SECONDS = 60

/**
 * Annotations of its targets or of everything, changes of its targets and of what is alerted and escalated, and posts of status pages
 * about its incidents, updates of the agents of its targets, and instances of the installation that started or ended without notice; the
 * newest of each kind.
 */
export async function listSurroundingEvents(
  db: Db,
  organization: number,
  { from, to, now, incidentIds, targetIds, tags }: Surroundings,
): Promise<SurroundingEvent[]> {
  const ids = sql`${targetIds}::uuid[]`
  const { rows } = await sql<SurroundingEvent>`
    (
      select a.at, 'annotation' as kind, a.text, null::text as target_name, a.url from annotation as a
      where a.organization = ${organization} and a.at between ${from} and ${to}
        and case when a.server_id is null and a.monitor_id is null then cardinality(a.tags) = 0 or a.tags && ${tags}::text[]
          else coalesce(a.server_id = any(${ids}), false) or coalesce(a.monitor_id = any(${ids}), false) end
      order by a.at desc limit ${MOST_CHANGES}
    )
    union all
    (
      select e.at, 'change', e.action, coalesce(m.name, s.display_name, s.hostname, r.name, p.name, w.name, e.details ->> 'name'), null
      from audit_event as e
      left join monitor as m on m.organization = e.organization and m.id = e.target_id and e.target_type = 'monitor'
      left join server as s on s.organization = e.organization and s.id = e.target_id and e.target_type = 'server'
      left join alert_rule as r on r.organization = e.organization and r.id = e.target_id and e.target_type = 'alertRule'
      left join escalation_policy as p on p.organization = e.organization and p.id = e.target_id and e.target_type = 'escalationPolicy'
      left join maintenance_window as w on w.organization = e.organization and w.id = e.target_id and e.target_type = 'maintenanceWindow'
      where e.organization = ${organization} and e.at between ${from} and ${to}
        and (e.target_id = any(${ids}) and split_part(e.action, '.', 1) in ('monitor', 'server', 'slo')
          or split_part(e.action, '.', 1) in ('alert_rule', 'escalation_policy', 'maintenance_window', 'schedule'))
      order by e.at desc limit ${MOST_CHANGES}
    )
    union all
    (
      select u.at, 'post', coalesce(nullif(u.text, ''), p.title), g.name, null
      from status_post as p
      join status_page as g on g.organization = p.organization and g.id = p.page_id and g.deleted_at is null
      join status_post_update as u on u.organization = p.organization and u.post_id = p.id
      where p.organization = ${organization} and p.incident_id = any(${incidentIds}::uuid[])
      order by u.at desc limit ${MOST_CHANGES}
    )
    union all
    (
      select e.at, 'update', format('agent %s → %s', e.details ->> 'from', e.details ->> 'to'), coalesce(s.display_name, s.hostname), null
      from event as e join server as s on s.organization = e.organization and s.id = e.subject_id
      where e.organization = ${organization} and e.at between ${from} and ${to} and e.type = 'agent.updated'
        and e.subject_id = any(${ids})
      order by e.at desc limit ${MOST_CHANGES}
    )
    union all
    (
      select started_at, 'backend', case when version <> before then format('Vedette started: %s → %s', before, version)
        else 'Vedette started' end, null, null
      from (select started_at, version, lag(version) over (order by started_at) as before from instance) as started
      where started_at between ${from} and ${to}
      order by started_at desc limit ${MOST_CHANGES}
    )
    union all
    (
      select i.alive_at, 'backend', 'an instance of Vedette ended without notice' || case when exists (
          select from instance as other where other.id <> i.id and other.started_at <= i.alive_at
            and other.alive_at > i.alive_at + make_interval(secs => ${SILENT_SECONDS}))
        then '; others went on with its work' else '' end, null, null
      from instance as i
      where i.stopped_at is null and i.alive_at between ${from} and ${to}
        and i.alive_at < ${now}::timestamptz - make_interval(secs => ${SILENT_SECONDS})
      order by i.alive_at desc limit ${MOST_CHANGES}
    )
    order by at`.execute(db)
  return rows
}
