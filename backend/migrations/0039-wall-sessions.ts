import { createTables } from './create-tables.ts'

/** Of a session that a wall keeps: until when it may change something. `expires_at` then moves on with each refresh. */
export const wallSessions = createTables(['alter table session add column full_until timestamptz'])
