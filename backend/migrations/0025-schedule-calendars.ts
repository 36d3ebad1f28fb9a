import { createTables } from './create-tables.ts'

/** The hash of the secret in the address of a schedule's calendar. Not unique: the index has no organization. */
export const scheduleCalendars = createTables([
  'alter table schedule add column calendar_hash bytea',
  'create index schedule_calendar on schedule (calendar_hash) where calendar_hash is not null',
])
