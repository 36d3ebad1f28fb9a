import { createTables } from './create-tables.ts'

/** Schedules follow a calendar elsewhere: its address is encrypted, and what is on duty by it stands in `rota`. */
export const followedCalendars = createTables([
  `alter table schedule
    add column ical_url bytea,
    add column ical_state jsonb,
    add column ical_due_at timestamptz`,
  'create index schedule_ical_due on schedule (ical_due_at) where ical_due_at is not null and deleted_at is null',
])
