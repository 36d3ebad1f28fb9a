import { createTables } from './create-tables.ts'

/** Samples: pushed batches, compacted hours and days, and the names of mounts and interfaces. */
export const metrics = createTables([
  // One row per pushed batch and UTC hour. Partitioned by the day of receipt, so that late data goes to today's partition.
  // Wide columns come first: no padding. Times are milliseconds since the epoch.
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
  // Blocks are dense already, so Postgres must not compress them. Nearly all rows are below 2 kB and stay in line.
  'alter table metric_push alter column data set storage external',

  // Hours of days that are not finished. `hour` is hours since the epoch. The header (counts, sums, maxima, newest values) is read
  // alone and stays in line; the samples are out of line.
  `create table metric_hour (
    organization integer not null,
    server integer not null,
    hour integer not null,
    day date not null,
    samples integer not null,
    header bytea not null,
    data bytea not null,
    primary key (organization, server, hour, day)
  ) partition by range (day)`,
  'alter table metric_hour alter column header set storage main, alter column data set storage external',

  // All samples of finished days. Postgres reads a part of `data` alone, because it does not compress it: `ends` has where each
  // group and hour is.
  `create table metric_samples (
    organization integer not null,
    server integer not null,
    day date not null,
    samples integer not null,
    ends integer[] not null,
    data bytea not null,
    primary key (organization, server, day)
  ) partition by range (day)`,
  'alter table metric_samples alter column ends set storage main, alter column data set storage external',

  // Means of finished days: the header has the totals, `data` the half hours and the 5 minutes of each group.
  `create table metric_day (
    organization integer not null,
    server integer not null,
    day date not null,
    ends integer[] not null,
    header bytea not null,
    data bytea not null,
    primary key (organization, server, day)
  ) partition by range (day)`,
  'alter table metric_day alter column header set storage main, alter column data set storage external',

  // Hours of servers that received samples after their compaction. `marked_at` (ms) is the receipt of the first one: the pushes of
  // that day are kept until the hour is compacted again.
  `create table metric_late (
    marked_at bigint not null,
    hour integer not null,
    organization integer not null,
    server integer not null,
    primary key (hour, organization, server)
  )`,
  'create index metric_late_by_server on metric_late (organization, server, hour)',

  // Compaction is complete up to and including `done`, in hours and days since the epoch.
  `create table metric_progress (
    name text primary key check (name in ('hour', 'day')),
    done integer not null
  )`,

  // The slot of each mount and interface of a server; it selects the fields in the blocks..
  `create table metric_dimension (
    organization integer not null,
    server integer not null,
    kind text not null check (kind in ('mount', 'interface')),
    slot smallint not null check (slot between 0 and 63),
    name text not null,
    primary key (organization, server, kind, slot),
    unique (organization, server, kind, name)
  )`,
])
