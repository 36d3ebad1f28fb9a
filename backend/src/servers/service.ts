import type {
  FactsBody,
  PatchServerBody,
  RegisterAnswer,
  RegisterBody,
  ServerDetails,
  ServerSort,
  ServerStatus,
} from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import {
  createSecretToken,
  deleteServerToken,
  findApiKeyCreation,
  type Principal,
  replaceServerToken,
  type Tenant,
  tenantOf,
} from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, inTransaction, isUniqueViolation, type ServerFacts } from '../platform/db/index.ts'
import { forbidden, notFound, unauthorized } from '../platform/errors.ts'
import { encodeId, newId } from '../platform/ids.ts'
import { onlineAfter, type Uptime } from './presence.ts'
import * as store from './store.ts'
import { type ItemExtras, type Snapshot, toServerDetails, toServerItem } from './wire.ts'

/** What the samples say of servers; the metrics feature stands behind it. */
export interface SampleSource {
  /** The newest sample of each server that has one, by server number. */
  newestSamples(organization: number, servers: readonly number[]): Promise<Map<number, NonNullable<Snapshot>>>
  sparklines(organization: number, servers: readonly number[]): Promise<Map<number, NonNullable<ItemExtras['sparkline']>>>
  /** State of this server that is newer than what is stored. */
  freshState(serverId: string): store.ServerState | undefined
  deleteSamples(db: Db, organization: number, server: number): Promise<void>
}

export interface ServerDeps {
  db: Db
  clock: Clock
  uptime: Uptime
  samples: SampleSource
  sampleIntervalSeconds: number
  pushIntervalSeconds: number
}

const DAY_MS = 86_400_000

/** Newest pushes are looked for in the partitions of today and yesterday. */
const sinceDay = (nowMs: number): string => toTimestamp(nowMs - DAY_MS).slice(0, 10)

function splitBody(body: FactsBody): { change: store.ServerChange; facts: ServerFacts } {
  const { cpu_model, cpu_cores, memory_bytes, boot_time, ip_addresses, hostname, os, kernel, arch, agent_version, tags } = body
  return {
    change: { hostname, os, kernel, arch, agent_version, tags } as store.ServerChange,
    facts: { cpu_model, cpu_cores, memory_bytes, boot_time, ip_addresses } as ServerFacts,
  }
}

/**
 * Registers the machine, or gives the server that it is already a fresh token (the old one dies). A machine whose server was
 * deleted is let in again only by an API key made after the deletion. Throws forbidden.
 */
export async function registerServer(
  deps: ServerDeps,
  principal: Principal,
  body: RegisterBody,
): Promise<{ isNew: boolean; answer: RegisterAnswer }> {
  const tenant = tenantOf(principal)
  try {
    return await registerOnce(deps, principal, tenant, body)
  } catch (error) {
    // Two registrations of one new machine at once: the second finds the row of the first.
    if (isUniqueViolation(error, 'server_organization_machine_id_key')) return registerOnce(deps, principal, tenant, body)
    throw error
  }
}

function registerOnce(deps: ServerDeps, principal: Principal, tenant: Tenant, body: RegisterBody) {
  const { secret, hash } = createSecretToken('serverToken')
  const at = new Date(deps.clock.now())
  const { change, facts } = splitBody(body)
  return inTransaction(deps.db, async (db) => {
    const existing = await store.lockServerByMachine(db, tenant.number, body.machine_id)
    const id = existing?.id ?? newId()
    if (existing) {
      await store.updateServer(db, tenant.number, id, { ...change, token_hash: hash, token_created_at: at }, facts)
      await store.insertEvent(
        db,
        tenant.number,
        { id: newId(), type: 'agent.reregistered', subjectId: id, details: { hostname: body.hostname } },
        at,
      )
    } else {
      await refuseDeletedMachine(db, principal, tenant, body.machine_id)
      await store.insertServer(db, tenant.number, { id, tokenHash: hash, body, facts }, at)
    }
    await replaceServerToken(db, tenant.number, id, hash)
    return { isNew: !existing, answer: { server_id: encodeId('server', id), token: secret, ...intervalsOf(deps) } }
  })
}

async function refuseDeletedMachine(db: Db, principal: Principal, tenant: Tenant, machineId: string): Promise<void> {
  const deletedAt = await store.findDeletion(db, tenant.number, machineId)
  if (!deletedAt || principal.kind !== 'api_key') return
  const keyMadeAt = await findApiKeyCreation(db, tenant.number, principal.keyId)
  if (keyMadeAt && keyMadeAt > deletedAt) return
  throw forbidden(
    'The server of this machine was deleted. To bring it back, register it with an API key made after the deletion.',
  )
}

const intervalsOf = ({ sampleIntervalSeconds, pushIntervalSeconds }: ServerDeps) => ({
  sample_interval_seconds: sampleIntervalSeconds,
  push_interval_seconds: pushIntervalSeconds,
})

/** Stores what an agent tells of its own host; what it leaves out stays. Throws unauthorized when its token died meanwhile. */
export async function updateFacts(deps: ServerDeps, principal: Principal, body: FactsBody): Promise<void> {
  if (principal.kind !== 'server') throw forbidden()
  const { change, facts } = splitBody(body)
  await inTransaction(deps.db, async (db) => {
    if (!(await store.lockServer(db, principal.tenant.number, principal.serverId))) throw unauthorized()
    await store.updateServer(db, principal.tenant.number, principal.serverId, change, facts)
  })
}

export interface ListRequest {
  page: number
  limit: number
  status?: ServerStatus
  q?: string
  tag?: string[]
  sort?: string
  include?: string
}

/** One page of the organization's servers; filter, total and items agree on one instant. */
export async function listServers(deps: ServerDeps, tenant: Tenant, request: ListRequest) {
  const now = deps.clock.now()
  const filter: store.ServerFilter = {
    status: request.status,
    text: request.q,
    tags: request.tag ?? [],
    onlineAfterMs: onlineAfter(now, deps.uptime, deps.pushIntervalSeconds),
    sinceDay: sinceDay(now),
  }
  const { total, rows } = await readPage(deps, tenant.number, filter, parseOrder(request.sort), request)
  const extras = await readExtras(deps, tenant.number, rows, new Set(request.include?.split(',')))
  const servers = rows.map((row) => toServerItem(row, filter.onlineAfterMs, extras(row.number)))
  return { servers, total, page: request.page, limit: request.limit }
}

/** `-name` is descending; without a word the newest registration stands first. */
function parseOrder(sort: string | undefined): store.Order {
  if (sort === undefined) return { by: 'created_at', descending: true }
  return { by: sort.replace(/^-/, '') as ServerSort, descending: sort.startsWith('-') }
}

function readPage(deps: ServerDeps, organization: number, filter: store.ServerFilter, order: store.Order, request: ListRequest) {
  const { by, descending } = order
  const offset = (request.page - 1) * request.limit
  if (by !== 'cpu' && by !== 'memory' && by !== 'disk') {
    return store.listPage(deps.db, organization, filter, { by, descending }, { limit: request.limit, offset })
  }
  return readPageByLoad(deps, organization, filter, { by, descending }, { limit: request.limit, offset })
}

const LOAD = {
  cpu: (sample: NonNullable<Snapshot>) => sample.cpu?.['percent'],
  memory: (sample: NonNullable<Snapshot>) => sample.memory?.['percent'],
  disk: (sample: NonNullable<Snapshot>) => sample.disk?.['usage_percent'],
} as const

/** By the newest sample, which is stored encoded: read all that match, then sort. Servers without a value stand last. */
async function readPageByLoad(
  deps: ServerDeps,
  organization: number,
  filter: store.ServerFilter,
  order: { by: keyof typeof LOAD; descending: boolean },
  page: { limit: number; offset: number },
) {
  const rows = await store.listAll(deps.db, organization, filter)
  const newest = await deps.samples.newestSamples(
    organization,
    rows.map((row) => row.number),
  )
  const loadOf = (row: store.ServerRow): number | undefined => {
    const sample = newest.get(row.number)
    const load = sample && LOAD[order.by](sample)
    return typeof load === 'number' ? load : undefined
  }
  const keyed = rows.map((row) => ({ row, load: loadOf(row) }))
  keyed.sort((a, b) => compareLoads(a.load, b.load, order.descending) || (a.row.id < b.row.id ? 1 : -1))
  return { total: rows.length, rows: keyed.slice(page.offset, page.offset + page.limit).map(({ row }) => row) }
}

function compareLoads(a: number | undefined, b: number | undefined, descending: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return descending ? b - a : a - b
}

async function readExtras(
  deps: ServerDeps,
  organization: number,
  rows: readonly store.ServerRow[],
  include: ReadonlySet<string>,
) {
  const numbers = rows.map((row) => row.number)
  const newest = include.has('metrics') ? await deps.samples.newestSamples(organization, numbers) : undefined
  const sparklines = include.has('sparkline') ? await deps.samples.sparklines(organization, numbers) : undefined
  return (number: number): ItemExtras => ({
    ...(newest ? { metrics: newest.get(number) ?? null } : {}),
    ...(sparklines ? { sparkline: sparklines.get(number) as NonNullable<ItemExtras['sparkline']> } : {}),
  })
}

/** The server with its newest sample. Throws not_found across organizations. */
export async function getServer(deps: ServerDeps, tenant: Tenant, id: string): Promise<ServerDetails> {
  const now = deps.clock.now()
  const row = await store.findServer(deps.db, tenant.number, id, sinceDay(now))
  if (!row) throw notFound()
  const newest = await deps.samples.newestSamples(tenant.number, [row.number])
  const state = deps.samples.freshState(id) ?? (await store.findState(deps.db, tenant.number, id))
  const { sampleIntervalSeconds, pushIntervalSeconds } = deps
  return toServerDetails(row, onlineAfter(now, deps.uptime, pushIntervalSeconds), {
    state,
    metrics: newest.get(row.number) ?? null,
    sampleIntervalSeconds,
    pushIntervalSeconds,
  })
}

/** Changes what people call the server. Throws not_found across organizations. */
export async function patchServer(deps: ServerDeps, tenant: Tenant, id: string, body: PatchServerBody): Promise<ServerDetails> {
  await inTransaction(deps.db, async (db) => {
    if (!(await store.lockServer(db, tenant.number, id))) throw notFound()
    await store.updateServer(db, tenant.number, id, body)
  })
  return getServer(deps, tenant, id)
}

/** Removes the server with its samples; its token is dead with the answer. Throws not_found across organizations. */
export async function deleteServer(deps: ServerDeps, tenant: Tenant, id: string): Promise<void> {
  const at = new Date(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    const server = await store.lockServer(db, tenant.number, id)
    if (!server) throw notFound()
    await deleteServerToken(db, tenant.number, id)
    await store.insertDeletedMachine(db, tenant.number, server.machine_id, at)
    await store.deleteServer(db, tenant.number, id)
    await deps.samples.deleteSamples(db, tenant.number, server.number)
  })
}

/** Gives the server a new token; the old one is refused from the moment of the answer, on every instance. Throws not_found. */
export async function regenerateToken(deps: ServerDeps, tenant: Tenant, id: string) {
  const { secret, hash } = createSecretToken('serverToken')
  const at = new Date(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    if (!(await store.lockServer(db, tenant.number, id))) throw notFound()
    await store.updateServer(db, tenant.number, id, { token_hash: hash, token_created_at: at })
    await replaceServerToken(db, tenant.number, id, hash)
  })
  return { server_id: encodeId('server', id), token: secret, created_at: toTimestamp(at.getTime()) }
}
