import { createTables } from './create-tables.ts'

/** What people call themselves; null: they are shown by their e-mail alone. */
export const userNames = createTables(['alter table app_user add column name text'])
