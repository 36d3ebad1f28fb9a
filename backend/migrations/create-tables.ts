import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A migration that runs these statements in their order. */
export const createTables = (statements: readonly string[]): Migration => ({
  up: async (db: Kysely<unknown>) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})
