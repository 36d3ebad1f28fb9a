import { createTables } from './create-tables.ts'

/** Regions and monitors: the definitions, the derived status, and its changes. */
export const monitors = createTables([
  // Regions belong to the installation. The token authenticates a remote probe; the backend's own region has none.
  `create table region (
    number smallint generated always as identity primary key,
    id text not null unique,
    name text not null,
    token_hash bytea unique,
    created_at timestamptz not null
  )`,

  // Headers, body and credentials are encrypted: they may hold secrets. The fields of HTTP are null for other types.
  `create table monitor (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    number integer generated always as identity,
    name text not null,
    type text not null,
    url text not null,
    method text,
    interval_seconds integer not null,
    timeout_seconds smallint not null,
    regions text[] not null,
    request_encrypted bytea,
    options jsonb not null,
    assertions jsonb not null,
    follow_redirects boolean,
    verify_tls boolean,
    confirmations smallint not null,
    tags text[] not null,
    server_id uuid,
    -- Each has a type, and a stored id or a tag.
    depends_on jsonb not null default '[]',
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz,
    -- Rules and windows that were deleted with it.
    deleted_alerts jsonb,
    primary key (organization, id),
    unique (organization, number)
  )`,
  'create index monitor_deleted on monitor (deleted_at) where deleted_at is not null',
  // Monitors that depend on others: the search for cycles reads no others.
  `create index monitor_dependent on monitor (organization, id) where depends_on <> '[]'`,
  `create index monitor_dependent_by_tag on monitor using gin (tags) where depends_on <> '[]'`,
  // The orders of lists that no other table decides.
  'create index monitor_by_age on monitor (organization, created_at desc, id desc) where deleted_at is null',
  `create index monitor_by_name on monitor (organization, lower(name collate "und-x-icu"), id desc) where deleted_at is null`,

  `create table monitor_status (
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    status text not null check (status in ('up', 'down', 'degraded', 'paused')),
    since timestamptz not null,
    before_pause text check (before_pause in ('up', 'down', 'degraded')),
    -- Since when it alternates; null: it does not.
    flapping_since timestamptz,
    primary key (organization, monitor)
  )`,

  "create index monitor_status_down on monitor_status (organization, monitor) where status = 'down'",

  `create table monitor_transition (
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    at timestamptz not null,
    id uuid not null,
    from_status text not null,
    to_status text not null,
    reason text not null,
    primary key (organization, monitor, at, id)
  )`,
])
