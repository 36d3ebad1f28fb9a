import { createTables } from './create-tables.ts'

/** Intervals whose checks count differently than they did, and what maintenance windows said before they were changed. */
export const reclassifications = createTables([
  `create table reclassification (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    monitor integer not null,
    from_at timestamptz not null,
    to_at timestamptz not null,
    counts_as text not null check (counts_as in ('maintenance', 'excluded', 'counted')),
    comment text not null,
    actor_kind text not null,
    actor_id uuid,
    created_at timestamptz not null,
    primary key (organization, id),
    foreign key (organization, monitor) references monitor (organization, number) on delete cascade,
    check (from_at < to_at)
  )`,
  'create index reclassification_by_monitor on reclassification (organization, monitor, from_at)',
  'create index reclassification_by_expiry on reclassification (to_at)',

  // The checks of an interval by UTC days that are compacted: single checks are deleted before the days are.
  `create table reclassified_day (
    organization integer not null,
    reclassification uuid not null,
    day date not null,
    region smallint not null,
    checks integer not null,
    failed integer not null,
    degraded integer not null,
    -- Of them, those in maintenance windows.
    maintenance_checks integer not null,
    maintenance_failed integer not null,
    primary key (organization, reclassification, day, region),
    foreign key (organization, reclassification) references reclassification (organization, id) on delete cascade
  )`,

  // Since when a window covers what it covers; null: since it was created.
  'alter table maintenance_window add column covers_since timestamptz',
  // What a window covered until it was changed or deleted. The window may be gone.
  `create table maintenance_window_past (
    organization integer not null references organization (number) on delete cascade,
    window_id uuid not null,
    target_type text not null,
    target_id uuid,
    target_tag text,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    repeat text,
    time_zone text not null,
    covers_since timestamptz not null,
    covers_until timestamptz not null,
    primary key (organization, window_id, covers_until)
  )`,
  'create index maintenance_window_past_by_end on maintenance_window_past (organization, covers_until)',
])
