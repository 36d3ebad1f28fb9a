import { createTables } from './create-tables.ts'

/** Check workers, schedules and results. Frequently updated columns are in narrow rows, apart from the monitors. */
export const checks = createTables([
  // Processes that run the checks of a region: backends and probes. A region is online while one of them reports.
  `create table check_worker (
    alive_at bigint not null,
    id uuid not null,
    region smallint not null references region (number) on delete cascade,
    -- Addresses that it can reach while its network works.
    control_targets jsonb not null default '[]',
    primary key (region, id)
  )`,

  // Updated by every check, hence the fill factor. Times are milliseconds since the epoch. `due_at` is null while paused.
  // `fence` increases with each claim, result and change of the monitor: a result with an older value is discarded.
  `create table check_schedule (
    due_at bigint,
    anchor bigint not null,
    lease_until bigint not null,
    fence bigint not null,
    last_checked_at bigint,
    last_conclusive_at bigint,
    certificate_expires_at bigint,
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    interval_seconds integer not null,
    region smallint not null,
    failures smallint not null,
    successes smallint not null,
    state text check (state in ('up', 'down', 'degraded')),
    primary key (organization, monitor, region)
  ) with (fillfactor = 50)`,
  'create index check_schedule_due on check_schedule (region, due_at)',

  // One row per check. Wide columns come first: no padding. Durations are microseconds; outcome: 0 up, 1 degraded, 2 down,
  // 3 inconclusive. `at` is the start in ms, `day` its UTC day. `delayed`: the durations may include delays of the checker itself.
  `create table check_result (
    at bigint not null,
    organization integer not null,
    monitor integer not null,
    response_us integer,
    dns_us integer,
    connect_us integer,
    tls_us integer,
    first_byte_us integer,
    transfer_us integer,
    day date not null,
    region smallint not null,
    status_code smallint,
    outcome smallint not null,
    delayed boolean not null default false,
    error_code text,
    error_message text,
    address text,
    -- What the type of check reports in addition to its times; null for none.
    facts jsonb,
    primary key (organization, monitor, at, region, day)
  ) partition by range (day)`,
  // Rare, and counted by reports.
  'create index check_result_inconclusive on check_result (organization, monitor, at) where outcome = 3',

  // The response to the newest failed check of a monitor in a region, as evidence for an incident.
  `create table check_answer (
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    at bigint not null,
    region smallint not null,
    status_line text not null,
    body text,
    primary key (organization, monitor, region)
  ) with (fillfactor = 70)`,

  // One row per monitor, region and hour: counts, and the time, outcome and response time of every check, for exact percentiles
  // and series of any step.
  `create table check_hour (
    response_sum_us bigint not null,
    organization integer not null,
    monitor integer not null,
    hour integer not null,
    checks integer not null,
    failed integer not null,
    degraded integer not null default 0,
    answered integer not null,
    day date not null,
    region smallint not null,
    data bytea not null,
    primary key (organization, monitor, hour, region, day)
  ) partition by range (day)`,
  'alter table check_hour alter column data set storage external',

  // Hours that received a late check after their compaction.
  `create table check_hour_stale (
    hour integer not null,
    organization integer not null,
    monitor integer not null,
    primary key (hour, organization, monitor)
  )`,

  // One row per monitor, region and UTC day: counts, and a sketch of the response times. `checks` are conclusive; those in maintenance
  // are counted by the windows as they were when the day was compacted.
  `create table check_day (
    response_sum_us bigint not null,
    organization integer not null,
    monitor integer not null,
    checks integer not null,
    failed integer not null,
    degraded integer not null default 0,
    answered integer not null,
    inconclusive integer not null default 0,
    maintenance_checks integer not null default 0,
    maintenance_failed integer not null default 0,
    day date not null,
    region smallint not null,
    sketch bytea not null,
    primary key (organization, monitor, day, region)
  ) partition by range (day)`,
  'alter table check_day alter column sketch set storage external',

  // Sums of each monitor's checks from hour `from_hour` on, some seven days: what lists sort by. Every check adds to them, and
  // compaction counts them again each hour. Those of the first two hours are kept as well: the seven days begin within them.
  `create table check_week (
    response_sum_us bigint not null default 0,
    first_response_sum_us bigint not null default 0,
    id uuid not null,
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    from_hour integer not null default 0,
    checks integer not null default 0,
    failed integer not null default 0,
    answered integer not null default 0,
    first_checks integer not null default 0,
    first_failed integer not null default 0,
    first_answered integer not null default 0,
    primary key (organization, monitor)
  ) with (fillfactor = 50)`,

  // Compaction is complete up to and including `done`, in hours and days since the epoch.
  `create table check_progress (
    name text primary key check (name in ('hour', 'day')),
    done integer not null
  )`,
])
