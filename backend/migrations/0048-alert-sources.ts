import { createTables } from './create-tables.ts'

const TARGETS = `('monitor', 'server', 'slo', 'series', 'external')`

/**
 * Senders of alerts. Each has a row of `alert_rule` with its id, so that channels, policies and incidents are as those of rules. What
 * `incident.external` says makes an incident one of a sender.
 */
export const alertSources = createTables([
  `create table alert_source (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    type text not null,
    enabled boolean not null,
    severity_map jsonb not null,
    default_severity text not null check (default_severity in ('info', 'warning', 'critical')),
    tags text[] not null,
    tag_labels text[] not null,
    group_by text[] not null,
    resolve_after_seconds integer,
    max_open integer not null,
    muted boolean not null,
    template jsonb,
    token_hash bytea not null,
    last_received_at timestamptz,
    received_count bigint not null default 0,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    managed jsonb,
    deleted_at timestamptz,
    deleted_references jsonb,
    primary key (organization, id)
  ) with (fillfactor = 70)`,
  'create index alert_source_by_token on alert_source (token_hash)',
  'create index alert_source_deleted on alert_source (deleted_at) where deleted_at is not null',
  `create table alert_sample (
    organization integer not null,
    source_id uuid not null,
    at timestamptz not null,
    id uuid not null,
    body text not null,
    outcome jsonb not null,
    primary key (organization, source_id, id),
    foreign key (organization, source_id) references alert_source (organization, id) on delete cascade
  )`,
  `alter table alert_rule drop constraint alert_rule_target_type_check,
    add constraint alert_rule_target_type_check check (target_type in ('monitor', 'server', 'slo', 'series', 'source'))`,
  `alter table incident drop constraint incident_target_type_check,
    add constraint incident_target_type_check check (target_type in ${TARGETS}),
    add column external jsonb`,
  // When an alert is over unless it is sent again.
  'alter table open_incident add column ends_at timestamptz',
  'create index open_incident_by_end on open_incident (ends_at) where ends_at is not null',
])
