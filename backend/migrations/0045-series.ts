import { createTables } from './create-tables.ts'

/** Series that other programs send: labels of Prometheus, and samples. Times are milliseconds since the epoch. */
export const series = createTables([
  // `target` is the place that samples are pushed to: one for all series with the same job and instance.
  `create table received_series (
    organization integer not null,
    number integer not null generated always as identity,
    target integer not null,
    hash bytea not null,
    name text not null,
    labels jsonb not null,
    first_seen bigint not null,
    last_seen bigint not null,
    primary key (organization, number),
    unique (organization, hash)
  ) with (fillfactor = 80)`,
  'create index on received_series (organization, name)',

  `create table series_family (
    organization integer not null,
    name text not null,
    type text not null,
    unit text not null,
    help text not null,
    primary key (organization, name)
  )`,

  // What one request brought for one target within one hour, until it is compacted.
  `create table series_push (
    t0 bigint not null,
    t_last bigint not null,
    received_at bigint not null,
    digest bigint not null,
    organization integer not null,
    target integer not null,
    data bytea not null,
    primary key (organization, target, t0, digest)
  )`,
  'alter table series_push alter column data set storage external',

  // Samples of one series within an hour, or within a whole UTC day. Late samples make rows of their own until the day is merged again.
  `create table series_chunk (
    t_first bigint not null,
    t_last bigint not null,
    stored_at bigint not null,
    organization integer not null,
    target integer not null,
    series integer not null,
    day date not null,
    is_merged boolean not null,
    samples integer not null,
    data bytea not null,
    primary key (organization, series, day, t_first, stored_at)
  ) partition by range (day)`,
  'alter table series_chunk alter column data set storage external',
  'create index on series_chunk (day, organization, target) where not is_merged',
])
