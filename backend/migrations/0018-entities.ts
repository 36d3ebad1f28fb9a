import { createTables } from './create-tables.ts'

/** Containers, units, sensors and other things that a server has several of. Times are milliseconds since the epoch. */
export const entities = createTables([
  // `number` is its number on its server, and `kind` that of the kind. Only the newest attributes are kept.
  `create table entity (
    organization integer not null,
    server integer not null,
    number integer not null,
    id uuid not null,
    kind smallint not null,
    name text not null,
    attributes jsonb not null,
    attributes_at bigint not null,
    first_seen bigint not null,
    last_seen bigint not null,
    primary key (organization, server, number),
    unique (organization, server, kind, name),
    unique (organization, id)
  )`,
  'create index on entity (last_seen)',

  // What was read of all entities of a server at one instant, until it is compacted; the newest row stays.
  `create table entity_push (
    at bigint not null,
    received_at bigint not null,
    organization integer not null,
    server integer not null,
    data bytea not null,
    primary key (organization, server, at)
  )`,
  'alter table entity_push alter column data set storage external',

  // What was read of one entity within an hour, or within a whole UTC day: a row each. Late readings make rows of their own until the
  // day is merged again.
  `create table entity_chunk (
    t_first bigint not null,
    t_last bigint not null,
    stored_at bigint not null,
    organization integer not null,
    server integer not null,
    entity integer not null,
    day date not null,
    is_merged boolean not null,
    data bytea not null,
    primary key (organization, server, entity, day, t_first, stored_at)
  ) partition by range (day)`,
  'alter table entity_chunk alter column data set storage external',
  'create index on entity_chunk (day, organization, server) where not is_merged',

  `create table entity_event (
    organization integer not null,
    server integer not null,
    entity integer not null,
    at bigint not null,
    type text not null,
    details jsonb not null,
    primary key (organization, server, entity, at, type)
  )`,
  'create index on entity_event (at)',

  // Of a rule on a field of entities: their name, with * for any text; null: any.
  'alter table alert_rule add column entity_name text',
])
