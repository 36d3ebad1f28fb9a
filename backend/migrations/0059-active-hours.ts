import { createTables } from './create-tables.ts'

/** When monitors are monitored. `hours_change_at`: when the next one of them begins or ends; null for those that always are. */
export const activeHours = createTables([
  "alter table monitor add column active_hours jsonb not null default '[]', add column hours_change_at timestamptz",
  `alter table monitor_status drop constraint monitor_status_status_check,
    add constraint monitor_status_status_check check (status in ('up', 'down', 'degraded', 'paused', 'idle'))`,
  'create index monitor_hours_change on monitor (hours_change_at) where hours_change_at is not null',
])
