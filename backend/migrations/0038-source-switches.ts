import { createTables } from './create-tables.ts'

/** What the agent of a server does not read although it could. Few servers have any. */
export const sourceSwitches = createTables([
  `alter table server add column sources_off text[] not null default '{}'`,
  `create index server_by_sources_off on server (organization, id) where sources_off <> '{}'`,
])
