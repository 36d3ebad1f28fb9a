import { type Kysely, sql } from 'kysely'

/**
 * The first schema: installation, people, organizations, credentials, servers and their pushes.
 *
 * It keeps the rules that let one schema run embedded, managed and distributed by organization:
 * - every tenant table has `organization` (the integer surrogate) NOT NULL and first in its key;
 * - what is unique across organizations lives in small global tables (`app_user`, `credential`, `membership` by its index);
 * - ids come from the application, times are passed in; no triggers, no rules, no exclusion constraints;
 * - foreign keys lead to the organization only, none to or from the partitions of samples.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table setting (
    name text primary key,
    value jsonb not null,
    updated_at timestamptz not null
  )`,

  // When each running instance was last alive: after a start, the time in which nobody listened is not held against servers.
  `create table instance (
    id uuid primary key,
    started_at timestamptz not null,
    alive_at timestamptz not null
  )`,

  `create table organization (
    number integer generated always as identity primary key,
    id uuid not null unique,
    name text not null,
    plan text not null,
    created_at timestamptz not null
  )`,

  `create table app_user (
    id uuid primary key,
    email text not null unique,
    password_hash text not null,
    password_changed_at timestamptz not null,
    created_at timestamptz not null
  )`,

  `create table session (
    id uuid primary key,
    user_id uuid not null references app_user (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    ip text not null
  )`,
  'create index session_by_user on session (user_id)',

  `create table membership (
    organization integer not null references organization (number) on delete cascade,
    user_id uuid not null,
    role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
    joined_at timestamptz not null,
    primary key (organization, user_id)
  )`,
  'create index membership_by_user on membership (user_id, joined_at, organization)',

  // Global: a secret is looked up by its hash before its organization is known.
  `create table credential (
    hash bytea primary key,
    kind text not null check (kind in ('api_key', 'server_token')),
    organization integer not null references organization (number) on delete cascade,
    subject_id uuid not null
  )`,
  'create index credential_by_subject on credential (organization, subject_id)',

  `create table api_key (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    hash bytea not null,
    name text not null,
    prefix text not null,
    scopes text[] not null,
    created_by uuid,
    created_at timestamptz not null,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    primary key (organization, id)
  )`,
  // The statement that stores pushes proves their keys by it.
  'create index api_key_by_hash on api_key (organization, hash)',

  `create table server (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    number integer generated always as identity,
    machine_id text not null,
    token_hash bytea not null,
    token_created_at timestamptz not null,
    boot_id text,
    former_boot_ids text[] not null,
    hostname text not null,
    display_name text,
    os text not null,
    kernel text not null,
    arch text not null,
    agent_version text not null,
    tags text[] not null,
    facts jsonb not null,
    registered_at timestamptz not null,
    primary key (organization, id),
    unique (organization, machine_id)
  )`,

  // Rewritten up to once a minute per server: room in each page keeps those updates off the index.
  `create table server_state (
    organization integer not null references organization (number) on delete cascade,
    server_id uuid not null,
    last_push_ms bigint not null,
    state_at_ms bigint not null,
    filesystems jsonb not null,
    interfaces jsonb not null,
    primary key (organization, server_id)
  ) with (fillfactor = 40)`,

  `create table deleted_machine (
    organization integer not null references organization (number) on delete cascade,
    machine_id text not null,
    deleted_at timestamptz not null,
    primary key (organization, machine_id)
  )`,

  `create table event (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    at timestamptz not null,
    type text not null,
    subject_id uuid,
    details jsonb not null,
    primary key (organization, id)
  )`,

  // One row per pushed batch and UTC hour. Partitioned by the day of receipt, so that late data lands in today's partition.
  // The widest columns stand first: no padding. Times are milliseconds since the epoch.
  `create table metric_push (
    t0 bigint not null,
    digest bigint not null,
    t_last bigint not null,
    received_at bigint not null,
    organization integer not null,
    server integer not null,
    received_day date not null,
    samples smallint not null,
    data bytea not null,
    primary key (organization, server, t0, digest, received_day)
  ) partition by range (received_day)`,
  // Blocks are small and dense already: out-of-line storage and compression would only cost.
  'alter table metric_push alter column data set storage plain',
]
