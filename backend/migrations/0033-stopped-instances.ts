import { createTables } from './create-tables.ts'

/** When an instance was stopped; null: it runs, or ended without a word. */
export const stoppedInstances = createTables(['alter table instance add column stopped_at timestamptz'])
