import { createTables } from './create-tables.ts'

/** Monitors that wait for pings. */
export const heartbeats = createTables([
  // Global: one indexed read finds the organization and the monitor of a token. Without a monitor it is the organization's ping key.
  `create table ping_token (
    hash bytea primary key,
    organization integer not null references organization (number) on delete cascade,
    monitor integer
  )`,
  'create index ping_token_by_monitor on ping_token (organization, monitor)',

  `create table ping_key (
    organization integer primary key references organization (number) on delete cascade,
    encrypted bytea not null,
    created_at timestamptz not null
  )`,

  // Updated by every ping, hence the fill factor. Times are milliseconds since the epoch. `slug` is null while the monitor is deleted.
  // `deadline_at`: when the monitor is looked at if no ping comes; null while nothing is awaited. It follows from `expected_by`, the
  // end of the grace of the next ping, and from the last start. `starts` are runs that have not ended, the oldest first.
  `create table heartbeat (
    deadline_at bigint,
    expected_by bigint,
    last_ping_at bigint,
    last_start_at bigint,
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    last_start_rid uuid,
    token_hash bytea not null,
    slug text,
    starts jsonb not null,
    primary key (organization, monitor),
    unique (organization, slug)
  ) with (fillfactor = 50)`,
  'create index heartbeat_deadline on heartbeat (deadline_at) where deadline_at is not null',

  // One row per ping. `at` is its receipt in ms, `day` its UTC day. `kind`: 0 success, 1 fail, 2 start, 3 log. `body` is a bounded
  // beginning without secrets.
  `create table ping (
    at bigint not null,
    duration_ms bigint,
    organization integer not null,
    monitor integer not null,
    id uuid not null,
    rid uuid,
    day date not null,
    kind smallint not null,
    exit_code smallint,
    method text not null,
    address text not null,
    user_agent text,
    body text,
    primary key (organization, monitor, at, id, day)
  ) partition by range (day)`,
])
