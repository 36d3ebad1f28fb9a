import { createTables } from './create-tables.ts'

/** Composites are few among the monitors of an organization: what changes looks for those that it is a member of. */
export const composites = createTables([
  `create index monitor_composite on monitor (organization) where type = 'composite' and deleted_at is null`,
])
