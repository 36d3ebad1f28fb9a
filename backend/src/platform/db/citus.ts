import { sql } from 'kysely'
import type { Log } from '../log.ts'
import type { Db } from './pool.ts'
import { inTransaction } from './transaction.ts'

/** On every node: what rows of all organizations lead to, and what is looked up before an organization is known. */
const REFERENCE = ['organization', 'app_user', 'region', 'credential', 'invitation_token', 'retired_token']
/** On the coordinator alone, though its rows have an organization: what any instance takes from in an order of its own. */
const PLAIN = ['mail_outbox', 'check_schedule', 'alert_signal', 'telling']
/** The others with an organization follow this one, so that the rows of one organization lie on one node. */
const LEADER = 'server'

/** What is done with a table where the citus extension is; tables that are not named are plain ones on the coordinator. */
export interface Placement {
  table: string
  as: 'reference' | 'distributed'
}

interface Own {
  name: string
  hasOrganization: boolean
}

/** The placements of all tables of the schema, in an order in which they can be made. */
export async function planPlacements(db: Db): Promise<Placement[]> {
  const { rows } = await sql<Own>`
    select relname as name, exists (
        select from pg_attribute where attrelid = t.oid and attname = 'organization' and attnotnull and not attisdropped
      ) as "hasOrganization"
    from pg_class as t
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition and relname not like 'kysely%'
      and not exists (select from pg_depend where objid = t.oid and deptype = 'e')
    order by relname <> ${LEADER}, relname`.execute(db)
  const apart = new Set([...REFERENCE, ...PLAIN])
  const distributed = rows.filter(({ name, hasOrganization }) => hasOrganization && !apart.has(name))
  return [
    ...REFERENCE.map((table): Placement => ({ table, as: 'reference' })),
    ...distributed.map(({ name }): Placement => ({ table: name, as: 'distributed' })),
  ]
}

/**
 * Places the tables that are not placed yet, with the rows that are in them. All or nothing, and again it changes nothing. Gives
 * the names of what it placed. Throws where the citus extension is not.
 */
export async function distribute(db: Db, log: Log): Promise<string[]> {
  if (!(await hasCitus(db))) throw new Error('The citus extension is not in this database: nothing was placed.')
  const plan = await planPlacements(db)
  return inTransaction(db, async (transaction) => {
    await sql`select pg_advisory_xact_lock(${STEP_LOCK})`.execute(transaction)
    // Keys lead from many shards to one reference table: their changes go one after the other.
    await sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`.execute(transaction)
    const placed = await placedTables(transaction)
    const open = plan.filter(({ table }) => !placed.has(table))
    if (open.length === 0) return []
    const keys = await dropKeys(
      transaction,
      open.filter(({ as }) => as === 'distributed').map(({ table }) => table),
    )
    for (const { table, as } of open) {
      await call(transaction, { table, as })
      log.info({ table, as }, 'placed for citus')
    }
    for (const { table, name, definition } of keys)
      await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(transaction)
    return open.map(({ table }) => table)
  })
}

const STEP_LOCK = 730_529

async function hasCitus(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** Hash-distributed and reference tables; one that citus only knows of is not placed. */
async function placedTables(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    where partmethod = 'h' or (partmethod = 'n' and repmodel = 't')`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

interface Key {
  table: string
  name: string
  definition: string
}

/**
 * Foreign keys of tables that are still to be distributed. One that leads to a reference table would make citus take the table for
 * its own first, which it cannot undo where a column has numbers of the database.
 */
async function dropKeys(db: Db, tables: readonly string[]): Promise<Key[]> {
  const { rows } = await sql<Key>`
    select relname as table, conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint as k join pg_class as t on t.oid = conrelid
    where contype = 'f' and conparentid = 0 and relnamespace = current_schema()::regnamespace
      and relname = any (${tables}::text[])`.execute(db)
  for (const { table, name } of rows) await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db)
  return rows
}

async function call(db: Db, { table, as }: Placement): Promise<void> {
  if (as === 'reference') await sql`select create_reference_table(${table}::text::regclass)`.execute(db)
  else if (table === LEADER) await sql`select create_distributed_table(${table}::text::regclass, 'organization')`.execute(db)
  else
    await sql`select create_distributed_table(${table}::text::regclass, 'organization', colocate_with => ${LEADER}::text)`.execute(
      db,
    )
}
