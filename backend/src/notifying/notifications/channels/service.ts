import {
  DAY_MS,
  type Channel,
  type ChannelConfig,
  type ChannelList,
  type ChannelType,
  type CreateChannelBody,
  type ErrorDetail,
  type PatchChannelBody,
} from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { allows, type Principal, tenantOf } from '../../../access/auth/index.ts'
import { refuseOverBound } from '../../../access/plans/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../../../platform/db/index.ts'
import { restoreDeleted } from '../../../operating/deletions/index.ts'
import { assignToRulesWithoutChannels, takeOutChannel } from '../../../operating/references/index.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { encodeId, newId } from '../../../platform/ids.ts'
import { randomBytes } from '../../../platform/crypto/random.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import {
  changeFaults,
  configFaults,
  maskConfig,
  mergeConfig,
  movedSecretFaults,
  type TrialRenderings,
  tryTemplates,
  webhookSecret,
} from './config.ts'
import { decryptConfig, type RetiredSecret, encryptConfig } from './encrypted-config.ts'
import * as store from './store.ts'

export interface ChannelDeps {
  db: Db
  clock: Clock
  /** Of the secrets of channels. */
  encrypter: Encrypter
}

const WEBHOOK_SECRET_BYTES = 32
const BOTH_SIGN_FOR_MS = DAY_MS

/** One page of the organization's channels, newest first. */
export async function listChannels(deps: ChannelDeps, principal: Principal, request: PageRequest): Promise<ChannelList> {
  const { total, rows } = await store.listChannels(deps.db, tenantOf(principal).number, request)
  const channels = rows.map((row) => toChannel(row, configOf(deps, row), principal))
  return { channels, total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getChannel(deps: ChannelDeps, principal: Principal, id: string): Promise<Channel> {
  const row = await store.findChannel(deps.db, tenantOf(principal).number, id)
  if (!row) throw notFound()
  return toChannel(row, configOf(deps, row), principal)
}

/**
 * Creates a channel; a generated webhook secret is returned only here. The first channel of an organization is added to the rules
 * that have none. Throws validation_error.
 */
export async function createChannel(
  deps: ChannelDeps,
  actor: Actor<Principal>,
  body: CreateChannelBody,
  trials: TrialRenderings,
): Promise<Channel> {
  const { number } = tenantOf(actor.principal)
  const { name, type, enabled = true } = body
  const { config, generated } = await completeConfig(type, mergeConfig({}, body.config), { trials })
  return inTransaction(deps.db, async (db) => {
    const [id, at] = [newId(), new Date(deps.clock.now())]
    const row = {
      id,
      name,
      type,
      enabled,
      created_at: at,
      last_error: null,
      last_test: null,
      ...encryptConfig(deps.encrypter, { id, type }, config),
    }
    await refuseOverBound(db, number, 'channel')
    await store.insertChannel(db, number, row)
    await assignToRulesWithoutChannels(db, number, id)
    await recordAudit(db, number, actor, auditEntry('channel.created', 'channel', id, { name, type }), at)
    return toChannel((await store.findChannel(db, number, id)) ?? row, config, actor.principal, generated)
  })
}

/** The channel that a body would create, not stored. Throws validation_error. */
export async function draftChannel(
  { encrypter, clock }: Pick<ChannelDeps, 'encrypter' | 'clock'>,
  body: CreateChannelBody,
): Promise<store.ChannelRow> {
  const { name, type, enabled = true } = body
  const { config } = await completeConfig(type, mergeConfig({}, body.config))
  const id = newId()
  const created_at = new Date(clock.now())
  return {
    id,
    name,
    type,
    enabled,
    created_at,
    last_error: null,
    last_test: null,
    ...encryptConfig(encrypter, { id, type }, config),
  }
}

/** The renderings for `createChannel`, which has a transaction. */
export const tryNewTemplates = (body: CreateChannelBody): Promise<TrialRenderings> => tryTemplates(mergeConfig({}, body.config))

/** Those for `patchChannel`; none for a channel that does not exist. */
export async function tryChangedTemplates(
  deps: ChannelDeps,
  principal: Principal,
  id: string,
  body: PatchChannelBody,
): Promise<TrialRenderings> {
  const row = await store.findChannel(deps.db, tenantOf(principal).number, id)
  return tryTemplates(row ? mergeConfig(configOf(deps, row), body.config ?? {}) : {})
}

/** What a change would be refused for, where the schema refuses a part of it; nothing of one that does not exist. */
export async function channelChangeFaults(
  deps: ChannelDeps,
  principal: Principal,
  id: string,
  { config }: PatchChannelBody,
): Promise<ErrorDetail[]> {
  const row = await store.findChannel(deps.db, tenantOf(principal).number, id)
  return row && config ? changeFaults(row.type, configOf(deps, row), config) : []
}

/** Changes what the body names, and validates the result. Throws not_found across organizations, validation_error. */
export async function patchChannel(
  deps: ChannelDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchChannelBody,
  trials: TrialRenderings,
): Promise<Channel> {
  const { number } = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const row = await store.lockChannel(db, number, id)
    if (!row) throw notFound()
    const { name = row.name, enabled = row.enabled } = body
    const { config: before, retired } = decryptConfig(deps.encrypter, row)
    const moved = movedSecretFaults(row.type, before, body.config ?? {})
    const merged = mergeConfig(before, body.config ?? {})
    const { config, generated } = await completeConfig(row.type, merged, { trials, moved })
    const at = new Date(deps.clock.now())
    const retiredSecret = retiredOf(before, config, retired, at.getTime())
    // A failure or test of the previous config says nothing about the new one.
    const known = body.config ? { last_error: null, last_test: null } : {}
    const changed = { ...row, name, enabled, ...known, ...encryptConfig(deps.encrypter, row, config, retiredSecret) }
    await store.updateChannel(db, number, changed)
    // The names of the fields, never their values.
    const details = { name, changed: [...Object.keys(body), ...Object.keys(body.config ?? {})].toSorted() }
    await recordAudit(db, number, actor, auditEntry('channel.updated', 'channel', id, details), at)
    return toChannel((await store.findChannel(db, number, id)) ?? changed, config, actor.principal, generated)
  })
}

/** Deletes it, and removes it from the rules that use it. Throws not_found across organizations. */
export async function deleteChannel(deps: ChannelDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const { number } = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockChannel(db, number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    await store.deleteChannel(db, number, id, at, await takeOutChannel(db, number, id))
    await recordAudit(db, number, actor, auditEntry('channel.deleted', 'channel', id, { name: row.name, type: row.type }), at)
  })
}

/** Brings a deleted channel back, with its rules and steps. Throws not_found across organizations, conflict over the bound. */
export async function restoreChannel(deps: ChannelDeps, actor: Actor<Principal>, id: string): Promise<Channel> {
  return inTransaction(deps.db, async (db) => {
    await restoreDeleted({ ...deps, db }, actor, id, store.deletedChannels)
    return getChannel({ ...deps, db }, actor.principal, id)
  })
}

/**
 * The config with a generated secret, where a webhook has none; `generated`: that secret, to be returned. Throws validation_error, with
 * the paths of `configFaults` and what `moved` has. Within a transaction `trials` has the templates, as their rendering waits for that of others.
 */
export async function completeConfig(
  type: ChannelType,
  input: ChannelConfig,
  { trials, prefix, moved = [] }: { trials?: TrialRenderings; prefix?: string; moved?: readonly ErrorDetail[] } = {},
): Promise<{ config: ChannelConfig; generated: ChannelConfig }> {
  const faults = [...moved, ...configFaults(type, input, await tryTemplates(input, trials), prefix)]
  if (faults.length > 0) throw invalid(...faults)
  const generated =
    type === 'webhook' && input.secret === undefined ? { secret: webhookSecret(randomBytes(WEBHOOK_SECRET_BYTES)) } : {}
  return { config: { ...input, ...generated }, generated }
}

/** The previous secret, which signs as well for a day: receivers can change to the new one at any time. */
function retiredOf(
  before: ChannelConfig,
  now: ChannelConfig,
  retired: RetiredSecret | undefined,
  nowMs: number,
): RetiredSecret | undefined {
  if (before.secret !== undefined && before.secret !== now.secret)
    return { secret: before.secret, untilMs: nowMs + BOTH_SIGN_FOR_MS }
  return retired && retired.untilMs > nowMs ? retired : undefined
}

export const configOf = ({ encrypter }: ChannelDeps, row: store.ChannelRow): ChannelConfig => decryptConfig(encrypter, row).config

function toChannel(
  row: store.ChannelRow & Partial<store.StoredChannel>,
  config: ChannelConfig,
  principal: Principal,
  shownOnce: ChannelConfig = {},
): Channel {
  return {
    id: encodeId('channel', row.id),
    name: row.name,
    type: row.type,
    enabled: row.enabled,
    config: { ...maskConfig(row.type, config, allows(principal, 'integrations:manage')), ...shownOnce },
    managed: row.managed ?? null,
    created_at: toTimestamp(row.created_at.getTime()),
    last_error: row.last_error,
    last_test: row.last_test,
    address_confirmed: row.address_confirmed ?? null,
  }
}
