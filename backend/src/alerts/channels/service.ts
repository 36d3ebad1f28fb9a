import type { Channel, ChannelConfig, ChannelList, ChannelType, CreateChannelBody, PatchChannelBody } from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import { type Actor, recordAudit } from '../../audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../auth/index.ts'
import { inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import { randomBytes } from '../../platform/random.ts'
import type { Sealer } from '../../platform/sealer.ts'
import { configFaults, maskConfig, mergeConfig, webhookSecret } from './channel.ts'
import { openChannel, type Retired, sealChannel } from './sealed.ts'
import * as store from './store.ts'
import type { AlertDeps } from '../deps.ts'

export interface ChannelDeps extends AlertDeps {
  /** Of the secrets of channels. */
  sealer: Sealer
}

const WEBHOOK_SECRET_BYTES = 32
const BOTH_SIGN_FOR_MS = 86_400_000

/** One page of the organization's channels, newest first. */
export async function listChannels(deps: ChannelDeps, tenant: Tenant, request: PageRequest): Promise<ChannelList> {
  const { total, rows } = await store.listChannels(deps.db, tenant.number, request)
  const channels = rows.map((row) => toChannel(row, openConfig(deps, row)))
  return { channels, total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getChannel(deps: ChannelDeps, tenant: Tenant, id: string): Promise<Channel> {
  const row = await store.findChannel(deps.db, tenant.number, id)
  if (!row) throw notFound()
  return toChannel(row, openConfig(deps, row))
}

/**
 * Makes a channel; a webhook's secret that is made here is in this answer only. The first one of an organization is given to the
 * rules that are told nowhere. Throws validation_error.
 */
export async function createChannel(deps: ChannelDeps, actor: Actor<Principal>, body: CreateChannelBody): Promise<Channel> {
  const { number } = tenantOf(actor.principal)
  const { name, type, enabled = true } = body
  const { config, made } = complete(type, mergeConfig({}, body.config))
  return inTransaction(deps.db, async (db) => {
    const [id, at] = [newId(), new Date(deps.clock.now())]
    const row = { id, name, type, enabled, created_at: at, last_error: null, ...sealChannel(deps.sealer, { id, type }, config) }
    await store.insertChannel(db, number, row)
    await store.giveToRulesWithout(db, number, id)
    await recordAudit(db, number, actor, entryOf('created', id, { name, type }), at)
    return toChannel(row, config, made)
  })
}

/** Changes what the body names; the whole is judged afterwards. Throws not_found across organizations, validation_error. */
export async function patchChannel(
  deps: ChannelDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchChannelBody,
): Promise<Channel> {
  const { number } = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const row = await store.lockChannel(db, number, id)
    if (!row) throw notFound()
    const { name = row.name, enabled = row.enabled } = body
    const { config: before, retired } = openChannel(deps.sealer, row)
    const { config, made } = complete(row.type, mergeConfig(before, body.config ?? {}))
    const at = new Date(deps.clock.now())
    const stillSigns = retiredOf(before, config, retired, at.getTime())
    // What was wrong with another config is not known of this one.
    const fault = body.config ? null : row.last_error
    const changed = { ...row, name, enabled, last_error: fault, ...sealChannel(deps.sealer, row, config, stillSigns) }
    await store.updateChannel(db, number, changed)
    // Which fields, never what stands in them.
    const details = { name, changed: [...Object.keys(body), ...Object.keys(body.config ?? {})].toSorted() }
    await recordAudit(db, number, actor, entryOf('updated', id, details), at)
    return toChannel(changed, config, made)
  })
}

/** Removes it, also from the rules that told by it. Throws not_found across organizations. */
export async function deleteChannel(deps: ChannelDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const { number } = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockChannel(db, number, id)
    if (!row) throw notFound()
    await store.deleteChannel(db, number, id)
    const at = new Date(deps.clock.now())
    await recordAudit(db, number, actor, entryOf('deleted', id, { name: row.name, type: row.type }), at)
  })
}

const entryOf = (verb: string, id: string, details: object) => ({
  action: `channel.${verb}`,
  target: { kind: 'channel', id } as const,
  details,
})

/** The config that is kept, with the secret of a webhook that names none; `made`: that one, to be shown. Throws validation_error. */
function complete(type: ChannelType, given: ChannelConfig): { config: ChannelConfig; made: ChannelConfig } {
  const faults = configFaults(type, given)
  if (faults.length > 0) throw invalid(...faults)
  const made =
    type === 'webhook' && given.secret === undefined ? { secret: webhookSecret(randomBytes(WEBHOOK_SECRET_BYTES)) } : {}
  return { config: { ...given, ...made }, made }
}

/**
 * The secret that still signs beside a new one, so that a receiver may take that whenever it suits: the one before it, for a day.
 */
function retiredOf(before: ChannelConfig, now: ChannelConfig, retired: Retired | undefined, nowMs: number): Retired | undefined {
  if (before.secret !== undefined && before.secret !== now.secret)
    return { secret: before.secret, untilMs: nowMs + BOTH_SIGN_FOR_MS }
  return retired && retired.untilMs > nowMs ? retired : undefined
}

const openConfig = ({ sealer }: ChannelDeps, row: store.ChannelRow): ChannelConfig => openChannel(sealer, row).config

function toChannel(row: store.ChannelRow, config: ChannelConfig, shownOnce: ChannelConfig = {}): Channel {
  return {
    id: encodeId('channel', row.id),
    name: row.name,
    type: row.type,
    enabled: row.enabled,
    config: { ...maskConfig(row.type, config), ...shownOnce },
    created_at: toTimestamp(row.created_at.getTime()),
    last_error: row.last_error,
  }
}
