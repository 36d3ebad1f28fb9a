import { type CheckTrial, type CreateMonitorBody, type MonitorDetails, type PatchMonitorBody } from '@vedette/shared'
import type { Actor } from '../audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import { inTransaction } from '../platform/db/index.ts'
import { ApiError } from '../platform/errors.ts'
import { changeMonitors } from './change.ts'
import { completeDefinition } from './definition.ts'
import type { MonitorDeps } from './deps.ts'
import { holdNamedServers, proveAssertions, proveDrafts, withServer } from './draft.ts'
import { getMonitor } from './read.ts'

/** Makes a monitor, which is checked at once. Throws validation_error, plan_limit_reached. */
export async function createMonitor(
  deps: MonitorDeps,
  actor: Actor<Principal>,
  body: CreateMonitorBody,
): Promise<MonitorDetails> {
  const [id] = await changeMonitors(deps, actor, { create: [{ path: '', body }], update: [], delete: [] })
  return getMonitor(deps, actor.principal, id as string)
}

/** Changes what the body names; the whole is judged afterwards. Throws not_found across organizations. */
export async function patchMonitor(
  deps: MonitorDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchMonitorBody,
): Promise<MonitorDetails> {
  await changeMonitors(deps, actor, { create: [], update: [{ path: '', body, id, idPath: undefined }], delete: [] })
  return getMonitor(deps, actor.principal, id)
}

/** Removes the monitor with all that is known of it. Throws not_found across organizations. */
export async function deleteMonitor(deps: MonitorDeps, actor: Actor<Principal>, id: string): Promise<void> {
  await changeMonitors(deps, actor, { create: [], update: [], delete: [{ id, idPath: undefined }] })
}

/** Makes one check of a definition that is not kept, from the backend's own region. Throws as `createMonitor`, and unavailable. */
export async function tryMonitor(deps: MonitorDeps, principal: Principal, body: CreateMonitorBody): Promise<CheckTrial> {
  const definition = await proveBody(deps, tenantOf(principal), body)
  if (!deps.prober) throw new ApiError('unavailable', 'This backend makes no checks.', { retryAfterSeconds: 60 })
  const { type, url, method, headers, timeout, follow_redirects, verify_tls, assertions } = definition
  const check = { type, url, method, headers, body: definition.body, timeout, follow_redirects, verify_tls, assertions }
  const { certificate, delayed: _delayed, answer: _answer, ...result } = await deps.prober.check(check)
  return { ...result, region: deps.region, certificate_expires_at: certificate?.expires_at ?? null }
}

async function proveBody(deps: MonitorDeps, tenant: Tenant, body: CreateMonitorBody) {
  const wish = { path: '', body }
  await proveAssertions([wish])
  return inTransaction(deps.db, async (db) => {
    const servers = await holdNamedServers({ ...deps, db }, tenant, [wish])
    const definition = completeDefinition(withServer(wish, servers), deps.region)
    await proveDrafts({ db }, [{ wish, definition }])
    return definition
  })
}
