import { sql } from 'kysely'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { pipeline } from 'node:stream/promises'
import { type Db, holdPartitions, type Pool } from '../platform/db/index.ts'
import { listTables, type Table } from './catalog-store.ts'
import { COPY_HEADER, COPY_TRAILER } from './tuples.ts'
import type { TableHead } from './format.ts'
import type { Renumbering } from './renumber.ts'

/** One instant of the database. */
export interface Snapshot {
  tables: readonly Table[]
  /** Rows of the table in the binary format of COPY, as fast as they are taken. */
  copy(table: string, rows: { columns: readonly string[]; where: string }): AsyncIterable<Buffer>
}

/**
 * Runs `work` with the database as it is at one instant. Meanwhile no partition is made or dropped: dropping one would take rows
 * out of the snapshot, and whoever makes one would wait for us with all pushes behind him. Takes two connections.
 */
export async function withSnapshot<T>(pool: Pool, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return holding(pool, async (tables) => {
    const client = await pool.pg.connect()
    let isBroken = true
    try {
      await client.query('begin isolation level repeatable read, read only')
      await client.query('set local statement_timeout = 0')
      const result = await work({
        tables,
        copy: (table, { columns, where }) =>
          client.query(copyTo(`copy (select ${columns.join(', ')} from "${table}" where ${where}) to stdout (format binary)`)),
      })
      await client.query('commit')
      isBroken = false
      return result
    } finally {
      client.release(isBroken)
    }
  })
}

/** The same for who asks by statements of its own. */
export function withSnapshotDb<T>(pool: Pool, work: (db: Db) => Promise<T>): Promise<T> {
  return holding(pool, () => pool.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work))
}

/** A snapshot is taken by the first statement: `work` begins once the partitions stand still. */
function holding<T>(pool: Pool, work: (tables: readonly Table[]) => Promise<T>): Promise<T> {
  return pool.db.transaction().execute(async (holder) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(holder)
    const names = (await listTables(holder)).filter(({ partitions }) => partitions.length > 0).map(({ name }) => name)
    await holdPartitions(holder, names)
    return work(await listTables(holder))
  })
}

/** Where the import of a file stands. */
export interface Progress {
  /** Of the export. */
  id: string
  /** Frames of rows that are stored. */
  frames: number
  /** Set where an organization is stored beside others. */
  beside?: Renumbering
}

/**
 * Stores the tuples of one frame and that it is stored, both or neither. False when the import does not stand where this frame
 * begins: another process goes on with it.
 */
export async function storeFrame(pool: Pool, progress: Progress, table: TableHead, tuples: Buffer): Promise<boolean> {
  const client = await pool.pg.connect()
  let isBroken = true
  try {
    await client.query('begin')
    const { rowCount } = await client.query(
      `update setting set value = jsonb_set(value, '{frames}', to_jsonb($3::int))
        where name = 'import' and value ->> 'id' = $1 and (value ->> 'frames')::int = $2`,
      [progress.id, progress.frames, progress.frames + 1],
    )
    if (rowCount === 1 && tuples.length > 0) {
      const columns = table.columns.map((column) => `"${column}"`).join(', ')
      const into = client.query(copyFrom(`copy "${table.name}" (${columns}) from stdin (format binary)`))
      await pipeline([COPY_HEADER, tuples, COPY_TRAILER], into)
    }
    await client.query('commit')
    isBroken = false
    return rowCount === 1
  } finally {
    client.release(isBroken)
  }
}

export async function findImport(db: Db): Promise<{ running?: Progress; finished?: string }> {
  const { rows } = await sql<{ name: string; value: Progress }>`
    select name, value from setting where name in ('import', 'imported')`.execute(db)
  const running = rows.find(({ name }) => name === 'import')?.value
  const finished = rows.find(({ name }) => name === 'imported')?.value.id
  return { ...(running && { running }), ...(finished !== undefined && { finished }) }
}

/** Whether an import was begun here and is not through. Asked before the schema is known to stand. */
export async function isHalfImported(db: Db): Promise<boolean> {
  const { rows } = await sql<{ stands: boolean }>`select to_regclass('setting') is not null as stands`.execute(db)
  return rows[0]?.stands === true && (await findImport(db)).running !== undefined
}

export async function noteBegun(db: Db, id: string, at: Date, beside?: Renumbering): Promise<void> {
  const value = JSON.stringify({ id, frames: 0, ...(beside && { beside }) })
  await db.insertInto('setting').values({ name: 'import', value, updated_at: at }).execute()
}

/** From here on the database is an installation. */
export async function noteDone(db: Db, at: Date): Promise<void> {
  await db.deleteFrom('setting').where('name', '=', 'imported').execute()
  await db.updateTable('setting').set({ name: 'imported', updated_at: at }).where('name', '=', 'import').execute()
}

/** As if no import had been begun. */
export async function noteGivenUp(db: Db): Promise<void> {
  await db.deleteFrom('setting').where('name', '=', 'import').execute()
}
