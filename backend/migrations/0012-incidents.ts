import { createTables } from './create-tables.ts'

/** Incidents and their timelines, partitioned by month, and the small table that allows one open incident per rule and target. */
export const incidents = createTables([
  // `at` is when it opened. `notified_channel_ids` were notified of that, and are notified of the changes that follow.
  `create table incident (
    organization integer not null,
    id uuid not null,
    at timestamptz not null,
    rule_id uuid not null,
    target_type text not null check (target_type in ('monitor', 'server', 'slo')),
    target_id uuid not null,
    target_name text not null,
    status text not null check (status in ('open', 'acknowledged', 'resolved')),
    severity text not null,
    summary text not null,
    silenced boolean not null,
    acknowledged_at timestamptz,
    acknowledged_by uuid,
    resolved_at timestamptz,
    evidence jsonb not null,
    notified_channel_ids uuid[] not null default '{}',
    -- The incident of what the target depends on, while which it opened.
    parent_id uuid,
    flapping boolean not null default false,
    primary key (organization, id, at)
  ) partition by range (at)`,
  'create index incident_by_time on incident (organization, at)',
  'create index incident_by_parent on incident (organization, parent_id) where parent_id is not null',

  // The timeline of incidents.
  `create table incident_event (
    organization integer not null,
    incident_id uuid not null,
    at timestamptz not null,
    id uuid not null,
    type text not null,
    message text not null,
    actor_id uuid,
    primary key (organization, incident_id, at, id)
  ) partition by range (at)`,

  // The key is inserted before the incident opens. An incident that is resolved by hand while its condition still holds leaves a
  // muted key until the condition ends, so that it does not reopen at once.
  `create table open_incident (
    organization integer not null references organization (number) on delete cascade,
    rule_id uuid not null,
    target_id uuid not null,
    incident_id uuid not null,
    incident_at timestamptz not null,
    notified_at timestamptz,
    is_muted boolean not null default false,
    -- Nobody was notified of it: for a maintenance window, for something it depends on that is down, or to see whether that is.
    is_suppressed boolean not null default false,
    has_down_parent boolean not null default false,
    -- Since when nothing it depends on is down any more.
    parents_up_at timestamptz,
    primary key (organization, rule_id, target_id)
  )`,
  'create index open_incident_by_target on open_incident (organization, target_id)',
  'create index open_incident_suppressed on open_incident (incident_at) where is_suppressed',
])
