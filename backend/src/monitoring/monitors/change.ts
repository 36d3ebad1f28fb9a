import { isDeepStrictEqual } from 'node:util'
import {
  checkKindSpec,
  type CreateMonitorBody,
  type PatchMonitorBody,
  type Plan,
  splitSentOptions,
  isWatched,
} from '@vedette/shared'
import { deleteRulesAndWindowsOf, requestReevaluation } from '../../alerting/alerts/index.ts'
import { resolveIncidentsOf } from '../../alerting/incidents/index.ts'
import { type Actor, auditEntry, recordAudits } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import {
  announceComposites,
  changeIntervals,
  encryptRequest,
  endChecks,
  lockComposites,
  readStatuses,
  refreshComposites,
  scheduleMonitors,
  startMonitors,
} from '../checks/index.ts'
import { type ChangedThing, lockDependencies, refuseCycles } from '../dependencies/index.ts'
import { findPlan, refuseOverPlan, refuseShortIntervals } from '../../access/plans/index.ts'
import { joinTransaction } from '../../platform/db/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { followHours } from './change-hours.ts'
import { type ChangedComposite, refuseTooMany } from './composite.ts'
import { completeComposite, isComposite } from './composite-fields.ts'
import { changedFields, withDefaults, type Definition, isOtherCheck, applyPatch } from './definition.ts'
import type { MonitorDeps } from './deps.ts'
import { completeHeartbeat, endPings, isChecked, refuseTakenPings, revisePings, savePings, staysHeartbeat } from './heartbeat.ts'
import {
  type ResolvedInput,
  readReferences,
  inputFaults,
  validateDefinitions,
  type MonitorInput,
  withReferences,
} from './input.ts'
import { PAUSES } from './pause.ts'
import { definitionToChange, seesRequest } from './read.ts'
import { restoreAll } from './restore.ts'
import * as store from './store.ts'

/** A reference to a monitor in a request. */
interface MonitorReference {
  /** The stored id; undefined when the text is not an id of a monitor. */
  id: string | undefined
  /** Path in the body; undefined for the monitor of the URL, whose absence is a not_found. */
  idPath: string | undefined
}

/** Changes of monitors that are applied together or not at all. */
export interface Changes {
  create: readonly MonitorInput<CreateMonitorBody>[]
  update: readonly (MonitorInput<PatchMonitorBody> & MonitorReference)[]
  delete: readonly MonitorReference[]
  pause: readonly MonitorReference[]
  resume: readonly MonitorReference[]
  restore: readonly MonitorReference[]
}

export const NO_CHANGES: Changes = { create: [], update: [], delete: [], pause: [], resume: [], restore: [] }

interface ChangeContext extends MonitorDeps {
  tenant: Tenant
  plan: Plan
  actor: Actor
  at: Date
}

interface Creation extends ResolvedInput {
  id: string
}

interface Revision extends ResolvedInput {
  row: store.MonitorRow
  before: Definition
}

/**
 * Creates, changes, deletes, pauses, resumes and restores monitors in one transaction, and returns the rows of the new ones, in order.
 * Throws validation_error with the paths of all faults, not_found for the monitor of the URL, plan_limit_reached.
 */
export const changeMonitors = (deps: MonitorDeps, actor: Actor<Principal>, changes: Changes): Promise<store.MonitorRow[]> =>
  changeMonitorsOf(deps, tenantOf(actor.principal), actor, changes, seesRequest(actor.principal))

/** As `changeMonitors`, for an organization that the actor is no member of. */
export async function changeMonitorsOf(
  deps: MonitorDeps,
  tenant: Tenant,
  actor: Actor,
  changes: Changes,
  callerSeesRequest = true,
): Promise<store.MonitorRow[]> {
  const found = await inputFaults([...changes.create, ...changes.update])
  return joinTransaction(deps.db, async (db) => {
    const plan = await findPlan(db, tenant.number)
    const work = { ...deps, db, tenant, plan, actor, at: new Date(deps.clock.now()) }
    // Servers before monitors, the same order as in the deletion of a server.
    const references = await readReferences(work, tenant, [...changes.create, ...changes.update])
    const deleted = await store.lockDeleted(db, tenant.number, storedIds(changes.restore))
    const named = [...changes.update, ...changes.delete, ...changes.pause, ...changes.resume, ...changes.restore]
    const existing = await lockNamed(work, named, deleted)
    const creations: Creation[] = []
    for (const input of changes.create) {
      const definition = await completeHeartbeat(work, withDefaults(withReferences(input, references), work.region))
      creations.push({ id: newId(), input, definition: completeComposite(definition) })
    }
    const revisions: Revision[] = []
    for (const input of changes.update) {
      const row = existing.get(input.id as string) as store.MonitorRow
      const before = definitionToChange(work, row, input.body)
      const definition = await completeHeartbeat(work, applyPatch(before, withReferences(input, references), work.region), before)
      revisions.push({ row, before, input, definition: completeComposite(definition) })
    }
    const touchesComposites = [...creations, ...revisions].some(({ definition }) => isComposite(definition))
    const hasComposites = touchesComposites || [...existing.values()].some(isComposite)
    if (hasComposites) {
      // In the order in which a change of a member takes them, below.
      await lockDependencies(db, tenant.number)
      await lockComposites(db, tenant.number)
    }
    const regions = await validateDefinitions(work, [...creations, ...revisions], found, callerSeesRequest)
    await refuseTakenPings(db, tenant.number, givenDefinitions(creations, revisions))
    refuseShortIntervals(plan, newIntervals(creations, revisions))
    const rowsOf = (named: readonly MonitorReference[]) => named.map(({ id }) => existing.get(id as string) as store.MonitorRow)
    await deleteAll(work, rowsOf(changes.delete))
    await updateAll(work, revisions, regions)
    const created = await insertAll(work, creations, regions)
    await changePauses(work, 'pause', rowsOf(changes.pause))
    await changePauses(work, 'resume', rowsOf(changes.resume))
    await restoreAll(work, deleted)
    await refuseCycles(db, tenant.number, dependentsOf(creations, revisions, deleted, changes.restore))
    await refuseTooMany(db, tenant.number, changedComposites(creations, created, revisions, deleted), work.at)
    const changed = [...created, ...existing.values()]
    const numbers = changed.map(({ number }) => number)
    await refreshComposites(db, tenant.number, membersOf(changed, revisions), work.at, numbers)
    if (hasComposites) await announceComposites(db)
    return created
  })
}

/** The changed monitors that depend on others, so that they may be in a cycle. */
function dependentsOf(
  creations: readonly Creation[],
  revisions: readonly Revision[],
  restored: readonly store.MonitorRow[],
  references: readonly MonitorReference[],
): ChangedThing[] {
  const type = 'monitor' as const
  const created = creations.map(({ id, input, definition }) => ({ id, definition, path: `${input.path}${linksOf(definition)}` }))
  const revised = revisions.flatMap(({ row: { id }, before, input, definition }) => {
    const names = isComposite(definition) ? (['options', 'depends_on', 'tags'] as const) : (['depends_on', 'tags'] as const)
    const changed = names.find((name) => changedFields(before, definition).includes(name))
    const field = changed === 'options' ? linksOf(definition) : changed
    return field ? [{ id, definition, path: `${input.path}${field}` }] : []
  })
  const returned = restored.map((row) => {
    return { id: row.id, definition: row, path: references.find(({ id }) => id === row.id)?.idPath ?? 'depends_on' }
  })
  return [...created, ...revised, ...returned].flatMap(({ id, path, definition }) =>
    definition.depends_on.length === 0 && !isComposite(definition) ? [] : [{ type, id, path }],
  )
}

/** Composites whose members a request gave or brings back. */
const changedComposites = (
  creations: readonly Creation[],
  created: readonly store.MonitorRow[],
  revisions: readonly Revision[],
  restored: readonly store.MonitorRow[],
): ChangedComposite[] => [
  ...creations.flatMap(({ input, definition }, index) =>
    isComposite(definition)
      ? [{ number: (created[index] as store.MonitorRow).number, path: `${input.path}options.members` }]
      : [],
  ),
  ...revisions.flatMap(({ row, input, definition }) =>
    isComposite(definition) ? [{ number: row.number, path: `${input.path}options.members` }] : [],
  ),
  ...restored.filter(isComposite).map(({ number }) => ({ number, path: 'options.members' })),
]

/** By what composites may name these monitors: before their change and after it. */
const membersOf = (rows: readonly store.MonitorRow[], revisions: readonly Revision[]) => ({
  ids: rows.map(({ id }) => id),
  tags: [...rows.flatMap(({ tags }) => tags), ...revisions.flatMap(({ definition }) => definition.tags)],
})

const givenDefinitions = (creations: readonly Creation[], revisions: readonly Revision[]) => [
  ...creations.map(({ input, definition }) => ({ path: input.path, monitor: undefined, definition })),
  ...revisions.map(({ row, input, definition }) => ({ path: input.path, monitor: row.number, definition })),
]

/** The field that most likely closes a cycle. */
const linksOf = (definition: Definition): string => (isComposite(definition) ? 'options.members' : 'depends_on')

const storedIds = (named: readonly MonitorReference[]): string[] => named.flatMap(({ id }) => id ?? [])

/**
 * Locks the referenced monitors and returns them by id, with the deleted ones to restore. Throws for missing monitors and for repeated
 * references.
 */
async function lockNamed(
  { db, tenant }: ChangeContext,
  named: readonly MonitorReference[],
  deleted: readonly store.MonitorRow[],
): Promise<Map<string, store.MonitorRow>> {
  const ids = storedIds(named)
  const rows = ids.length === 0 ? [] : await store.lockMonitors(db, tenant.number, ids)
  const existing = new Map([...rows, ...deleted].map((row) => [row.id, row]))
  const seen = new Set<string>()
  for (const { id, idPath } of named) {
    if (id === undefined || !existing.has(id)) {
      if (idPath === undefined) throw notFound()
      throw invalid({ path: idPath, message: 'must be a monitor of this organization' })
    }
    if (seen.has(id)) throw invalid({ path: idPath ?? 'id', message: 'must not be repeated' })
    seen.add(id)
  }
  return existing
}

/** Intervals that a plan must allow: an unchanged interval stays valid. */
function newIntervals(creations: readonly Creation[], revisions: readonly Revision[]): number[] {
  const changed = revisions.filter(({ before, definition }) => before.interval !== definition.interval)
  return [...creations, ...changed].map(({ definition }) => definition.interval)
}

async function deleteAll({ db, tenant, actor, at }: ChangeContext, rows: readonly store.MonitorRow[]): Promise<void> {
  if (rows.length === 0) return
  await endPings(db, tenant.number, rows, true)
  await endChecks(
    db,
    tenant.number,
    rows.map(({ number }) => number),
  )
  const ids = rows.map(({ id }) => id)
  const alerts = await deleteRulesAndWindowsOf(db, tenant.number, 'monitor', ids)
  await store.markDeleted(db, tenant.number, ids, alerts, at)
  await resolveIncidentsOf(db, tenant.number, ids, 'the monitor was deleted', at)
  const entries = rows.map(({ id, name, url }) => auditEntry('monitor.deleted', 'monitor', id, { name, url }))
  await recordAudits(db, tenant.number, actor, entries, at)
}

async function changePauses(
  { db, tenant, actor, at }: ChangeContext,
  change: 'pause' | 'resume',
  rows: readonly store.MonitorRow[],
): Promise<void> {
  if (rows.length === 0) return
  const numbers = rows.map(({ number }) => number)
  const statuses = new Map((await readStatuses(db, tenant.number, numbers)).map((status) => [status.monitor, status]))
  const changed: store.MonitorRow[] = []
  // In one order, to prevent deadlocks.
  for (const row of rows.toSorted((one, other) => one.number - other.number)) {
    const status = statuses.get(row.number)
    if (status && (await PAUSES[change](db, tenant.number, row, status, at))) changed.push(row)
  }
  const entries = changed.map(({ id, name }) => auditEntry(`monitor.${change}d`, 'monitor', id, { name }))
  await recordAudits(db, tenant.number, actor, entries, at)
}

async function updateAll(work: ChangeContext, all: readonly Revision[], regions: ReadonlyMap<string, number>): Promise<void> {
  const { db, tenant, actor, at } = work
  const revisions = all.filter(({ before, definition }) => changedFields(before, definition).length > 0)
  if (revisions.length === 0) return
  const columns = revisions.map(({ row, definition }) => toColumns(work, row.id, definition))
  await store.updateMonitors(db, tenant.number, columns, at)
  await reschedule(work, revisions, regions)
  for (const { row, before, definition } of revisions)
    if (!isDeepStrictEqual(before.active_hours, definition.active_hours)) {
      const { type, options, active_hours } = definition
      await followHours(db, tenant.number, { ...row, type, options, active_hours }, at.getTime(), at.getTime())
    }
  const retagged = revisions.filter(({ before, definition }) => changedFields(before, definition).includes('tags'))
  await requestReevaluation(
    db,
    tenant.number,
    retagged.map(({ row }) => row.number),
    at,
  )
  const entries = revisions.map(({ row, before, definition }) => {
    const details = { name: definition.name, changed: changedFields(before, definition).toSorted() }
    return auditEntry('monitor.updated', 'monitor', row.id, details)
  })
  await recordAudits(db, tenant.number, actor, entries, at)
}

async function reschedule(
  work: ChangeContext,
  revisions: readonly Revision[],
  regions: ReadonlyMap<string, number>,
): Promise<void> {
  const { db, tenant, at } = work
  await revisePings(db, tenant.number, revisions, at)
  const others = revisions.filter((revision) => !staysHeartbeat(revision) && isOtherCheck(revision.before, revision.definition))
  const slowed = revisions.filter(
    (revision) => !others.includes(revision) && revision.before.interval !== revision.definition.interval,
  )
  const intervals = slowed.map(({ row, definition }) => ({ monitor: row.number, intervalSeconds: definition.interval }))
  await changeIntervals(db, tenant.number, intervals, at.getTime())
  if (others.length === 0) return
  const numbers = others.map(({ row }) => row.number)
  const statuses = await readStatuses(db, tenant.number, numbers)
  const paused = new Set(statuses.filter(({ status }) => !isWatched(status)).map(({ monitor }) => monitor))
  const schedules = others.map(({ row, definition }) => scheduleOf(row.number, definition, regions, paused.has(row.number)))
  await scheduleMonitors(db, tenant.number, schedules, at.getTime())
}

async function insertAll(
  work: ChangeContext,
  creations: readonly Creation[],
  regions: ReadonlyMap<string, number>,
): Promise<store.MonitorRow[]> {
  if (creations.length === 0) return []
  const { db, tenant, plan, actor, at } = work
  await refuseOverPlan(db, tenant.number, 'monitors', (db) => store.countMonitors(db, tenant.number), creations.length, plan)
  const columns = creations.map(({ id, definition }) => toColumns(work, id, definition))
  const rows = await store.insertMonitors(db, tenant.number, columns, at)
  const schedules = rows.map(({ number }, index) => scheduleOf(number, (creations[index] as Creation).definition, regions, false))
  await startMonitors(db, tenant.number, schedules, at)
  const saved = rows.map(({ number: monitor }, index) => ({ monitor, definition: (creations[index] as Creation).definition }))
  await savePings(db, tenant.number, saved)
  for (const row of rows) if (row.active_hours.length > 0) await followHours(db, tenant.number, row, at.getTime(), at.getTime())
  const entries = creations.map(({ id, definition: { name, url } }) =>
    auditEntry('monitor.created', 'monitor', id, { name, url }),
  )
  await recordAudits(db, tenant.number, actor, entries, at)
  return rows
}

function scheduleOf(monitor: number, definition: Definition, regions: ReadonlyMap<string, number>, isPaused: boolean) {
  const numbers = definition.regions.map((id) => regions.get(id) as number)
  return { monitor, intervalSeconds: definition.interval, regions: numbers, isPaused: isPaused || !isChecked(definition) }
}

function toColumns({ encrypter }: ChangeContext, id: string, definition: Definition): store.MonitorColumns {
  const { sent, others } = splitSentOptions(checkKindSpec(definition.type), definition.options)
  const { headers = {}, body = null, credentials, method, follow_redirects, verify_tls, interval, timeout, ...rest } = definition
  return {
    id,
    ...rest,
    options: others,
    interval_seconds: interval,
    timeout_seconds: timeout,
    method: method ?? null,
    follow_redirects: follow_redirects ?? null,
    verify_tls: verify_tls ?? null,
    request_encrypted: encryptRequest(encrypter, id, { headers, body, credentials, options: sent }),
  }
}
