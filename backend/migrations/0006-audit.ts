import { createTables } from './create-tables.ts'

/** Who did what to what, and from which address. Partitioned by month, so that expired months are dropped as whole tables. */
export const audit = createTables([
  `create table audit_event (
    organization integer not null,
    at timestamptz not null,
    id uuid not null,
    actor_kind text not null check (actor_kind in ('user', 'api_key', 'server', 'system')),
    actor_id uuid,
    action text not null,
    target_type text,
    target_id uuid,
    ip text,
    details jsonb not null,
    primary key (organization, at, id)
  ) partition by range (at)`,
])
