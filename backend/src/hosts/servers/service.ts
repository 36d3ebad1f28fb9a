import type { PatchServerBody, ServerDetails } from '@vedette/shared'
import { NO_TARGET_DESCRIPTION, toTimestamp } from '@vedette/shared'
import { type Actor, recordAudit } from '../../access/audit/index.ts'
import {
  createSecretToken,
  deleteServerToken,
  type Principal,
  replaceServerToken,
  type Tenant,
  tenantOf,
} from '../../access/auth/index.ts'
import { refuseCycles, resolveDependencies, showDependencies } from '../../monitoring/dependencies/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { notFound } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import { recordSecurityAudit } from '../../access/security-log/index.ts'
import type { ServerDeps } from './deps.ts'
import { findServer } from './list-store.ts'
import { onlineAfter } from './presence.ts'
import { deleteProcessLists } from './process-store.ts'
import { readProcesses } from './processes.ts'
import { readState } from './state-store.ts'
import * as store from './store.ts'
import { toServerDetails } from './wire.ts'

/** The server with its newest sample. Throws not_found across organizations. */
export async function getServer(deps: ServerDeps, tenant: Tenant, id: string): Promise<ServerDetails> {
  const number = await store.findServerNumber(deps.db, tenant.number, id)
  if (number === undefined) throw notFound()
  // Read before the status, so that a push between the two reads never yields an offline server with a fresh sample.
  const newest = await deps.samples.newestSamples(tenant.number, [number])
  const now = deps.clock.now()
  const row = await findServer(deps.db, tenant.number, id)
  if (!row) throw notFound()
  const state = await readState(deps.db, tenant.number, id, deps.samples.freshState(id))
  const processes = await readProcesses(deps, { organization: tenant.number, number, id })
  const { sampleIntervalSeconds, pushIntervalSeconds } = deps
  const show = await showDependencies(deps.db, tenant.number, [row.depends_on])
  const context = { onlineAfterMs: onlineAfter(now, deps.uptime, pushIntervalSeconds), isOutdated: deps.isOutdated }
  return toServerDetails(row, context, {
    state,
    processes: processes?.processes ?? [],
    dependsOn: show(row.depends_on),
    metrics: newest.get(row.number) ?? null,
    sampleIntervalSeconds,
    pushIntervalSeconds,
  })
}

/** Changes the display name, the tags, the dependencies and the description. Throws not_found across organizations, validation_error. */
export async function patchServer(
  deps: ServerDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchServerBody,
): Promise<ServerDetails> {
  const tenant = tenantOf(actor.principal)
  const at = new Date(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    const server = await store.lockServer(db, tenant.number, id)
    if (!server) throw notFound()
    const { depends_on: given, links, ...change } = body
    const [dependsOn = server.depends_on] = given
      ? await resolveDependencies(db, tenant.number, [{ path: 'depends_on', depends_on: given }])
      : []
    const lists = { ...(given && { depends_on: JSON.stringify(dependsOn) }), ...(links && { links: JSON.stringify(links) }) }
    await store.updateServer(db, tenant.number, id, { ...change, ...lists })
    const path = given ? 'depends_on' : 'tags'
    if (dependsOn.length > 0 && (given || change.tags)) await refuseCycles(db, tenant.number, [{ type: 'server', id, path }])
    const details = { hostname: server.hostname, ...toAudited(body) }
    await recordAudit(db, tenant.number, actor, { action: 'server.updated', target: { kind: 'server', id }, details }, at)
  })
  return getServer(deps, tenant, id)
}

/** Of the texts and links that describe the server, only which were given: they may be long. Pure. */
function toAudited(body: PatchServerBody): Record<string, unknown> {
  const described = Object.keys(NO_TARGET_DESCRIPTION).filter((name) => Object.hasOwn(body, name))
  const others = Object.entries(body).filter(([name]) => !described.includes(name))
  return { ...Object.fromEntries(others), ...(described.length > 0 && { changed: described.toSorted() }) }
}

/** Deletes the server with its samples and revokes its token. Throws not_found across organizations. */
export async function deleteServer(deps: ServerDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  const at = new Date(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    const server = await store.lockServer(db, tenant.number, id)
    if (!server) throw notFound()
    await deleteServerToken(db, tenant.number, id)
    await store.insertDeletedMachine(db, tenant.number, server.machine_id, at)
    await store.deleteServer(db, tenant.number, id)
    await deps.samples.deleteSamples(db, tenant.number, server.number)
    await deleteProcessLists(db, tenant.number, server.number)
    await deps.deleteServerReferences(db, tenant.number, id, at)
    const details = { hostname: server.hostname }
    await recordAudit(db, tenant.number, actor, { action: 'server.deleted', target: { kind: 'server', id }, details }, at)
  })
}

/** Issues a new token. Every instance rejects the old one from the response on. Throws not_found. */
export async function regenerateToken(deps: ServerDeps, actor: Actor<Principal>, id: string) {
  const tenant = tenantOf(actor.principal)
  const { secret, hash } = createSecretToken('serverToken')
  const at = new Date(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    const server = await store.lockServer(db, tenant.number, id)
    if (!server) throw notFound()
    await store.updateServer(db, tenant.number, id, { token_hash: hash, token_created_at: at })
    await replaceServerToken(db, tenant.number, id, hash)
    const target = { kind: 'server', id } as const
    const entry = { action: 'server.token_regenerated', target, details: { hostname: server.hostname } } as const
    await recordSecurityAudit(db, tenant.number, actor, entry, at)
  })
  return { server_id: encodeId('server', id), token: secret, created_at: toTimestamp(at.getTime()) }
}
