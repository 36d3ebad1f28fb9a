import type { Clock } from '../../platform/time/clock.ts'
import { listMigrations, type Pool } from '../../platform/db/index.ts'
import { encodeId, newRandomId } from '../../platform/ids.ts'
import { findSecretFingerprint } from './catalog-store.ts'
import { type Snapshot, withSnapshot } from './copy-store.ts'
import { FRAME_BYTES, type Head } from './format.ts'
import { type FrameWriter, writeFrames } from './frames.ts'
import { makeFile } from './new-file.ts'
import { rowsOf } from './scope.ts'
import { cutTuples } from './tuples.ts'

/** Receives the progress, in bytes of the database or of the file, or in hours. */
export type ReportProgress = (done: number, of: number, what: string) => void

export interface ExportDeps {
  pool: Pool
  clock: Clock
  /** Of the program. */
  version: string
  reportProgress: ReportProgress
  /** Size of the rows of one frame. */
  frameBytes?: number
}

export interface Exported {
  bytes: number
  /** By the name of the table. */
  rows: Record<string, number>
}

/**
 * Writes a snapshot of the installation, or of one organization with what it needs, to a new file. Encrypted values stay encrypted:
 * the file does not contain the secret of the installation.
 */
export async function exportInstallation(
  deps: ExportDeps,
  path: string,
  organization?: { number: number; id: string; name: string },
): Promise<Exported> {
  const { pool, clock, version } = deps
  const { applied } = await listMigrations(pool.db)
  const secret = await findSecretFingerprint(pool.db)
  return withSnapshot(pool, async (snapshot) => {
    const tables = snapshot.tables.filter((table) => rowsOf(table, organization?.number) !== undefined)
    const head: Head = {
      id: newRandomId(),
      made_at: new Date(clock.now()).toISOString(),
      version,
      organization: organization ? { id: encodeId('organization', organization.id), name: organization.name } : null,
      migrations: applied,
      secret,
      tables: tables.map(({ bytes: _bytes, ...table }) => table),
    }
    const rows: number[] = []
    const bytes = await makeFile(path, async (file) => {
      const frames = writeFrames(file)
      await frames.head(head)
      for (const number of tables.keys())
        rows.push(await writeTable(deps, { ...snapshot, tables }, number, frames, organization?.number))
      await frames.end({ rows })
    })
    return { bytes, rows: Object.fromEntries(tables.map(({ name }, number) => [name, rows[number] ?? 0])) }
  })
}

async function writeTable(
  { reportProgress, frameBytes = FRAME_BYTES }: ExportDeps,
  { tables, copy }: Snapshot,
  number: number,
  frames: FrameWriter,
  organization: number | undefined,
): Promise<number> {
  const sizes = tables.map(({ bytes }) => bytes)
  const sum = (of: readonly number[]) => of.reduce((total, bytes) => total + bytes, 0)
  const [before, all] = [sum(sizes.slice(0, number)), sum(sizes)]
  const table = tables[number]
  const wanted = table && rowsOf(table, organization)
  if (!wanted) return 0
  let [rows, taken] = [0, 0]
  for await (const tuples of cutTuples(copy(table.name, wanted), frameBytes)) {
    await frames.rows(number, tuples.bytes)
    rows += tuples.rows
    taken += tuples.bytes.length
    // The size on disk differs from the exported size: a table never counts more than its share.
    reportProgress(before + Math.min(taken, table.bytes), all, table.name)
  }
  return rows
}
