import { statSync } from 'node:fs'
import { inTransaction, listMigrations, migrate, migrateTo, type Pool } from '../platform/db/index.ts'
import { beginBeside, endBeside, giveUpBeside } from './beside.ts'
import { hasAnyOrganization } from './beside-store.ts'
import { analyze, emptyTables, findOwners, setLastNumber } from './catalog-store.ts'
import { findImport, noteBegun, noteDone, noteGivenUp, type Progress, storeFrame } from './copy-store.ts'
import type { Tell } from './export.ts'
import type { Head } from './format.ts'
import { ArchiveError, readFrames } from './frames.ts'
import type { ImportDeps } from './import-deps.ts'
import { renumber } from './renumber.ts'

/** What a file holds that is whole from its first byte to its last. */
export interface Contents {
  head: Head
  /** By the name of the table. */
  rows: Record<string, number>
  bytes: number
}

export interface Imported extends Contents {
  /** `resumed`: an import that was cut off went on; `already`: there was nothing left to do. */
  how: 'imported' | 'resumed' | 'already'
}

/** An instance says each 15 s that it is alive. */
const ALIVE_MS = 45_000

/** Reads the whole file and compares every sum. Throws ArchiveError with the place of the first fault. */
export async function checkArchive(path: string, tell: Tell): Promise<Contents> {
  let head: Head | undefined
  for await (const frame of readFrames(path)) {
    if (frame.kind === 'head') head = frame.head
    tell(frame.endsAt, sizeOf(path), 'checking')
    if (frame.kind !== 'end' || !head) continue
    const { rows } = frame.end
    return { head, rows: Object.fromEntries(head.tables.map(({ name }, index) => [name, rows[index] ?? 0])), bytes: frame.endsAt }
  }
  throw new ArchiveError(`${path} is no export of Vedette`)
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/**
 * Fills an empty database from the file, frame by frame. Nothing is touched before the whole file is known to be as it was
 * written. An import that was cut off goes on where it stood when the same file is given again, and stores no row twice: each
 * frame is stored together with the note that it is. Until the end of it no instance starts on the database.
 *
 * The schema is made as it was at the export, and brought up to date behind the rows: migrations change what is in the tables.
 *
 * An export of one organization goes beside others as well, under numbers of its own here: where the database has organizations.
 */
export async function importInstallation(deps: ImportDeps, path: string): Promise<Imported> {
  const { pool, direct, clock, log, tell } = deps
  const contents = await checkArchive(path, tell)
  const { head } = contents
  await refuseNewer(deps, path, head)
  const before = await findStand(pool)
  if (before.finished === head.id) return { ...contents, how: 'already' }
  if (before.running && before.running.id !== head.id)
    throw new Error(
      'The import of another file is under way on this database. Give that file to go on with it, or make a new database.',
    )
  const progress = before.running ?? (await begin(deps, path, head))
  await storeRows(deps, path, head, progress)
  if (progress.beside) await endBeside(deps, path, head, progress.beside)
  else {
    await inTransaction(pool.db, async (db) => {
      for (const table of head.tables) await setLastNumber(db, table)
    })
    await migrate(direct.db, log)
  }
  await analyze(pool.db, head.tables)
  await inTransaction(pool.db, (db) => noteDone(db, new Date(clock.now())))
  return { ...contents, how: before.running ? 'resumed' : 'imported' }
}

async function refuseNewer({ pool }: ImportDeps, path: string, { migrations, version }: Head): Promise<void> {
  const { known } = await listMigrations(pool.db)
  if (migrations.length > known.length || migrations.some((name, index) => name !== known[index]))
    throw new ArchiveError(`${path} was made by a newer version of Vedette (${version}). Take that version or a newer one.`)
}

async function findStand(pool: Pool): Promise<{ running?: Progress; finished?: string }> {
  const { applied } = await listMigrations(pool.db)
  return applied.length === 0 ? {} : findImport(pool.db)
}

async function begin(deps: ImportDeps, path: string, head: Head): Promise<Progress> {
  const { pool, direct, clock, log } = deps
  const { id, migrations, tables } = head
  const { applied } = await listMigrations(pool.db)
  if (head.organization && applied.length > 0 && (await hasAnyOrganization(pool.db))) {
    if ((await findOwners(pool.db, new Date(clock.now() - ALIVE_MS))).instance) throw new Error(RUNS)
    return beginBeside(deps, path, head)
  }
  if (applied.length > migrations.length)
    throw new Error(
      'The schema of this database is newer than the export, which must be stored in its own before it is brought up to date. Make a new database and import into that.',
    )
  await migrateTo(direct.db, log, migrations.at(-1) ?? '')
  const now = clock.now()
  await inTransaction(pool.db, async (db) => {
    const owners = await findOwners(db, new Date(now - ALIVE_MS))
    if (owners.installation)
      throw new Error('This database holds an installation already. Import into a new database, or a new data folder.')
    if (owners.instance) throw new Error(RUNS)
    await emptyTables(db, tables)
    await noteBegun(db, id, new Date(now))
  })
  return { id, frames: 0 }
}

const RUNS = 'Vedette runs on this database, or did a minute ago. Stop it, wait a minute, and import then.'

/** Takes back what an import beside others has stored, which is whole no longer; with the same file. */
export async function giveUpImport(deps: ImportDeps, path: string): Promise<Contents> {
  const { pool, tell } = deps
  const contents = await checkArchive(path, tell)
  const { running } = await findStand(pool)
  if (running?.id !== contents.head.id) throw new Error('No import of this file is under way on this database.')
  if (!running.beside) throw new Error('Nothing but this file is in this database: make a new one instead.')
  await giveUpBeside(deps, path, contents.head, running.beside)
  await noteGivenUp(pool.db)
  return contents
}

async function storeRows(deps: ImportDeps, path: string, head: Head, { id, frames: done, beside }: Progress): Promise<void> {
  const { pool, tell } = deps
  let number = 0
  for await (const frame of readFrames(path)) {
    if (frame.kind === 'head' && frame.head.id !== id) throw new ArchiveError(`${path} was changed while it was imported`)
    const table = frame.kind === 'rows' ? head.tables[frame.table] : undefined
    if (frame.kind !== 'rows' || !table) continue
    number += 1
    if (number <= done) continue
    const tuples = beside ? renumber(table, frame.tuples(), beside) : frame.tuples()
    if (!(await storeFrame(pool, { id, frames: number - 1 }, table, tuples)))
      throw new Error('Another import goes on with this file. Let it end.')
    tell(frame.endsAt, sizeOf(path), table.name)
  }
}
