import { isDeepStrictEqual } from 'node:util'
import {
  type CreateMaintenanceWindowBody,
  type MaintenanceWindow,
  type MaintenanceWindowList,
  type PatchMaintenanceWindowBody,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../../access/auth/index.ts'
import { refuseOverBound } from '../../../access/plans/index.ts'
import { mapWithPauses } from '../../../platform/concurrency/map-with-pauses.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../../../platform/db/index.ts'
import { requireNoFaults } from '../../../platform/http/index.ts'
import { lockReferences } from '../../../operating/references/index.ts'
import { restoreDeleted } from '../../../operating/deletions/index.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { encodeId, newId, parseId } from '../../../platform/ids.ts'
import { instantAt } from '../../../platform/time/instant.ts'
import { endOfWindow, nextStart } from '../../../platform/time/recurrence.ts'
import { keepPast } from './past.ts'
import { ownWindowFaults, targetFaults, windowFaults } from './faults.ts'
import { requireTarget } from '../target-store.ts'
import * as store from './store.ts'

export interface WindowDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's windows, newest first. */
export async function listWindows(
  { db, clock }: WindowDeps,
  tenant: Tenant,
  request: PageRequest,
): Promise<MaintenanceWindowList> {
  const { total, rows } = await store.listWindows(db, tenant.number, request)
  // The next occurrence of a rule may be years away.
  const windows = await mapWithPauses(rows, (row) => toWindow(row, clock.now()))
  return { maintenance_windows: windows, total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getWindow(
  { db, clock }: Pick<WindowDeps, 'db' | 'clock'>,
  tenant: Tenant,
  id: string,
): Promise<MaintenanceWindow> {
  const row = await store.findWindow(db, tenant.number, id)
  if (!row) throw notFound()
  return toWindow(row, clock.now())
}

/** Creates a window. Throws validation_error. */
export async function createWindow(
  deps: WindowDeps,
  actor: Actor<Principal>,
  body: CreateMaintenanceWindowBody,
): Promise<MaintenanceWindow> {
  const tenant = tenantOf(actor.principal)
  requireNoFaults(ownWindowFaults, body)
  return inTransaction(deps.db, async (db) => {
    const defaults = { repeat: null, time_zone: 'UTC', silence: null }
    const window = { ...defaults, ...(await columnsOf(db, tenant, body)) } as store.WindowColumns
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await refuseOverBound(db, tenant.number, 'maintenance_window')
    await store.insertWindow(db, tenant.number, { ...window, id, covers_since: null }, at)
    await recordAudit(
      db,
      tenant.number,
      actor,
      auditEntry('maintenance_window.created', 'maintenanceWindow', id, { name: window.name }),
      at,
    )
    return getWindow({ ...deps, db }, tenant, id)
  })
}

/** Changes what the body names, and validates the result. Throws not_found across organizations, validation_error. */
export async function patchWindow(
  deps: WindowDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchMaintenanceWindowBody,
): Promise<MaintenanceWindow> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    // An unknown window is reported before invalid fields; and what a window refers to is locked before the window.
    if (!(await store.findWindow(db, tenant.number, id))) throw notFound()
    const change = await columnsOf(db, tenant, body)
    const row = await store.lockWindow(db, tenant.number, id)
    if (!row) throw notFound()
    if (row.silence && change.target_type) throw invalid({ path: 'target', message: 'of a silence cannot be changed' })
    requireValid({ ...row, ...change })
    const names = Object.keys(change) as (keyof store.WindowColumns)[]
    const changed = names.filter((name) => !isDeepStrictEqual(row[name], change[name]))
    if (changed.length === 0) return toWindow(row, deps.clock.now())
    const at = new Date(deps.clock.now())
    const isCoverage = changed.some((name) => (store.COVERAGE as readonly string[]).includes(name))
    if (isCoverage) await keepPast(db, tenant.number, row, at)
    await store.updateWindow(db, tenant.number, id, isCoverage ? { ...change, covers_since: at } : change, at)
    const details = { name: change.name ?? row.name, changed: changed.toSorted() }
    await recordAudit(db, tenant.number, actor, auditEntry('maintenance_window.updated', 'maintenanceWindow', id, details), at)
    return getWindow({ ...deps, db }, tenant, id)
  })
}

/** Throws not_found across organizations. */
export async function deleteWindow(deps: WindowDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockWindow(db, tenant.number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    await keepPast(db, tenant.number, row, at)
    await store.deleteWindow(db, tenant.number, id, at)
    await recordAudit(
      db,
      tenant.number,
      actor,
      auditEntry('maintenance_window.deleted', 'maintenanceWindow', id, { name: row.name }),
      at,
    )
  })
}

/** Brings a deleted window back. Throws not_found across organizations, conflict over the bound and where its target was deleted. */
export async function restoreWindow(deps: WindowDeps, actor: Actor<Principal>, id: string): Promise<MaintenanceWindow> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    await restoreDeleted({ ...deps, db }, actor, id, store.deletedWindows, async (row, at) => {
      await requireTarget(db, tenant.number, row)
      // What it covered before is kept apart.
      await store.coverSince(db, tenant.number, id, at)
    })
    return getWindow({ ...deps, db }, tenant, id)
  })
}

/** The columns that a body names; a monitor or server among them is not deleted before the transaction ends. */
async function columnsOf(db: Db, tenant: Tenant, body: PatchMaintenanceWindowBody): Promise<Partial<store.WindowColumns>> {
  const { target, starts_at: startsAt, ends_at: endsAt, name, repeat, time_zone: timeZone } = body
  return {
    ...(name !== undefined && { name }),
    ...(repeat !== undefined && { repeat }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(startsAt !== undefined && { starts_at: instantAt('starts_at', startsAt) }),
    ...(endsAt !== undefined && { ends_at: instantAt('ends_at', endsAt) }),
    ...(target && (await targetOf(db, tenant, target))),
  }
}

async function targetOf(db: Db, tenant: Tenant, target: CreateMaintenanceWindowBody['target']) {
  const { type, id = null, tag = null } = target
  if (id === null) return { target_type: type, target_id: null, target_tag: tag }
  const faults = targetFaults(target)
  if (faults.length > 0) throw invalid(...faults)
  const parsedId = parseId(type, id)
  if (parsedId === undefined || !(await lockReferences(db, type, tenant.number, [parsedId])).has(parsedId))
    throw invalid({ path: 'target.id', message: `is not a ${type} of this organization` })
  return { target_type: type, target_id: parsedId, target_tag: null }
}

function requireValid(window: store.WindowColumns): void {
  const faults = windowFaults(window)
  if (faults.length > 0) throw invalid(...faults)
}

export function toWindow(row: store.WindowRow, atMs: number): MaintenanceWindow {
  const { target_type: type, target_id: id, target_tag: tag } = row
  return {
    id: encodeId('maintenanceWindow', row.id),
    name: row.name,
    target: { type, id: id && encodeId(type === 'source' ? 'alertSource' : type, id), tag },
    silence: row.silence,
    starts_at: toTimestamp(row.starts_at.getTime()),
    ends_at: toTimestamp(row.ends_at.getTime()),
    repeat: row.repeat,
    time_zone: row.time_zone,
    under_way_until: timestampOrNull(endOfWindow(row, atMs)),
    next_starts_at: timestampOrNull(nextStart(row, atMs)),
    managed: row.managed,
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}

const timestampOrNull = (ms: number | undefined) => (ms === undefined ? null : toTimestamp(ms))
