import { createTables } from './create-tables.ts'

/** What happened, for example a deploy. `server_id` and `monitor_id` may be those of what is deleted by now. */
export const annotations = createTables([
  `create table annotation (
    organization integer not null references organization (number) on delete cascade,
    id uuid not null,
    at timestamptz not null,
    text text not null,
    tags text[] not null,
    server_id uuid,
    monitor_id uuid,
    url text,
    created_at timestamptz not null,
    primary key (organization, id)
  )`,
  'create index annotation_by_time on annotation (organization, at desc, id desc)',
  'create index annotation_by_expiry on annotation (at)',
])
