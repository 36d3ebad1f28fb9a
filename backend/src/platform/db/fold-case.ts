import { type Expression, type RawBuilder, sql } from 'kysely'

/**
 * A text in lower case, of all scripts and in their order. By a collation of ICU, which every PostgreSQL has: the locale of the
 * database may be C, which knows the letters of ASCII only.
 */
export const foldCase = (text: Expression<unknown>): RawBuilder<string> => sql<string>`lower(${text} collate "und-x-icu")`
