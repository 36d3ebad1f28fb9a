import { sql } from 'kysely'
import { DatabaseError, escapeIdentifier } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { pipeline } from 'node:stream/promises'
import { type Db, lockPartitions, type Pool } from '../../platform/db/index.ts'
import { listTables, type Table } from './catalog-store.ts'
import { COPY_HEADER, COPY_TRAILER } from './tuples.ts'
import type { TableHead } from './format.ts'
import type { Renumbering } from './renumber.ts'

/** One instant of the database. */
export interface Snapshot {
  tables: readonly Table[]
  /** Rows of the table in the binary format of COPY, with back-pressure. */
  copy(table: string, rows: { columns: readonly string[]; where: string }): AsyncIterable<Buffer>
}

/**
 * Runs `work` on a snapshot of the database. Until it ends no partition is created or dropped: dropping one would remove rows from
 * the snapshot, and creating one would wait for it and block all pushes. Uses two connections.
 */
export async function withSnapshot<T>(pool: Pool, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return withPartitionsLocked(pool, async (tables) => {
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

/** As `withSnapshot`, for callers that run their own statements. */
export function withSnapshotDb<T>(pool: Pool, work: (db: Db) => Promise<T>): Promise<T> {
  return withPartitionsLocked(pool, () =>
    pool.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
  )
}

/** Postgres takes the snapshot at the first statement, so `work` begins after the partitions are locked. */
function withPartitionsLocked<T>(pool: Pool, work: (tables: readonly Table[]) => Promise<T>): Promise<T> {
  return pool.db.transaction().execute(async (holder) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(holder)
    const names = (await listTables(holder)).filter(({ partitions }) => partitions.length > 0).map(({ name }) => name)
    await lockPartitions(holder, names)
    return work(await listTables(holder))
  })
}

/** The progress of an import. */
export interface Progress {
  /** Of the export. */
  id: string
  /** Frames of rows that are stored. */
  frames: number
  /** Set when an organization is added to a database that has organizations. */
  renumbering?: Renumbering
}

/**
 * Stores the tuples of one frame and the progress in one transaction. False when the progress does not match this frame: another
 * process continues the import.
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
      const columns = table.columns.map((column) => escapeIdentifier(column)).join(', ')
      const into = client.query(copyFrom(`copy ${escapeIdentifier(table.name)} (${columns}) from stdin (format binary)`))
      await pipeline([COPY_HEADER, tuples, COPY_TRAILER], into)
    }
    await client.query('commit')
    isBroken = false
    return rowCount === 1
  } finally {
    client.release(isBroken)
  }
}

/** Whether the database refused a row that is invalid, or that conflicts with one that is there. */
export const isRefusedRow = (error: unknown): error is Error => error instanceof DatabaseError && /^2[23]/.test(error.code ?? '')

export async function findImport(db: Db): Promise<{ running?: Progress; finished?: string }> {
  const { rows } = await sql<{ name: string; value: Progress }>`
    select name, value from setting where name in ('import', 'imported')`.execute(db)
  const running = rows.find(({ name }) => name === 'import')?.value
  const finished = rows.find(({ name }) => name === 'imported')?.value.id
  return { ...(running && { running }), ...(finished !== undefined && { finished }) }
}

/** Whether an import has started and not finished. Works also on a database without a schema. */
export async function isHalfImported(db: Db): Promise<boolean> {
  const { rows } = await sql<{ stands: boolean }>`select to_regclass('setting') is not null as stands`.execute(db)
  return rows[0]?.stands === true && (await findImport(db)).running !== undefined
}

export async function recordImportStart(db: Db, id: string, at: Date, renumbering?: Renumbering): Promise<void> {
  const value = JSON.stringify({ id, frames: 0, ...(renumbering && { renumbering }) })
  await db.insertInto('setting').values({ name: 'import', value, updated_at: at }).execute()
}

/** Marks the import as finished: instances can start on the database. */
export async function recordImportEnd(db: Db, at: Date): Promise<void> {
  await db.deleteFrom('setting').where('name', '=', 'imported').execute()
  await db.updateTable('setting').set({ name: 'imported', updated_at: at }).where('name', '=', 'import').execute()
}

export async function deleteImportRecord(db: Db): Promise<void> {
  await db.deleteFrom('setting').where('name', '=', 'import').execute()
}
