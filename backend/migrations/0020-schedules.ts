import { createTables } from './create-tables.ts'

/** On-call schedules. `rota` holds layers and overrides, which are read and written as a whole. */
export const schedules = createTables([
  `create table schedule (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    name text not null,
    time_zone text not null,
    rota jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization, id)
  )`,
])
