import { createTables } from './create-tables.ts'

/** The language of what an organization sends. */
export const organizationLanguage = createTables([
  "alter table organization add column language text not null default 'en' check (language in ('en', 'de'))",
])
