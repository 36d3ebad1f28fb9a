import { isDeepStrictEqual } from 'node:util'
import { compactChecks, keepCheckPartitions } from '../checks/index.ts'
import { compactSamples, keepPartitions } from '../metrics/index.ts'
import { inTransaction, listMigrations } from '../platform/db/index.ts'
import { parseId } from '../platform/ids.ts'
import * as store from './beside-store.ts'
import { makePartitions } from './catalog-store.ts'
import { noteBegun, type Progress } from './copy-store.ts'
import type { Head } from './format.ts'
import { ArchiveError, readFrames } from './frames.ts'
import type { ImportDeps } from './import-deps.ts'
import { NUMBERED, readRows, type Renumbering } from './renumber.ts'

/** What of the file decides how the rest is stored. */
interface Facts {
  organization: { id: string; number: number }
  people: { id: string; email: string }[]
  regions: { number: number; id: string; name: string }[]
  samples: store.Stand
  checks: store.Stand
}

const DECIDING = new Set(['organization', 'app_user', 'region', 'metric_progress', 'check_progress'])

/** Makes room for the organization of the file beside those that are here, or throws with what stands against it. */
export async function beginBeside(deps: ImportDeps, path: string, head: Head): Promise<Progress> {
  const { pool, clock } = deps
  await refuseOtherSchema(deps, head)
  const facts = await readFacts(path, head)
  const { organization, people, regions } = facts
  if (await store.hasOrganization(pool.db, organization.id))
    throw new Error(
      `The organization ${head.organization?.name} (${head.organization?.id}) is in this database already. Delete it first to take that of the file, or import into a new database.`,
    )
  const { known, taken } = await store.findPeople(pool.db, people)
  if (taken.length > 0)
    throw new Error(
      `Other accounts of this database have the addresses of people of the file: ${taken.join(', ')}. Change or delete them on one side.`,
    )
  await bringForward(deps, head, facts)
  const now = new Date(clock.now())
  return inTransaction(pool.db, async (db) => {
    await makePartitions(db, head.tables)
    const bases: Record<string, number> = {}
    for (const name of NUMBERED) {
      const table = head.tables.find((one) => one.name === name)
      bases[name] = table ? await store.takeNumbers(db, table) : 0
    }
    const numbers: Record<string, number> = {}
    for (const { number, ...region } of regions) numbers[String(number)] = await store.placeRegion(db, region, now)
    const beside = { bases: bases as Renumbering['bases'], regions: numbers, known }
    await noteBegun(db, head.id, now, beside)
    return { id: head.id, frames: 0, beside }
  })
}

/** Rows are stored as they are: migrations do not change those of one organization. */
async function refuseOtherSchema({ pool }: ImportDeps, head: Head): Promise<void> {
  const { applied } = await listMigrations(pool.db)
  if (!isDeepStrictEqual(applied, head.migrations))
    throw new ArchiveError(
      `The file was made by version ${head.version} of Vedette, with another schema than this database has. To import it beside other organizations, import it into a new database, start this version on that, and export it there again; or run "vedette migrate" here where this database is the older one.`,
    )
}

async function readFacts(path: string, head: Head): Promise<Facts> {
  const nothing = { hour: -1, day: -1 }
  const facts: Facts = {
    organization: { id: '', number: 0 },
    people: [],
    regions: [],
    samples: { ...nothing },
    checks: { ...nothing },
  }
  for await (const frame of readFrames(path)) {
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
    throw new ArchiveError(`${path} does not hold the organization that its head names`)
  return facts
}

/** Puts together what is due here, so that nothing of the file is further than this database. */
async function bringForward({ pool, clock, log }: ImportDeps, head: Head, { samples, checks }: Facts): Promise<void> {
  await keepPartitions(pool.db, log, clock.now())
  await keepCheckPartitions(pool.db, log, clock.now())
  await compactSamples(pool, clock)
  await compactChecks(pool.db, clock)
  const here = await store.readStands(pool.db)
  if (samples.hour > here.samples.hour || checks.hour > here.checks.hour)
    throw new Error(`The export was made at ${head.made_at}, which this machine's clock has not reached. Set the clock.`)
}

/** Puts together what is put together here of the other organizations. It may be done again. */
export async function endBeside({ pool, clock }: ImportDeps, path: string, head: Head, beside: Renumbering): Promise<void> {
  const { organization, samples, checks } = await readFacts(path, head)
  const number = organization.number + beside.bases.organization
  const here = await store.readStands(pool.db)
  await inTransaction(pool.db, async (db) => {
    await store.markOpenSamples(db, number, samples, here.samples, clock.now())
    await store.markOpenChecks(db, number, checks, here.checks)
  })
  await compactSamples(pool, clock)
  await compactChecks(pool.db, clock)
}

/** Takes back what was stored of a file; people and regions that it brought stay. */
export async function giveUpBeside({ pool }: ImportDeps, path: string, head: Head, beside: Renumbering): Promise<void> {
  const { organization } = await readFacts(path, head)
  await inTransaction(pool.db, (db) => store.deleteAllOf(db, organization.number + beside.bases.organization, head.tables))
}
