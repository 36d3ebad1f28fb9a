import { type Kysely, sql } from 'kysely'

/**
 * Samples put together: an hour of a server as one compressed block with what it adds up to, a day as means over 5 minutes.
 * The pushes that they are made of go when nothing of them is open.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // `hour` is hours since the epoch. The header (counts, sums, maxima, newest values) stands in the row and is read alone; the
  // samples are compressed already and stand outside of it.
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

  // By metric group, so that one field does not inflate twenty.
  `create table metric_day (
    organization integer not null,
    server integer not null,
    day date not null,
    metric_group smallint not null,
    header bytea not null,
    data bytea not null,
    primary key (organization, server, day, metric_group)
  ) partition by range (day)`,
  'alter table metric_day alter column header set storage main, alter column data set storage external',

  // Hours of servers that got samples after they were, or may have been, put together. `marked_at` is when the first of them
  // came, ms: the pushes of that day stay until the mark is gone.
  `create table metric_late (
    marked_at bigint not null,
    hour integer not null,
    organization integer not null,
    server integer not null,
    primary key (hour, organization, server)
  )`,
  'create index metric_late_by_server on metric_late (organization, server, hour)',

  // How far hours and days are put together: all up to the number, in hours and days since the epoch.
  `create table metric_progress (
    name text primary key check (name in ('hour', 'day')),
    done integer not null
  )`,
]
