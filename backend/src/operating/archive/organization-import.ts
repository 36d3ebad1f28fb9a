import { isDeepStrictEqual } from 'node:util'
import { compactChecks, keepCheckPartitions, readCheckProgress } from '../../monitoring/checks/index.ts'
import { compactSamples, keepPartitions, LATE_SETTLES_MS, readSampleProgress } from '../../hosts/metrics/index.ts'
import { inTransaction, listMigrations, type Progress as CompactionProgress } from '../../platform/db/index.ts'
import { parseId } from '../../platform/ids.ts'
import * as store from './organization-import-store.ts'
import { createPartitions } from './catalog-store.ts'
import { recordImportStart, type Progress } from './copy-store.ts'
import type { Head } from './format.ts'
import { ArchiveError, type ArchiveSource, pathOf, readFrames } from './frames.ts'
import type { ImportDeps } from './import-deps.ts'
import { NUMBERED, readRows, renumber, type Renumbering } from './renumber.ts'

/** The rows of the file that decide how the others are stored. */
interface Facts {
  organization: { id: string; number: number }
  providers: string[]
  people: { id: string; email: string }[]
  regions: { number: number; id: string; name: string }[]
  samples: CompactionProgress
  checks: CompactionProgress
}

const DECIDING = new Set(['organization', 'app_user', 'identity_provider', 'region', 'metric_progress', 'check_progress'])

/** Prepares the database for another organization. Throws when the file conflicts with what the database contains. */
export async function beginOrganizationImport(deps: ImportDeps, source: ArchiveSource, head: Head): Promise<Progress> {
  const { pool, clock } = deps
  await refuseOtherSchema(deps, head)
  const facts = await readFacts(source, head)
  const { organization, people, providers, regions } = facts
  if (await store.hasOrganization(pool.db, organization.id))
    throw new Error(
      `The organization ${head.organization?.name} (${head.organization?.id}) is in this database already. Delete it first to import it from the file, or import into a new database.`,
    )
  const { existing, conflicts } = await store.findPeople(pool.db, people)
  if (conflicts.length > 0)
    throw new Error(
      `Other accounts of this database have the addresses of users of the file: ${conflicts.join(', ')}. Change or delete them on one side.`,
    )
  const now = new Date(clock.now())
  const contained = {
    organization: organization.number,
    last: { server: lastNumberOf(head, 'server'), monitor: lastNumberOf(head, 'monitor') },
    people: people.map(({ id }) => id),
    providers,
    existingUsers: existing,
    atMs: now.getTime(),
  }
  await refuseForeignRows(source, head, {
    ...contained,
    regions: Object.fromEntries(regions.map(({ number }) => [number, number])),
    bases: { organization: 0, server: 0, monitor: 0 },
  })
  await compactDueHours(deps, head, facts)
  return inTransaction(pool.db, async (db) => {
    await createPartitions(db, head.tables)
    const bases: Record<string, number> = {}
    for (const name of NUMBERED) {
      const table = head.tables.find((one) => one.name === name)
      bases[name] = table ? await store.reserveNumbers(db, table) : 0
    }
    const numbers: Record<string, number> = {}
    for (const { number, ...region } of regions) numbers[String(number)] = await store.findOrCreateRegion(db, region, now)
    const renumbering = { ...contained, bases: bases as Renumbering['bases'], regions: numbers }
    await recordImportStart(db, head.id, now, renumbering)
    return { id: head.id, frames: 0, renumbering }
  })
}

/** The last number that the file says it gave: numbers up to it are reserved here. */
const lastNumberOf = (head: Head, name: string): number => head.tables.find((table) => table.name === name)?.identity?.last ?? 0

/** Reads the file once before anything is stored. */
async function refuseForeignRows(source: ArchiveSource, head: Head, renumbering: Renumbering): Promise<void> {
  for await (const frame of readFrames(source)) {
    const table = frame.kind === 'rows' ? head.tables[frame.table] : undefined
    if (frame.kind !== 'rows' || !table) continue
    try {
      renumber(table, frame.tuples(), renumbering)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ArchiveError(`${pathOf(source)} is no export of one organization: ${reason}. Nothing was imported from it.`)
    }
  }
}

/** Rows are stored unchanged: migrations cannot run for one organization only. */
async function refuseOtherSchema({ pool }: ImportDeps, head: Head): Promise<void> {
  const { applied } = await listMigrations(pool.db)
  if (!isDeepStrictEqual(applied, head.migrations))
    throw new ArchiveError(
      `The file was made by version ${head.version} of Vedette, with another schema than this database has. To add it to this database, import it into a new database, start this version on that, and export it again; or run "vedette migrate" here if this database is older.`,
    )
}

/** Verifying one must not stop the installation: the file says how much memory that takes. */
function isCostlyHash(hash: string): boolean {
  const [memoryKib = 0, rounds = 0, threads = 0] = (/\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(hash) ?? []).slice(1).map(Number)
  return memoryKib > 65_536 || rounds > 10 || threads > 4
}

async function readFacts(source: ArchiveSource, head: Head): Promise<Facts> {
  const nothing = { hour: -1, day: -1 }
  const facts: Facts = {
    organization: { id: '', number: 0 },
    providers: [],
    people: [],
    regions: [],
    samples: { ...nothing },
    checks: { ...nothing },
  }
  for await (const frame of readFrames(source)) {
    const table = frame.kind === 'rows' ? head.tables[frame.table] : undefined
    if (frame.kind !== 'rows' || !table || !DECIDING.has(table.name)) continue
    for (const row of readRows(table, frame.tuples())) {
      if (table.name === 'organization') {
        if (facts.organization.id !== '') throw new ArchiveError(`${pathOf(source)} contains more than one organization`)
        facts.organization = { id: row.uuid('id'), number: row.number('number') }
      } else if (table.name === 'identity_provider') facts.providers.push(row.uuid('id'))
      else if (table.name === 'app_user') {
        if (isCostlyHash(row.text('password_hash')))
          throw new ArchiveError(`${pathOf(source)} has a password hash that takes more memory or time than those of Vedette`)
        facts.people.push({ id: row.uuid('id'), email: row.text('email') })
      } else if (table.name === 'region')
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

/** Deletes the stored rows of the organization and the users that came with it; regions stay. */
export async function abandonOrganizationImport({ pool }: ImportDeps, head: Head, renumbering: Renumbering): Promise<void> {
  const { organization, bases, people, existingUsers } = renumbering
  await inTransaction(pool.db, async (db) => {
    await store.deleteOrganization(db, organization + bases.organization, head.tables)
    const existing = new Set(existingUsers)
    await store.deletePeople(
      db,
      people.filter((id) => !existing.has(id)),
    )
  })
}
