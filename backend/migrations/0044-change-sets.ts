import { createTables } from './create-tables.ts'

const MANAGED = [
  'alert_rule',
  'channel',
  'escalation_policy',
  'identity_provider',
  'maintenance_window',
  'monitor',
  'schedule',
  'server',
  'slo',
  'status_page',
]

/** Where each resource is managed, and every change of the configuration, so that it can be taken back. */
export const changeSets = createTables([
  ...MANAGED.map((table) => `alter table ${table} add column managed jsonb`),
  `create table change_set (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    owner text,
    base text,
    created_at timestamptz not null,
    actor_kind text not null,
    actor_id uuid,
    expires_at timestamptz,
    applied_at timestamptz,
    applied_actor_kind text,
    applied_actor_id uuid,
    undoes uuid,
    undone_by uuid,
    summary jsonb not null,
    says text[] not null,
    resources uuid[] not null,
    content_encrypted bytea not null,
    primary key (organization, id)
  )`,
  'create index change_set_by_time on change_set (organization, created_at desc, id desc)',
  'create index change_set_by_expiry on change_set (created_at)',
  'create index change_set_by_resource on change_set using gin (resources)',
])
