import { type Kysely, sql } from 'kysely'

/**
 * Monitors, what their checks saw, and when the next ones are due.
 *
 * `monitor` is what people define. What changes with every check stands apart in narrow rows: `check_schedule` (one per monitor
 * and region) and `monitor_status` (one per monitor). Checks are kept raw by the day, and as means by the hour and the day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Where checks run: of the whole installation. The token is that of a probe elsewhere; the backend's own region has none.
  `create table region (
    number smallint generated always as identity primary key,
    id text not null unique,
    name text not null,
    token_hash bytea unique,
    created_at timestamptz not null
  )`,

  // Who makes the checks of a region: processes of the backend, and probes. A region is online while one of them was heard of.
  `create table check_worker (
    alive_at bigint not null,
    id uuid not null,
    region smallint not null references region (number) on delete cascade,
    primary key (region, id)
  )`,

  // What is sent may hold secrets: headers and body are sealed.
  `create table monitor (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    number integer generated always as identity,
    name text not null,
    type text not null,
    url text not null,
    method text not null,
    interval_seconds integer not null,
    timeout_seconds smallint not null,
    regions text[] not null,
    request_sealed bytea,
    assertions jsonb not null,
    follow_redirects boolean not null,
    verify_tls boolean not null,
    confirmations smallint not null,
    tags text[] not null,
    server_id uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization, id),
    unique (organization, number)
  )`,

  `create table monitor_status (
    organization integer not null references organization (number) on delete cascade,
    monitor integer not null,
    status text not null check (status in ('up', 'down', 'degraded', 'paused')),
    since timestamptz not null,
    before_pause text check (before_pause in ('up', 'down', 'degraded')),
    primary key (organization, monitor)
  )`,

  // Rewritten by every check: room in each page. Times are milliseconds since the epoch. `due_at` is null while paused.
  // `fence` grows with each claim, each result and each change of the monitor: a result with another one counts for nothing.
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

  // One row per check. The widest columns first: no padding. Durations are microseconds; outcome 0 up, 1 degraded, 2 down,
  // 3 inconclusive. `at` is when it began, ms; the day is the UTC day of it. Delayed: the times may hold some of the checker's own.
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
    primary key (organization, monitor, at, region, day)
  ) partition by range (day)`,

  // One row per monitor, region and whole hour: counts, and every check with its time, outcome and response time, so that
  // percentiles stay exact and series of any step can be made.
  `create table check_hour (
    response_sum_us bigint not null,
    organization integer not null,
    monitor integer not null,
    hour integer not null,
    checks integer not null,
    failed integer not null,
    answered integer not null,
    day date not null,
    region smallint not null,
    data bytea not null,
    primary key (organization, monitor, hour, region, day)
  ) partition by range (day)`,
  'alter table check_hour alter column data set storage external',

  // Hours that got a late check after they were put together.
  `create table check_hour_stale (
    hour integer not null,
    organization integer not null,
    monitor integer not null,
    primary key (hour, organization, monitor)
  )`,

  // One row per monitor, region and whole UTC day: counts, and a sketch of the response times.
  `create table check_day (
    response_sum_us bigint not null,
    organization integer not null,
    monitor integer not null,
    checks integer not null,
    failed integer not null,
    answered integer not null,
    day date not null,
    region smallint not null,
    sketch bytea not null,
    primary key (organization, monitor, day, region)
  ) partition by range (day)`,
  'alter table check_day alter column sketch set storage external',

  // How far hours and days are put together: all up to the number, in hours and days since the epoch.
  `create table check_progress (
    name text primary key check (name in ('hour', 'day')),
    done integer not null
  )`,
]
