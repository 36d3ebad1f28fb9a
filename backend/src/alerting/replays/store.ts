import type { MonitorStatus, QuietTime } from '@vedette/shared'
import { sql } from 'kysely'
import { IS_REFUSED } from '../../access/auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { RECHECK_MS } from '../alerts/index.ts'
import { SUBJECT_EVIDENCE } from '../incidents/index.ts'
import type { Channel, Person, RecordedIncident, ReplayRule, RuleSet, Target } from './model.ts'

/** All rules, the oldest first. */
export async function listRules(db: Db, organization: number): Promise<ReplayRule[]> {
  const { rows } = await sql<ReplayRule>`
    select id, name, enabled, target_type, target_id, target_tag, metric, mount, entity_name, expression, every_seconds, operator,
      value, clear_value, for_seconds, severity, channel_ids, repeat_seconds, escalation_policy_id, description, runbook_url
    from alert_rule where organization = ${organization} and deleted_at is null order by created_at, id`.execute(db)
  return rows
}

/** The oldest first. */
export const listPolicies = (db: Db, organization: number): Promise<RuleSet['policies']> =>
  db
    .selectFrom('escalation_policy')
    .select(['id', 'name', 'time_zone', 'steps', 'repeats', 'reopen_seconds', 'tags', 'managed', 'created_at', 'updated_at'])
    .where('organization', '=', organization)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const listSchedules = (db: Db, organization: number): Promise<RuleSet['schedules']> =>
  db
    .selectFrom('schedule')
    .select(['id', 'name', 'time_zone', 'rota'])
    .where('organization', '=', organization)
    .where('deleted_at', 'is', null)
    .execute()

/** Everything that can be monitored, by name. */
export async function listTargets(db: Db, organization: number): Promise<(Target & { current: MonitorStatus | null })[]> {
  const { rows } = await sql<Target & { current: MonitorStatus | null }>`
    select 'monitor' as type, m.id, m.number, m.name, m.tags, m.depends_on, s.id as host_id,
      coalesce(s.display_name, s.hostname) as host_name, s.tags as host_tags,
      ${RECHECK_MS} as interval_ms, m.interval_seconds, m.type = 'composite' as is_composite, t.status as current
    from monitor as m left join server as s on s.organization = m.organization and s.id = m.server_id
    left join monitor_status as t on t.organization = m.organization and t.monitor = m.number
    where m.organization = ${organization} and m.deleted_at is null
    union all
    select 'server', id, number, coalesce(display_name, hostname), tags, depends_on, id, coalesce(display_name, hostname), tags,
      null, null, false, null
    from server where organization = ${organization}
    order by name, id`.execute(db)
  return rows
}

export interface TransitionRow {
  monitor: number
  from_status: MonitorStatus | null
  to_status: MonitorStatus
  at_ms: number
}

/** Each change of a status since an instant, oldest first of each monitor. */
export async function listTransitions(db: Db, organization: number, from: Date, limit: number): Promise<TransitionRow[]> {
  const { rows } = await sql<TransitionRow>`
    select monitor, from_status, to_status, (extract(epoch from at) * 1000)::float8 as at_ms from monitor_transition
    where organization = ${organization} and at >= ${from} order by monitor, at, id limit ${limit}`.execute(db)
  return rows
}

/** In the order in which they joined, with their quiet times. */
export async function listPeople(db: Db, organization: number): Promise<(Person & { quiet_time: QuietTime | null })[]> {
  const { rows } = await sql<Person & { quiet_time: QuietTime | null }>`
    select membership.user_id, app_user.email, app_user.name, membership.role = 'owner' as is_owner, ${sql.raw(IS_REFUSED)} as is_refused,
      app_user.email_verified_at is not null as is_verified, membership.quiet_time,
      array(
        select channel.id from channel
        where channel.organization = membership.organization and channel.user_id = membership.user_id
          and (type <> 'email' or app_user.email_verified_at is not null)
        order by channel.created_at, channel.id
      ) as channel_ids,
      array(select push_subscription.id from push_subscription where push_subscription.user_id = membership.user_id) as browser_ids
    from membership
    join organization on organization.number = membership.organization
    join app_user on app_user.id = membership.user_id
    where membership.organization = ${organization} order by membership.joined_at, membership.user_id`.execute(db)
  return rows
}

export async function listChannels(db: Db, organization: number): Promise<Channel[]> {
  const { rows } = await sql<Channel>`
    select id, name, type, enabled, config -> 'events' as events, user_id from channel
    where organization = ${organization} and deleted_at is null`.execute(db)
  return rows
}

interface IncidentRow {
  rule_id: string
  target_type: string
  target_id: string
  target_name: string
  series: string | null
  metric: string | null
  external: NonNullable<RecordedIncident['external']> | null
  opened_ms: number
  resolved_ms: number | null
  actions: { type: string; at_ms: number; message: string }[] | null
  story_id: string | null
  evidence: RecordedIncident['evidence']
}

/** Incidents that were open within a period, oldest first, with what people did to them. */
export async function listRecorded(
  db: Db,
  organization: number,
  { from, to }: { from: Date; to: Date },
  limit: number,
): Promise<RecordedIncident[]> {
  const { rows } = await sql<IncidentRow>`
    select i.rule_id, i.target_type, i.target_id, i.target_name, i.series, r.metric,
      case when i.external is not null then json_build_object('severity', i.severity, 'tags', i.external -> 'tags') end as external,
      (extract(epoch from i.at) * 1000)::float8 as opened_ms,
      (extract(epoch from i.resolved_at) * 1000)::float8 as resolved_ms, e.actions,
      case when i.cause ->> 'kind' = 'shared_tag' then i.story_id end as story_id, ${SUBJECT_EVIDENCE} as evidence
    from incident as i
    left join alert_rule as r on r.organization = i.organization and r.id = i.rule_id
    left join lateral (
      select json_agg(json_build_object('type', e.type, 'at_ms', extract(epoch from e.at) * 1000, 'message', e.message)
        order by e.at, e.id) as actions
      from incident_event as e where e.organization = i.organization and e.incident_id = i.id
        and (e.type = 'acknowledged' or e.type = 'resolved' and e.message like 'resolved manually%')
    ) as e on true
    where i.organization = ${organization} and i.at < ${to} and coalesce(i.resolved_at, ${to}) >= ${from}
    order by i.at, i.id limit ${limit}`.execute(db)
  return rows.map(({ opened_ms: openedAtMs, resolved_ms: resolvedAtMs, story_id: storyId, actions, ...rest }) => ({
    ...rest,
    openedAtMs,
    resolvedAtMs,
    storyId,
    actions: (actions ?? []).map(({ type, at_ms: atMs, message }) => ({
      type: type === 'resolved' ? 'resolved' : 'acknowledged',
      atMs,
      untilMs: snoozeEnd(message),
    })),
  }))
}

/** The timeline is all that keeps how long an incident was snoozed. */
function snoozeEnd(message: string): number | null {
  const [, until] = / until (\d{4}-\d\d-\d\dT[\d:.]+Z)/.exec(message) ?? []
  return until === undefined ? null : Date.parse(until)
}
