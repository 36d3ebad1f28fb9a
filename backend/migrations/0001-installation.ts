import { createTables } from './create-tables.ts'

/**
 * What all instances of an installation share. Rules of every migration, so that one schema runs embedded, managed, and distributed
 * by organization:
 * - a tenant table has `organization` (the integer surrogate) NOT NULL and first in every key;
 * - values that are unique across organizations live in small global tables (`app_user`, `credential`);
 * - ids and times are parameters; there are no triggers, rules or exclusion constraints;
 * - foreign keys lead to the organization or stay inside it; partitions have none, because dropping one locks the referenced table.
 */
export const installation = createTables([
  `create table setting (
    name text primary key,
    value jsonb not null,
    updated_at timestamptz not null
  )`,

  // A starting instance reads from `alive_at` how long no backend ran: servers are not offline because nothing received their pushes.
  `create table instance (
    id uuid primary key,
    started_at timestamptz not null,
    alive_at timestamptz not null
  )`,

  // Jobs that one process at a time runs: who holds the lease, and when it expires.
  `create table job_lease (
    name text primary key,
    holder uuid not null,
    until timestamptz not null
  )`,

  // Work that all processes share: who takes part, and when its share passes to the others.
  `create table work_share (
    name text not null,
    holder uuid not null,
    until timestamptz not null,
    primary key (name, holder)
  )`,

  // One row per credential and group, for its newest minute. `given` is what the newest request got beyond its need.
  // Unlogged: a commit waits for no disk. A crash of the database empties it; instances continue from their memory.
  // The fill factor leaves room for in-place (HOT) updates, which do not touch the index.
  `create unlogged table rate_limit (
    subject uuid primary key,
    minute integer not null,
    used integer not null,
    held integer not null,
    given integer not null default 0
  ) with (fillfactor = 50)`,

  `create unlogged table rate_limit_instance (
    id uuid primary key,
    seen_at_ms bigint not null
  )`,

  // Finished requests only: the row commits together with what the request created.
  `create table idempotency_key (
    credential text not null,
    key text not null,
    request bytea not null,
    status smallint not null,
    made_id text not null,
    location text,
    body text,
    created_at timestamptz not null,
    primary key (credential, key)
  )`,
  'create index idempotency_key_by_age on idempotency_key (created_at)',
])
