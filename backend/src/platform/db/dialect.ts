import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Driver,
  type Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
  type TransactionSettings,
} from 'kysely'
import { transactionLimits } from './statement-limit.ts'

/** PostgreSQL with limits for transactions, and with what the migrator reads of tables. */
export class LimitingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): Driver {
    return new LimitingPostgresDriver(this.#config)
  }

  /**
   * Lists tables without their columns, which is all that the migrator needs. Kysely's own introspector queries the sequences of each
   * partition: it slows down with each stored day, and fails when another instance drops a partition meanwhile.
   */
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

class LimitingPostgresDriver extends PostgresDriver {
  /** All in one message: the limits cost no round trip. */
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const executeQuery: DatabaseConnection['executeQuery'] = ({ sql: begin }) =>
      connection.executeQuery(CompiledQuery.raw(`${begin}; ${transactionLimits()}`))
    await super.beginTransaction({ ...connection, executeQuery }, settings)
  }
}
