import type { Db } from '../platform/db/index.ts'
import { sql } from 'kysely'
import type { TableHead } from './format.ts'

export interface Table extends TableHead {
  /** On the disk, with what stands out of line: to tell how far an export is. */
  bytes: number
}

/** Who is there at the moment: of no worth in another place. What is not kept over a crash is left out by itself. */
const TRANSIENT = ['check_worker', 'instance', 'job_lease']

/**
 * Every table that is worth keeping, each behind those that its rows lead to. Read from the catalogue: no table of a later version
 * can be forgotten.
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

/** Those of Vedette: none of an extension, and not the notes of the migrations. */
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

/** Lets the database go on behind the numbers that it gave before. */
export async function setLastNumber(db: Db, { name, identity }: TableHead): Promise<void> {
  if (!identity || identity.last === null) return
  await sql`select setval(pg_get_serial_sequence(${name}, ${identity.column})::regclass, ${identity.last}::bigint)`.execute(db)
}

/** Takes every row of every table, and makes the partitions that the rows of the head were in. */
export async function emptyTables(db: Db, tables: readonly TableHead[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class as t where ${OWN}`.execute(db)
  await sql`truncate ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db)
  await makePartitions(db, tables)
}

/** Those that the rows of the head were in; what stands already stays. */
export async function makePartitions(db: Db, tables: readonly TableHead[]): Promise<void> {
  for (const { name, partitions } of tables) {
    for (const partition of partitions) {
      await sql`create table if not exists ${sql.table(partition.name)} partition of ${sql.table(name)} ${boundOf(partition.bound)}`.execute(
        db,
      )
    }
  }
}

/** It becomes part of a statement: nothing but two instants may stand in it. */
function boundOf(bound: string) {
  if (!/^FOR VALUES FROM \('[\d :+-]+'\) TO \('[\d :+-]+'\)$/.test(bound)) throw new Error(`${bound} is no bound of a partition`)
  return sql.raw(bound)
}

/** Whether people or organizations are there, or somebody who serves was alive since then. */
export async function findOwners(db: Db, aliveSince: Date): Promise<{ installation: boolean; instance: boolean }> {
  const { rows } = await sql<{ installation: boolean; instance: boolean }>`
    select exists (select from organization) or exists (select from app_user) as installation,
      exists (select from instance where alive_at > ${aliveSince}) as instance`.execute(db)
  return rows[0] ?? { installation: false, instance: false }
}

/** Tells the planner what the tables hold now. */
export async function analyze(db: Db, tables: readonly TableHead[]): Promise<void> {
  await sql`analyze ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(db)
}

export async function findSecretFingerprint(db: Db): Promise<string | null> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', 'secret_fingerprint').executeTakeFirst()
  return typeof row?.value === 'string' ? row.value : null
}
