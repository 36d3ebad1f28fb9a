import type { Db } from '../../platform/db/index.ts'
import { sql } from 'kysely'
import type { TableHead } from './format.ts'

export interface Table extends TableHead {
  /** On disk, TOAST included; the unit of the progress of an export. */
  bytes: number
}

/** State of running instances, useless elsewhere. Unlogged tables are excluded by the query. */
const TRANSIENT = ['check_worker', 'instance', 'job_lease', 'work_share']

/**
 * Every table to export, each after the tables that it references. The list comes from the catalog, so that no later table is
 * missed.
 */
export async function listTables(db: Db): Promise<Table[]> {
  const { rows } = await sql<Omit<Table, 'identity'> & { identity: string | null; parents: string[] }>`
    select t.relname as name,
      array(select attname::text from pg_attribute where attrelid = t.oid and attnum > 0 and not attisdropped order by attnum) as columns,
      (select attname::text from pg_attribute where attrelid = t.oid and attidentity <> '') as identity,
      (select coalesce(json_agg(json_build_object('name', p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid)) order by p.relname), '[]')
        from pg_inherits join pg_class as p on p.oid = inhrelid where inhparent = t.oid) as partitions,
      pg_table_size(t.oid)
        + (select coalesce(sum(pg_table_size(inhrelid)), 0) from pg_inherits where inhparent = t.oid)::bigint as bytes,
      array(select distinct p.relname::text from pg_constraint join pg_class as p on p.oid = confrelid
        where conrelid = t.oid and contype = 'f' and confrelid <> t.oid) as parents
    from pg_class as t
    where ${OWN} and relpersistence = 'p' and not relname = any (${TRANSIENT}::text[])
    order by t.relname`.execute(db)
  const tables: Table[] = []
  for (const { identity, parents: _parents, ...table } of parentsFirst(rows)) {
    const last = identity === null ? null : await lastNumber(db, table.name, identity)
    tables.push({ ...table, identity: identity === null ? null : { column: identity, last } })
  }
  return tables
}

/** The tables of Vedette, without those of extensions and of the migration tool. */
const OWN = sql`relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
  and relname not like 'kysely%' and not exists (select from pg_depend where objid = t.oid and deptype = 'e')`

function parentsFirst<T extends { name: string; parents: string[] }>(tables: readonly T[]): T[] {
  const ordered = new Map<string, T>()
  const place = (table: T): void => {
    if (ordered.has(table.name)) return
    for (const parent of tables.filter(({ name }) => table.parents.includes(name))) place(parent)
    ordered.set(table.name, table)
  }
  tables.forEach(place)
  return [...ordered.values()]
}

async function lastNumber(db: Db, table: string, column: string): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    select pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass) as last`.execute(db)
  return rows[0]?.last ?? null
}

/** Continues the sequence after the last exported number. */
export async function setLastNumber(db: Db, { name, identity }: TableHead): Promise<void> {
  if (!identity || identity.last === null) return
  await sql`select setval(pg_get_serial_sequence(${name}, ${identity.column})::regclass, ${identity.last}::bigint)`.execute(db)
}

/** Truncates every table and creates the partitions that the head lists. */
export async function emptyTables(db: Db, tables: readonly TableHead[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class as t where ${OWN}`.execute(db)
  await sql`truncate ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db)
  await createPartitions(db, tables)
}

/** Creates the partitions that the head lists; existing ones stay. */
export async function createPartitions(db: Db, tables: readonly TableHead[]): Promise<void> {
  for (const { name, partitions } of tables) {
    for (const partition of partitions) {
      await sql`create table if not exists ${sql.table(partition.name)} partition of ${sql.table(name)} ${boundOf(partition.bound)}`.execute(
        db,
      )
    }
  }
}

/** The bound becomes part of a statement, so it may contain only two instants. */
function boundOf(bound: string) {
  if (!/^FOR VALUES FROM \('[\d :+-]+'\) TO \('[\d :+-]+'\)$/.test(bound))
    throw new Error(`${bound} is not a bound of a partition`)
  return sql.raw(bound)
}

/** Whether users or organizations exist, and whether an instance was alive since then. */
export async function findOwners(db: Db, aliveSince: Date): Promise<{ installation: boolean; instance: boolean }> {
  const { rows } = await sql<{ installation: boolean; instance: boolean }>`
    select exists (select from organization) or exists (select from app_user) as installation,
      exists (select from instance where alive_at > ${aliveSince}) as instance`.execute(db)
  return rows[0] ?? { installation: false, instance: false }
}

/** Updates the statistics of the planner. */
export async function analyze(db: Db, tables: readonly TableHead[]): Promise<void> {
  await sql`analyze ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(db)
}

export async function findSecretFingerprint(db: Db): Promise<string | null> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', 'secret_fingerprint').executeTakeFirst()
  return typeof row?.value === 'string' ? row.value : null
}
