import { type Db, inTransaction, listMigrations, migrate, migrateTo, originOf, type Pool } from '../../platform/db/index.ts'
import { beginOrganizationImport, finishOrganizationImport, abandonOrganizationImport } from './organization-import.ts'
import { hasAnyOrganization } from './organization-import-store.ts'
import { analyze, emptyTables, findOwners, listTables, setLastNumber } from './catalog-store.ts'
import {
  findImport,
  recordImportStart,
  recordImportEnd,
  deleteImportRecord,
  isRefusedRow,
  type Progress,
  storeFrame,
} from './copy-store.ts'
import type { ReportProgress } from './export.ts'
import { foreignTableFault } from './foreign-tables.ts'
import type { Head } from './format.ts'
import { ArchiveError, type ArchiveSource, pathOf, readFrames, sizeOf } from './frames.ts'
import type { ImportDeps } from './import-deps.ts'
import { renumber } from './renumber.ts'

/** The contents of an intact file. */
export interface Contents {
  head: Head
  /** By the name of the table. */
  rows: Record<string, number>
  bytes: number
}

export interface Imported extends Contents {
  /** `resumed`: an interrupted import was finished; `already`: the file had been imported before. */
  how: 'imported' | 'resumed' | 'already'
}

/** An instance reports every 15 s that it is alive. */
const ALIVE_MS = 45_000

/** Reads the whole file and verifies every checksum. Throws ArchiveError with the position of the first fault. */
export async function checkArchive(source: ArchiveSource, reportProgress: ReportProgress): Promise<Contents> {
  let head: Head | undefined
  for await (const frame of readFrames(source)) {
    if (frame.kind === 'head') head = frame.head
    reportProgress(frame.endsAt, sizeOf(source), 'checking')
    if (frame.kind !== 'end' || !head) continue
    const { rows } = frame.end
    return { head, rows: Object.fromEntries(head.tables.map(({ name }, index) => [name, rows[index] ?? 0])), bytes: frame.endsAt }
  }
  throw new ArchiveError(`${pathOf(source)} is not an export of Vedette`)
}

/**
 * Fills an empty database from the file, frame by frame, after the checksums of the whole file are verified. An interrupted import
 * resumes when the same file is given again and stores no row twice: each frame and the progress are stored in one transaction.
 * Until the import ends no instance starts on the database.
 *
 * The schema of the export is created first and migrated after the rows are stored: migrations change the rows of the tables.
 *
 * An export of one organization can also be added to a database that has organizations, unless it is a restore; its rows get new
 * numbers there.
 */
export async function importInstallation(deps: ImportDeps, source: ArchiveSource, { isRestore = false } = {}): Promise<Imported> {
  const { pool, direct, clock, log, reportProgress } = deps
  const contents = await checkArchive(source, reportProgress)
  const { head } = contents
  refuseUnknownSchema(source, head)
  const before = await findProgress(pool)
  if (before.finished === head.id) return { ...contents, how: 'already' }
  if (before.running && before.running.id !== head.id)
    throw new Error(
      'An import of another file is unfinished on this database. Import that file to resume it, or use a new database.',
    )
  const progress = before.running ?? (await begin(deps, source, head, isRestore))
  if (progress.renumbering) await refuseForeignTables(pool.db, source, head)
  await storeRows(deps, source, head, progress)
  if (progress.renumbering) await finishOrganizationImport(deps, source, head, progress.renumbering)
  else {
    await inTransaction(pool.db, async (db) => {
      for (const table of head.tables) await setLastNumber(db, table)
    })
    await migrate(direct.db, log)
  }
  await analyze(pool.db, head.tables)
  await inTransaction(pool.db, (db) => recordImportEnd(db, new Date(clock.now())))
  return { ...contents, how: before.running ? 'resumed' : 'imported' }
}

function refuseUnknownSchema(source: ArchiveSource, { migrations, version }: Head): void {
  const origin = originOf(migrations)
  if (origin === 'newer')
    throw new ArchiveError(
      `${pathOf(source)} was made by a newer version of Vedette (${version}). Use that version or a newer one.`,
    )
  if (origin === 'unknown')
    throw new ArchiveError(
      `${pathOf(source)} was made by a build of Vedette (${version}) that this version does not follow. Use the build that made it.`,
    )
}

async function findProgress(pool: Pool): Promise<{ running?: Progress; finished?: string }> {
  const { applied } = await listMigrations(pool.db)
  return applied.length === 0 ? {} : findImport(pool.db)
}

async function begin(deps: ImportDeps, source: ArchiveSource, head: Head, isRestore: boolean): Promise<Progress> {
  const { pool, direct, clock, log } = deps
  const { id, migrations, tables } = head
  const { applied } = await listMigrations(pool.db)
  if (!isRestore && head.organization && applied.length > 0 && (await hasAnyOrganization(pool.db))) {
    if ((await findOwners(pool.db, new Date(clock.now() - ALIVE_MS))).instance) throw new Error(RUNS)
    await refuseForeignTables(pool.db, source, head)
    return beginOrganizationImport(deps, source, head)
  }
  if (applied.length > migrations.length)
    throw new Error('The schema of this database is newer than the schema of the export. Import into a new database.')
  await migrateTo(direct.db, log, migrations.at(-1) ?? '')
  await refuseForeignTables(pool.db, source, head)
  const now = clock.now()
  await inTransaction(pool.db, async (db) => {
    const owners = await findOwners(db, new Date(now - ALIVE_MS))
    if (owners.installation)
      throw new Error('This database contains an installation already. Import into a new database, or a new data folder.')
    if (owners.instance) throw new Error(RUNS)
    await emptyTables(db, tables)
    await recordImportStart(db, id, new Date(now))
  })
  return { id, frames: 0 }
}

/** A file names tables, columns and partitions that become parts of statements, and decides what is stored where. */
async function refuseForeignTables(db: Db, source: ArchiveSource, head: Head): Promise<void> {
  const known = new Map((await listTables(db)).map((table) => [table.name, table]))
  const fault = foreignTableFault(head, known)
  if (fault !== undefined) throw new ArchiveError(`${pathOf(source)} ${fault}. Nothing was imported from it.`)
}

const RUNS = 'Vedette runs on this database, or did so less than a minute ago. Stop it, wait a minute, and import again.'

/** Deletes what an unfinished import of an organization has stored; requires the same file. */
export async function giveUpImport(deps: ImportDeps, source: ArchiveSource): Promise<Contents> {
  const { pool, reportProgress } = deps
  const contents = await checkArchive(source, reportProgress)
  const { running } = await findProgress(pool)
  if (running?.id !== contents.head.id) throw new Error('This database has no unfinished import of this file.')
  if (!running.renumbering) throw new Error('This database contains only this file: use a new database instead.')
  await abandonOrganizationImport(deps, contents.head, running.renumbering)
  await deleteImportRecord(pool.db)
  return contents
}

async function storeRows(
  deps: ImportDeps,
  source: ArchiveSource,
  head: Head,
  { id, frames: done, renumbering }: Progress,
): Promise<void> {
  const { pool, reportProgress } = deps
  let number = 0
  for await (const frame of readFrames(source)) {
    if (frame.kind === 'head' && frame.head.id !== id)
      throw new ArchiveError(`${pathOf(source)} was changed while it was imported`)
    const table = frame.kind === 'rows' ? head.tables[frame.table] : undefined
    if (frame.kind !== 'rows' || !table) continue
    number += 1
    if (number <= done) continue
    const tuples = renumbering ? renumber(table, frame.tuples(), renumbering) : frame.tuples()
    const isStored = await storeFrame(pool, { id, frames: number - 1 }, table, tuples).catch(async (error: unknown) => {
      if (!renumbering || !isRefusedRow(error)) throw error
      await abandonOrganizationImport(deps, head, renumbering)
      await deleteImportRecord(pool.db)
      throw new ArchiveError(
        `${pathOf(source)} has a row of ${table.name} that this database refuses: ${error.message}. Nothing was imported from it.`,
      )
    })
    if (!isStored) throw new Error('Another process imports this file. Wait until it ends.')
    reportProgress(frame.endsAt, sizeOf(source), table.name)
  }
}
