import { createTables } from './create-tables.ts'

/** Alerts of a source go to policies by their labels; those that no route takes go where the source says, as all did. */
export const alertRoutes = createTables([`alter table alert_source add column routes jsonb not null default '[]'`])
