import { sql } from 'kysely'
import type { Log } from '../log.ts'
import { DISTRIBUTED, hasCitus, placedTables } from './distributed.ts'
import type { Db } from './pool.ts'
import { inTransaction } from './transaction.ts'

/**
 * Spreads the tables whose bytes grow over the nodes by their organization, with the rows that are in them. All or nothing, and again
 * it changes nothing. Gives the names of what it distributed. Throws where the citus extension is not, and where a table lies on
 * nodes that Vedette needs on the coordinator.
 */
export async function distribute(db: Db, log: Log): Promise<string[]> {
  if (!(await hasCitus(db))) throw new Error('The citus extension is not in this database: nothing was distributed.')
  return inTransaction(db, async (transaction) => {
    await sql`select pg_advisory_xact_lock(${STEP_LOCK})`.execute(transaction)
    const standing = await placedTables(transaction)
    const strange = standing.filter((name) => !isOurs(name))
    if (strange.length > 0)
      throw new Error(
        `These tables were placed on nodes before and must be on the coordinator alone: ${strange.join(', ')}. ` +
          'Undistribute each (select undistribute_table(name, cascade_via_foreign_keys => true)), then run this again.',
      )
    const open = DISTRIBUTED.filter((table) => !standing.includes(table))
    for (const table of open) {
      await call(transaction, table)
      log.info({ table }, 'distributed over the nodes of citus')
    }
    return [...open]
  })
}

const STEP_LOCK = 730_529

const isOurs = (name: string): boolean => (DISTRIBUTED as readonly string[]).includes(name)

/** One organization is on one node in all of them. */
const [LEADER] = DISTRIBUTED

async function call(db: Db, table: (typeof DISTRIBUTED)[number]): Promise<void> {
  if (table === LEADER) await sql`select create_distributed_table(${table}::text::regclass, 'organization')`.execute(db)
  else
    await sql`select create_distributed_table(${table}::text::regclass, 'organization', colocate_with => ${LEADER}::text)`.execute(
      db,
    )
}
