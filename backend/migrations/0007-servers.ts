import { createTables } from './create-tables.ts'

/** Servers, their newest state, their events and process lists. */
export const servers = createTables([
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
    -- Each has a type, and a stored id or a tag.
    depends_on jsonb not null default '[]',
    registered_at timestamptz not null,
    primary key (organization, id),
    unique (organization, machine_id)
  )`,
  'create index on server (organization, agent_version)',
  // All processes look for new servers, and whether they know all.
  'create index on server (number)',
  // Servers that depend on others: the search for cycles reads no others.
  `create index server_dependent on server (organization, id) where depends_on <> '[]'`,
  `create index server_dependent_by_tag on server using gin (tags) where depends_on <> '[]'`,
  // The order of names in lists.
  `create index on server (organization, lower(coalesce(display_name, hostname) collate "und-x-icu"), id desc)`,

  // What lists sort and filter servers by: narrow, because they read all rows of an organization. `created_at` is the server's
  // `registered_at`. Each push updates it: the fill factor, and no index on what changes, let the updates stay in place (HOT).
  `create table server_newest (
    organization integer not null,
    id uuid not null,
    created_at timestamptz not null,
    last_push_ms bigint,
    sampled_at_ms bigint not null default 0,
    cpu smallint,
    memory smallint,
    disk smallint,
    primary key (organization, id),
    foreign key (organization, id) references server (organization, id) on delete cascade
  ) with (fillfactor = 50)`,

  // Updated up to once a minute per server: the fill factor leaves room for in-place (HOT) updates.
  `create table server_state (
    organization integer not null references organization (number) on delete cascade,
    server_id uuid not null,
    state_at_ms bigint not null,
    filesystems jsonb not null,
    interfaces jsonb not null,
    host jsonb not null default '{}',
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

  // Servers whose offline event was published: each change is published once, whichever instance sees it first.
  `create table offline_server (
    organization integer not null,
    server_id uuid not null,
    primary key (organization, server_id),
    foreign key (organization, server_id) references server (organization, id) on delete cascade
  )`,

  // `processes` is JSON arrays without field names: as jsonb objects a list takes more than twice the space.
  // `at_ms` is the newest sample of the batch that contained the list, `day` its UTC day.
  `create table process_list (
    organization integer not null,
    server integer not null,
    at_ms bigint not null,
    day date not null,
    processes bytea not null,
    primary key (organization, server, at_ms, day)
  ) partition by range (day)`,
])
