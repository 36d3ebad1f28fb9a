import {
  type CheckDefinition,
  type CheckTrial,
  type CreateMonitorBody,
  type ErrorDetail,
  type MonitorDetails,
  type PatchMonitorBody,
} from '@vedette/shared'
import { type Actor, SYSTEM } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { IsRefused } from '../../platform/http/index.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { concluded } from '../checks/index.ts'
import { changeMonitors, changeMonitorsOf, NO_CHANGES } from './change.ts'
import { completeComposite, isComposite } from './composite-fields.ts'
import { httpFields, withDefaults } from './definition.ts'
import type { MonitorDeps } from './deps.ts'
import { isChecked } from './heartbeat.ts'
import { changeFaults, readReferences, inputFaults, validateDefinitions, withReferences } from './input.ts'
import { definitionToChange, getMonitor, readNewDetails, seesRequest } from './read.ts'
import { findMonitors, type MonitorRow } from './store.ts'

/** Creates a monitor and schedules its first check at once. Throws validation_error, plan_limit_reached. */
export async function createMonitor(
  deps: MonitorDeps,
  actor: Actor<Principal>,
  body: CreateMonitorBody,
): Promise<MonitorDetails> {
  const [row] = await changeMonitors(deps, actor, { ...NO_CHANGES, create: [{ path: '', body }] })
  return readNewDetails(deps, actor.principal, row as MonitorRow)
}

/** A heartbeat of a job that pings by a name before anybody made it, as Healthchecks makes it; false over the limit of the plan. */
export async function provisionHeartbeat(deps: MonitorDeps, tenant: Tenant, slug: string, ip: string): Promise<boolean> {
  const options = { schedule: { period_seconds: 86_400, grace_seconds: 3_600 } }
  const body: CreateMonitorBody = { type: 'heartbeat', name: slug, url: `heartbeat://${slug}`, options }
  try {
    await changeMonitorsOf(deps, tenant, { ...SYSTEM, ip }, { ...NO_CHANGES, create: [{ path: '', body }] })
    return true
  } catch (error) {
    // Made by another ping meanwhile, or one too many.
    if (error instanceof ApiError && error.code !== 'unavailable') return error.code === 'conflict'
    throw error
  }
}

/** Changes the fields of the body and validates the whole definition. Throws not_found across organizations. */
export async function patchMonitor(
  deps: MonitorDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchMonitorBody,
): Promise<MonitorDetails> {
  await changeMonitors(deps, actor, { ...NO_CHANGES, update: [{ path: '', body, id, idPath: undefined }] })
  return getMonitor(deps, actor.principal, id)
}

/** What a change would be refused for, where the schema refuses a part of it; nothing of one that does not exist. */
export async function monitorChangeFaults(
  deps: MonitorDeps,
  principal: Principal,
  id: string,
  body: PatchMonitorBody,
  isRefused: IsRefused,
): Promise<ErrorDetail[]> {
  const [row] = await findMonitors(deps.db, tenantOf(principal).number, [id])
  return row ? changeFaults(definitionToChange(deps, row, body), body, seesRequest(principal), isRefused) : []
}

/** Deletes the monitor with all its data. Throws not_found across organizations. */
export async function deleteMonitor(deps: MonitorDeps, actor: Actor<Principal>, id: string): Promise<void> {
  await changeMonitors(deps, actor, { ...NO_CHANGES, delete: [{ id, idPath: undefined }] })
}

/**
 * Brings a deleted monitor back with its history; a check runs at once, unless it was paused. Restoring one that is not deleted
 * changes nothing. Throws not_found, plan_limit_reached.
 */
export async function restoreMonitor(deps: MonitorDeps, actor: Actor<Principal>, id: string): Promise<MonitorDetails> {
  await changeMonitors(deps, actor, { ...NO_CHANGES, restore: [{ id, idPath: undefined }] })
  return getMonitor(deps, actor.principal, id)
}

/**
 * Runs one check of a definition from the backend's own region; nothing is stored. Throws as `createMonitor`, and unavailable.
 */
export async function testMonitor(deps: MonitorDeps, principal: Principal, body: CreateMonitorBody): Promise<CheckTrial> {
  const definition = await validateBody(deps, tenantOf(principal), body)
  if (isComposite(definition))
    throw invalid({ path: 'type', message: 'is composite: there is nothing to test, its members decide' })
  if (!isChecked(definition))
    throw invalid({ path: 'type', message: 'is heartbeat: there is nothing to test, it waits for pings' })
  if (!deps.prober) throw new ApiError('unavailable', 'This backend runs no checks.', { retryAfterSeconds: 60 })
  const { type, url, timeout, options, credentials, assertions } = definition
  const check = { type, url, timeout, options, credentials, assertions, ...httpFields(definition) }
  // Validated just now.
  const {
    certificate,
    delayed: _delayed,
    answer: _answer,
    facts = {},
    ...result
  } = concluded(check as CheckDefinition, await deps.prober.check(check as CheckDefinition))
  return { ...result, facts, region: deps.region, certificate_expires_at: certificate?.expires_at ?? null }
}

async function validateBody(deps: MonitorDeps, tenant: Tenant, body: CreateMonitorBody) {
  const input = { path: '', body }
  const found = await inputFaults([input])
  return inTransaction(deps.db, async (db) => {
    const references = await readReferences({ db }, tenant, [input])
    const definition = completeComposite(withDefaults(withReferences(input, references), deps.region))
    await validateDefinitions({ db }, [{ input, definition }], found, true)
    return definition
  })
}
