import type {
  ContainerFacts,
  FactsBody,
  FoundSources,
  RegisterAnswer,
  RegisterBody,
  UnreadableCertificate,
} from '@vedette/shared'
import { HOUR_MS, MAX_TAGS, OPTIONAL_SOURCES, toTimestamp } from '@vedette/shared'
import { findApiKeyCreation } from '../../access/api-keys/index.ts'
import { type Actor, actorOf, auditEntry, recordAudit, refuseTooMany } from '../../access/audit/index.ts'
import { createSecretToken, type Principal, replaceServerToken, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { consumeEnrollmentToken } from '../enrollment-tokens/index.ts'
import { publish } from '../../notifying/notifications/index.ts'
import { refuseOverPlan } from '../../access/plans/index.ts'
import { type Db, inTransaction, isUniqueViolation, type ServerFacts } from '../../platform/db/index.ts'
import { forbidden, unauthorized } from '../../platform/errors.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import { parseInstant } from '../../platform/time/instant.ts'
import type { ServerDeps } from './deps.ts'
import { changeRecentEvent, insertEvent } from './event-store.ts'
import * as store from './store.ts'

function splitBody(body: FactsBody): { change: store.ServerChange; facts: ServerFacts } {
  const { cpu_model, cpu_cores, memory_bytes, ip_addresses, dropped_samples, damaged_records } = body
  const sources = body.sources && toSources(body.sources)
  const { hostname, os, kernel, arch, agent_version, tags } = body
  const container = body.container && toContainer(body.container)
  // Like every instant, returned in UTC with milliseconds, independent of the format that the agent sends.
  const bootMs = parseInstant(body.boot_time)
  const boot_time = bootMs === undefined ? undefined : toTimestamp(bootMs)
  return {
    change: { hostname, os, kernel, arch, agent_version, tags } as store.ServerChange,
    facts: {
      cpu_model,
      cpu_cores,
      memory_bytes,
      boot_time,
      ip_addresses,
      container,
      dropped_samples,
      damaged_records,
      sources,
      unreadable_certificates: body.unreadable_certificates?.map(toUnreadable),
    } as ServerFacts,
  }
}

/** The known fields. A newer agent may send more; they are dropped. */
function toContainer({ runtime, cgroup_version, memory_limit_bytes, cpu_limit_cores }: ContainerFacts): ContainerFacts {
  return { runtime, cgroup_version, memory_limit_bytes, cpu_limit_cores }
}

const toUnreadable = ({ path, reason }: UnreadableCertificate): UnreadableCertificate => ({ path, reason })

const toSources = (found: FoundSources): FoundSources =>
  Object.fromEntries(OPTIONAL_SOURCES.filter((source) => found[source] !== undefined).map((source) => [source, found[source]]))

/**
 * Registers the machine, or replaces the token of its existing server. A machine whose server was deleted needs an API
 * key created after the deletion. Throws forbidden; rate_limited beyond the registrations of an hour; plan_limit_reached for a new
 * machine.
 */
export async function registerServer(
  deps: ServerDeps,
  actor: Actor<Principal>,
  body: RegisterBody,
): Promise<{ isNew: boolean; answer: RegisterAnswer }> {
  const tenant = tenantOf(actor.principal)
  try {
    return await registerOnce(deps, actor, tenant, body)
  } catch (error) {
    // Two concurrent registrations of one new machine: the second retries and finds the row of the first.
    if (isUniqueViolation(error, 'server_organization_machine_id_key')) return registerOnce(deps, actor, tenant, body)
    throw error
  }
}

function registerOnce(deps: ServerDeps, actor: Actor<Principal>, tenant: Tenant, body: RegisterBody) {
  const { secret, hash } = createSecretToken('serverToken')
  const at = new Date(deps.clock.now())
  const { change, facts } = splitBody(body)
  const { principal } = actor
  return inTransaction(deps.db, async (db) => {
    const enrollment =
      principal.kind === 'enrollment_token' && (await consumeEnrollmentToken(db, tenant.number, principal.tokenId, at))
    // It was used up, revoked or expired after the request was authorized, or before.
    if (enrollment === undefined) throw unauthorized('The enrollment token was used, was revoked or has expired.')
    const existing = await store.lockServerByMachine(db, tenant.number, body.machine_id)
    const id = existing?.id ?? newId()
    await refuseTooMany(db, tenant.number, registrationLimit(deps, principal), at.getTime())
    if (existing) {
      await recordAgentUpdate(db, tenant, existing, body.agent_version, at)
      await store.updateServer(db, tenant.number, id, { ...change, token_hash: hash, token_created_at: at }, facts)
      await insertEvent(
        db,
        tenant.number,
        { id: newId(), type: 'agent.reregistered', subjectId: id, details: { hostname: body.hostname } },
        at,
      )
      const server = { id: encodeId('server', id), name: existing.display_name ?? body.hostname }
      await publish(db, tenant.number, { type: 'agent.reregistered', at, data: { server } })
    } else {
      const madeAt = enrollment ? enrollment.created_at : await findKeyCreation(db, principal, tenant)
      await refuseDeletedMachine(db, tenant, body.machine_id, madeAt)
      await refuseOverPlan(db, tenant.number, 'servers', (db) => store.countOtherServers(db, tenant.number, body.machine_id))
      const tags = mergeTags(body.tags, enrollment ? enrollment.tags : [])
      await store.insertServer(db, tenant.number, { id, tokenHash: hash, body: { ...body, tags }, facts }, at)
    }
    await replaceServerToken(db, tenant.number, id, hash)
    const action = existing ? 'server.reregistered' : 'server.registered'
    const entry = auditEntry(action, 'server', id, { hostname: body.hostname })
    await recordAudit(db, tenant.number, actor, entry, at)
    return { isNew: !existing, answer: { server_id: encodeId('server', id), token: secret, ...intervalsOf(deps) } }
  })
}

function registrationLimit({ registrationsPerHour: max }: ServerDeps, principal: Principal) {
  const { actorId } = actorOf(principal)
  const actions = ['server.registered', 'server.reregistered']
  return { noun: 'registrations', per: 'key and hour', max, windowMs: HOUR_MS, actions, actorId }
}

/** When the API key of the caller was created; undefined for another caller. */
const findKeyCreation = async (db: Db, principal: Principal, tenant: Tenant): Promise<Date | undefined> =>
  principal.kind === 'api_key' ? findApiKeyCreation(db, tenant.number, principal.keyId) : undefined

async function refuseDeletedMachine(db: Db, tenant: Tenant, machineId: string, madeAt: Date | undefined): Promise<void> {
  const deletedAt = await store.findDeletion(db, tenant.number, machineId)
  if (!deletedAt || !madeAt || madeAt > deletedAt) return
  throw forbidden(
    'The server of this machine was deleted. To bring it back, register it with an API key created after the deletion.',
  )
}

/** The tags of the host first; no more than a server may have. */
const mergeTags = (own: readonly string[] = [], given: readonly string[]): string[] =>
  [...new Set([...own, ...given])].slice(0, MAX_TAGS)

const intervalsOf = ({ sampleIntervalSeconds, pushIntervalSeconds }: ServerDeps) => ({
  sample_interval_seconds: sampleIntervalSeconds,
  push_interval_seconds: pushIntervalSeconds,
})

/**
 * For the story of an incident that follows. An agent that has another version each time changes its event of the last hour: `to` is the
 * version that it has now. Run it while the server is locked.
 */
async function recordAgentUpdate(
  db: Db,
  tenant: Tenant,
  { id, agent_version: from }: { id: string; agent_version: string },
  to: string | undefined,
  at: Date,
): Promise<void> {
  if (to === undefined || to === from) return
  const event = { type: 'agent.updated', subjectId: id }
  const since = new Date(at.getTime() - HOUR_MS)
  if (await changeRecentEvent(db, tenant.number, { ...event, details: { to } }, since)) return
  await insertEvent(db, tenant.number, { ...event, id: newId(), details: { from, to } }, at)
}

/** Stores the facts that an agent sends; omitted facts stay. Throws unauthorized if the server was deleted meanwhile. */
export async function updateFacts(deps: ServerDeps, principal: Principal, body: FactsBody): Promise<void> {
  if (principal.kind !== 'server') throw forbidden()
  const { change, facts } = splitBody(body)
  await inTransaction(deps.db, async (db) => {
    const { tenant, serverId } = principal
    const existing = await store.lockServer(db, tenant.number, serverId)
    if (!existing) throw unauthorized()
    await recordAgentUpdate(db, tenant, existing, body.agent_version, new Date(deps.clock.now()))
    await store.updateServer(db, tenant.number, serverId, change, facts)
    if (body.certificates)
      await deps.recordCertificates(db, { organization: tenant.number, serverId }, body.certificates, deps.clock.now())
  })
}
