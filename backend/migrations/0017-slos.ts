import { createTables } from './create-tables.ts'

/** Service level objectives. Their burn-rate alerts are alert rules of their own type. */
export const slos = createTables([
  // Exactly one of target_id (a monitor) and target_tag. `threshold_ms` is that of a latency.
  `create table slo (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    target_id uuid,
    target_tag text,
    kind text not null check (kind in ('availability', 'latency')),
    threshold_ms integer,
    objective float8 not null,
    period text not null,
    time_zone text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization, id)
  )`,
])
