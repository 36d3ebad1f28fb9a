import { type DatabaseIntrospector, PostgresDialect, sql, type Kysely } from 'kysely'

/**
 * Lists tables without their columns, which is all that the migrator needs. Kysely's own introspector queries the sequences of each
 * partition: it slows down with each stored day, and fails when another instance drops a partition meanwhile.
 */
export class NamingPostgresDialect extends PostgresDialect {
  override createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    const getSchemas: DatabaseIntrospector['getSchemas'] = async () => {
      const { rows } = await sql<{ name: string }>`select nspname as name from pg_namespace`.execute(db)
      return rows
    }
    const getTables: DatabaseIntrospector['getTables'] = async () => {
      const { rows } = await sql<{ name: string; schema: string }>`
        select relname as name, nspname as schema from pg_class join pg_namespace as ns on ns.oid = relnamespace
        where relkind in ('r', 'p') and not relispartition and nspname !~ '^pg_' and nspname <> 'information_schema'`.execute(db)
      return rows.map((row) => ({ ...row, isView: false, isForeign: false, columns: [] }))
    }
    return { getSchemas, getTables }
  }
}
