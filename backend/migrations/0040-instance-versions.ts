import { createTables } from './create-tables.ts'

/** Which version an instance runs; null: it started before that was stored. */
export const instanceVersions = createTables(['alter table instance add column version text'])
