import type { CreateMonitorBody, PatchMonitorBody } from '@vedette/shared'
import { deleteRulesOf, deleteWindowsOf, lookAgain, resolveIncidentsOf } from '../alerts/index.ts'
import { type Actor, recordAudits } from '../audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import { changeIntervals, deleteChecks, insertStatus, placeAll, readStatuses, sealRequest } from '../checks/index.ts'
import { refuseOverPlan, refuseShortIntervals } from '../plans/index.ts'
import { inTransaction } from '../platform/db/index.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { changedFields, completeDefinition, type Definition, isOtherCheck, mergeDefinition } from './definition.ts'
import type { MonitorDeps } from './deps.ts'
import { type Draft, holdNamedServers, proveAssertions, proveDrafts, type Wish, withServer } from './draft.ts'
import { definitionOf } from './read.ts'
import * as store from './store.ts'

/** A monitor that a request names. */
interface Named {
  /** As it is stored; undefined for what is no id of a monitor. */
  id: string | undefined
  /** Where in the body it is named; undefined for the one in the path, whose absence is a not_found. */
  idPath: string | undefined
}

/** What is to be done to monitors, all of it or nothing. */
export interface Changes {
  create: readonly Wish<CreateMonitorBody>[]
  update: readonly (Wish<PatchMonitorBody> & Named)[]
  delete: readonly Named[]
}

interface Work extends MonitorDeps {
  tenant: Tenant
  actor: Actor<Principal>
  at: Date
}

interface Creation extends Draft {
  id: string
}

interface Revision extends Draft {
  row: store.MonitorRow
  before: Definition
}

/**
 * Makes, changes and deletes monitors in one transaction, and gives the stored ids of the new ones, in order. Throws
 * validation_error with the places of what is wrong, not_found for the monitor of a path, plan_limit_reached.
 */
export async function changeMonitors(deps: MonitorDeps, actor: Actor<Principal>, changes: Changes): Promise<string[]> {
  const tenant = tenantOf(actor.principal)
  await proveAssertions([...changes.create, ...changes.update])
  return inTransaction(deps.db, async (db) => {
    const work = { ...deps, db, tenant, actor, at: new Date(deps.clock.now()) }
    // Servers before monitors, as whoever deletes a server takes them.
    const servers = await holdNamedServers(work, tenant, [...changes.create, ...changes.update])
    const standing = await lockNamed(work, [...changes.update, ...changes.delete])
    const creations = changes.create.map((wish): Creation => {
      return { id: newId(), wish, definition: completeDefinition(withServer(wish, servers), work.region) }
    })
    const revisions = changes.update.map((wish): Revision => {
      const row = standing.get(wish.id as string) as store.MonitorRow
      const before = definitionOf(work, row)
      return { row, before, wish, definition: mergeDefinition(before, withServer(wish, servers)) }
    })
    const regions = await proveDrafts(work, [...creations, ...revisions])
    await refuseShortIntervals(db, tenant.number, newIntervals(creations, revisions))
    await removeAll(
      work,
      changes.delete.map(({ id }) => standing.get(id as string) as store.MonitorRow),
    )
    await reviseAll(work, revisions, regions)
    await insertAll(work, creations, regions)
    return creations.map(({ id }) => id)
  })
}

/** What is named, by id, locked. Throws for what is not there, and for what is named twice. */
async function lockNamed({ db, tenant }: Work, named: readonly Named[]): Promise<Map<string, store.MonitorRow>> {
  const ids = named.flatMap(({ id }) => id ?? [])
  const rows = ids.length === 0 ? [] : await store.lockMonitors(db, tenant.number, ids)
  const standing = new Map(rows.map((row) => [row.id, row]))
  const seen = new Set<string>()
  for (const { id, idPath } of named) {
    if (id === undefined || !standing.has(id)) {
      if (idPath === undefined) throw notFound()
      throw invalid({ path: idPath, message: 'is no monitor of this organization' })
    }
    if (seen.has(id)) throw invalid({ path: idPath ?? 'id', message: 'is named twice' })
    seen.add(id)
  }
  return standing
}

/** What a plan has to let pass: an interval that stands already stays. */
function newIntervals(creations: readonly Creation[], revisions: readonly Revision[]): number[] {
  const changed = revisions.filter(({ before, definition }) => before.interval !== definition.interval)
  return [...creations, ...changed].map(({ definition }) => definition.interval)
}

async function removeAll({ db, tenant, actor, at }: Work, rows: readonly store.MonitorRow[]): Promise<void> {
  if (rows.length === 0) return
  await deleteChecks(
    db,
    tenant.number,
    rows.map(({ number }) => number),
  )
  const ids = rows.map(({ id }) => id)
  await store.deleteMonitors(db, tenant.number, ids)
  await deleteRulesOf(db, tenant.number, 'monitor', ids)
  await deleteWindowsOf(db, tenant.number, 'monitor', ids)
  await resolveIncidentsOf(db, tenant.number, ids, 'the monitor was deleted', at)
  const entries = rows.map(({ id, name, url }) => entryOf('monitor.deleted', id, { name, url }))
  await recordAudits(db, tenant.number, actor, entries, at)
}

async function reviseAll(work: Work, all: readonly Revision[], regions: ReadonlyMap<string, number>): Promise<void> {
  const { db, tenant, actor, at } = work
  const revisions = all.filter(({ before, definition }) => changedFields(before, definition).length > 0)
  if (revisions.length === 0) return
  const columns = revisions.map(({ row, definition }) => toColumns(work, row.id, definition))
  await store.updateMonitors(db, tenant.number, columns, at)
  await reschedule(work, revisions, regions)
  const retagged = revisions.filter(({ before, definition }) => changedFields(before, definition).includes('tags'))
  await lookAgain(
    db,
    tenant.number,
    retagged.map(({ row }) => row.number),
    at,
  )
  const entries = revisions.map(({ row, before, definition }) => {
    const details = { name: definition.name, changed: changedFields(before, definition).toSorted() }
    return entryOf('monitor.updated', row.id, details)
  })
  await recordAudits(db, tenant.number, actor, entries, at)
}

async function reschedule(work: Work, revisions: readonly Revision[], regions: ReadonlyMap<string, number>): Promise<void> {
  const { db, tenant, at } = work
  const others = revisions.filter(({ before, definition }) => isOtherCheck(before, definition))
  const slowed = revisions.filter(
    (revision) => !others.includes(revision) && revision.before.interval !== revision.definition.interval,
  )
  const intervals = slowed.map(({ row, definition }) => ({ monitor: row.number, intervalSeconds: definition.interval }))
  await changeIntervals(db, tenant.number, intervals, at.getTime())
  if (others.length === 0) return
  const numbers = others.map(({ row }) => row.number)
  const statuses = await readStatuses(db, tenant.number, numbers)
  const paused = new Set(statuses.filter(({ status }) => status === 'paused').map(({ monitor }) => monitor))
  const placements = others.map(({ row, definition }) => placementOf(row.number, definition, regions, paused.has(row.number)))
  await placeAll(db, tenant.number, placements, at.getTime())
}

async function insertAll(work: Work, creations: readonly Creation[], regions: ReadonlyMap<string, number>): Promise<void> {
  if (creations.length === 0) return
  const { db, tenant, actor, at } = work
  await refuseOverPlan(db, tenant.number, 'monitors', (db) => store.countMonitors(db, tenant.number), creations.length)
  const columns = creations.map(({ id, definition }) => toColumns(work, id, definition))
  const numbers = await store.insertMonitors(db, tenant.number, columns, at)
  await insertStatus(db, tenant.number, [...numbers.values()], 'up', at)
  const placements = creations.map(({ id, definition }) => placementOf(numbers.get(id) as number, definition, regions, false))
  await placeAll(db, tenant.number, placements, at.getTime())
  const entries = creations.map(({ id, definition: { name, url } }) => entryOf('monitor.created', id, { name, url }))
  await recordAudits(db, tenant.number, actor, entries, at)
}

const entryOf = (action: string, id: string, details: object) => ({ action, target: { kind: 'monitor', id } as const, details })

function placementOf(monitor: number, definition: Definition, regions: ReadonlyMap<string, number>, isPaused: boolean) {
  const numbers = definition.regions.map((id) => regions.get(id) as number)
  return { monitor, intervalSeconds: definition.interval, regions: numbers, isPaused }
}

function toColumns({ sealer }: Work, id: string, definition: Definition): store.MonitorColumns {
  const { headers, body, interval, timeout, ...rest } = definition
  return {
    id,
    ...rest,
    interval_seconds: interval,
    timeout_seconds: timeout,
    request_sealed: sealRequest(sealer, id, { headers, body }),
  }
}
