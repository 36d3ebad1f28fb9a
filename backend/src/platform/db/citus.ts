import { sql } from 'kysely'
import type { Log } from '../logging/log.ts'
import { DISTRIBUTED, hasCitus, tablesOnNodes } from './distributed.ts'
import type { Db } from './pool.ts'
import { withLongStatements } from './statement-limit.ts'
import { inTransaction } from './transaction.ts'

/**
 * Distributes the growing tables with their rows over the nodes, by organization. All or nothing; a second call changes nothing.
 * Returns the names of the tables that it distributed. Throws without the citus extension, and when a table is on nodes that
 * Vedette needs on the coordinator.
 */
export async function distribute(db: Db, log: Log): Promise<string[]> {
  if (!(await hasCitus(db))) throw new Error('The citus extension is not in this database: nothing was distributed.')
  const distributeAll = async (transaction: Db) => {
    await sql`select pg_advisory_xact_lock(${STEP_LOCK})`.execute(transaction)
    const tables = await tablesOnNodes(transaction)
    const foreign = tables.filter((name) => !isOurs(name))
    if (foreign.length > 0)
      throw new Error(
        `These tables were placed on nodes before and must be on the coordinator alone: ${foreign.join(', ')}. ` +
          'Undistribute each (select undistribute_table(name, cascade_via_foreign_keys => true)), then run this again.',
      )
    const open = DISTRIBUTED.filter((table) => !tables.includes(table))
    for (const table of open) {
      await call(transaction, table)
      log.info({ table }, 'distributed over the nodes of citus')
    }
    return [...open]
  }
  return withLongStatements(() => inTransaction(db, distributeAll))
}

const STEP_LOCK = 730_529

const isOurs = (name: string): boolean => (DISTRIBUTED as readonly string[]).includes(name)

/** All tables of one organization are on the same node. */
const [LEADER] = DISTRIBUTED

async function call(db: Db, table: (typeof DISTRIBUTED)[number]): Promise<void> {
  if (table === LEADER) await sql`select create_distributed_table(${table}::text::regclass, 'organization')`.execute(db)
  else
    await sql`select create_distributed_table(${table}::text::regclass, 'organization', colocate_with => ${LEADER}::text)`.execute(
      db,
    )
}
