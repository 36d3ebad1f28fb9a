import { createTables } from './create-tables.ts'

/** Who did what to what, and from which address. Partitioned by month, so that expired months are dropped as whole tables. */
export const audit = createTables([
  `create table audit_event (
    organization integer not null,
    at timestamptz not null,
    id uuid not null,
    actor_kind text not null check (actor_kind in ('user', 'api_key', 'server', 'enrollment_token', 'system')),
    actor_id uuid,
    action text not null,
    target_type text,
    target_id uuid,
    ip text,
    details jsonb not null,
    primary key (organization, at, id)
  ) partition by range (at)`,
  'create index audit_event_action on audit_event (organization, action, at, id)',
  'create index audit_event_actor on audit_event (organization, actor_kind, actor_id, at, id)',
  // How many events of an ended UTC day there are: lists show the total, and counting a million rows takes 80 ms. A day has rows once
  // all events of it are stored.
  `create table audit_day (
    organization integer not null,
    day date not null,
    action text not null,
    events integer not null,
    primary key (organization, day, action)
  )`,
  'create index audit_day_by_age on audit_day (day)',
  // Accounts belong to no organization, so neither does their log: rows are deleted by age, and survive users and organizations.
  `create table security_event (
    id uuid primary key,
    at timestamptz not null,
    type text not null,
    user_id uuid,
    organization integer,
    actor_kind text check (actor_kind in ('user', 'api_key', 'server', 'enrollment_token', 'system')),
    actor_id uuid,
    ip text,
    user_agent text,
    details jsonb not null,
    exported_at timestamptz
  )`,
  'create index security_event_at on security_event (at, id)',
  'create index security_event_user on security_event (user_id, at)',
  'create index security_event_organization on security_event (organization, at)',
  // What VEDETTE_SECURITY_LOG_URL has not received yet.
  'create index security_event_unexported on security_event (at, id) where exported_at is null',

  // From where users and API keys were used, so that the first use from another network is noticed.
  `create table known_origin (
    subject_id uuid not null,
    kind text not null check (kind in ('network', 'user_agent')),
    value text not null,
    first_used_at timestamptz not null,
    primary key (subject_id, kind, value)
  )`,
  'create index known_origin_by_age on known_origin (first_used_at)',
])
