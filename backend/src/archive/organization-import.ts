import { isDeepStrictEqual } from 'node:util'
import { compactChecks, keepCheckPartitions, readCheckProgress } from '../checks/index.ts'
import { compactSamples, keepPartitions, LATE_SETTLES_MS, readSampleProgress } from '../metrics/index.ts'
import { inTransaction, listMigrations, type Progress as CompactionProgress } from '../platform/db/index.ts'
import { parseId } from '../platform/ids.ts'
import * as store from './organization-import-store.ts'
import { createPartitions } from './catalog-store.ts'
import { recordImportStart, type Progress } from './copy-store.ts'
import type { Head } from './format.ts'
import { ArchiveError, type ArchiveSource, pathOf, readFrames } from './frames.ts'
import type { ImportDeps } from './import-deps.ts'
import { NUMBERED, readRows, type Renumbering } from './renumber.ts'

/** The rows of the file that decide how the others are stored. */
interface Facts {
  organization: { id: string; number: number }
  people: { id: string; email: string }[]
  regions: { number: number; id: string; name: string }[]
  samples: CompactionProgress
  checks: CompactionProgress
}

const DECIDING = new Set(['organization', 'app_user', 'region', 'metric_progress', 'check_progress'])

/** Prepares the database for another organization. Throws when the file conflicts with what the database contains. */
export async function beginOrganizationImport(deps: ImportDeps, source: ArchiveSource, head: Head): Promise<Progress> {
  const { pool, clock } = deps
  await refuseOtherSchema(deps, head)
  const facts = await readFacts(source, head)
  const { organization, people, regions } = facts
  if (await store.hasOrganization(pool.db, organization.id))
    throw new Error(
      `The organization ${head.organization?.name} (${head.organization?.id}) is in this database already. Delete it first to import it from the file, or import into a new database.`,
    )
  const { existing, conflicts } = await store.findPeople(pool.db, people)
  if (conflicts.length > 0)
    throw new Error(
      `Other accounts of this database have the addresses of users of the file: ${conflicts.join(', ')}. Change or delete them on one side.`,
    )
  await compactDueHours(deps, head, facts)
  const now = new Date(clock.now())
  return inTransaction(pool.db, async (db) => {
    await createPartitions(db, head.tables)
    const bases: Record<string, number> = {}
    for (const name of NUMBERED) {
      const table = head.tables.find((one) => one.name === name)
      bases[name] = table ? await store.reserveNumbers(db, table) : 0
    }
    const numbers: Record<string, number> = {}
    for (const { number, ...region } of regions) numbers[String(number)] = await store.findOrCreateRegion(db, region, now)
    const renumbering = { bases: bases as Renumbering['bases'], regions: numbers, existingUsers: existing }
    await recordImportStart(db, head.id, now, renumbering)
    return { id: head.id, frames: 0, renumbering }
  })
}

/** Rows are stored unchanged: migrations cannot run for one organization only. */
async function refuseOtherSchema({ pool }: ImportDeps, head: Head): Promise<void> {
  const { applied } = await listMigrations(pool.db)
  if (!isDeepStrictEqual(applied, head.migrations))
    throw new ArchiveError(
      `The file was made by version ${head.version} of Vedette, with another schema than this database has. To add it to this database, import it into a new database, start this version on that, and export it again; or run "vedette migrate" here if this database is older.`,
    )
}

async function readFacts(source: ArchiveSource, head: Head): Promise<Facts> {
  const nothing = { hour: -1, day: -1 }
  const facts: Facts = {
    organization: { id: '', number: 0 },
    people: [],
    regions: [],
    samples: { ...nothing },
    checks: { ...nothing },
  }
  for await (const frame of readFrames(source)) {
    const table = frame.kind === 'rows' ? head.tables[frame.table] : undefined
    if (frame.kind !== 'rows' || !table || !DECIDING.has(table.name)) continue
    for (const row of readRows(table, frame.tuples())) {
      if (table.name === 'organization') facts.organization = { id: row.uuid('id'), number: row.number('number') }
      else if (table.name === 'app_user') facts.people.push({ id: row.uuid('id'), email: row.text('email') })
      else if (table.name === 'region')
        facts.regions.push({ number: row.number('number'), id: row.text('id'), name: row.text('name') })
      else facts[table.name === 'metric_progress' ? 'samples' : 'checks'][row.text('name') as 'hour' | 'day'] = row.number('done')
    }
  }
  if (facts.organization.id !== parseId('organization', head.organization?.id ?? ''))
    throw new ArchiveError(`${pathOf(source)} does not contain the organization that its head names`)
  return facts
}

/** Compacts the due hours here, so that this database is compacted at least as far as the file. */
async function compactDueHours({ pool, clock, log }: ImportDeps, head: Head, { samples, checks }: Facts): Promise<void> {
  await keepPartitions(pool.db, log, clock.now())
  await keepCheckPartitions(pool.db, log, clock.now())
  await compactSamples(pool, clock, { lateSettlesMs: LATE_SETTLES_MS })
  await compactChecks(pool.db, clock)
  const isAhead = samples.hour > (await readSampleProgress(pool.db)).hour || checks.hour > (await readCheckProgress(pool.db)).hour
  if (isAhead)
    throw new Error(`The export was made at ${head.made_at}, which is in the future by the clock of this machine. Set the clock.`)
}

/** Compacts the samples and checks of the organization as far as those of the others. May be repeated. */
export async function finishOrganizationImport(
  { pool, clock }: ImportDeps,
  source: ArchiveSource,
  head: Head,
  renumbering: Renumbering,
): Promise<void> {
  const { organization, samples, checks } = await readFacts(source, head)
  const number = organization.number + renumbering.bases.organization
  const here = { samples: await readSampleProgress(pool.db), checks: await readCheckProgress(pool.db) }
  await inTransaction(pool.db, async (db) => {
    await store.markOpenSamples(db, number, samples, here.samples, clock.now())
    await store.markOpenChecks(db, number, checks, here.checks)
  })
  await compactSamples(pool, clock)
  await compactChecks(pool.db, clock)
}

/** Deletes the stored rows of the organization; its users and regions stay. */
export async function abandonOrganizationImport(
  { pool }: ImportDeps,
  source: ArchiveSource,
  head: Head,
  renumbering: Renumbering,
): Promise<void> {
  const { organization } = await readFacts(source, head)
  await inTransaction(pool.db, (db) =>
    store.deleteOrganization(db, organization.number + renumbering.bases.organization, head.tables),
  )
}
