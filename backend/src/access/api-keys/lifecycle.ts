import type { Scope } from '@vedette/shared'
import { type Actor, recordAudit, SYSTEM } from '../audit/index.ts'
import { createSecretToken } from '../auth/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import { recordSecurityEvent } from '../security-log/index.ts'
import * as store from './store.ts'

export interface KeyInput {
  name: string
  scopes: Scope[]
  createdBy: string | null
  /** None: it may be used from anywhere. */
  allowedCidrs?: string[]
  endsWithCreator?: boolean
  /** Null: the key does not expire. */
  expiresAt?: Date | null
  series?: Partial<store.SeriesOfKey>
}

const NO_SERIES: store.SeriesOfKey = { job_kind: null, dedup_label: null, drop_labels: [] }

/** Creates a key of the organization; only this result contains the secret. Run inside a transaction. */
export async function createApiKey(
  db: Db,
  clock: Clock,
  organization: number,
  { expiresAt = null, allowedCidrs = [], endsWithCreator = false, series = {}, ...input }: KeyInput,
  actor: Actor = SYSTEM,
): Promise<{ id: string; secret: string; row: store.ApiKeyRow }> {
  const { secret, hash, prefix } = createSecretToken('apiKey')
  const id = newId()
  const at = new Date(clock.now())
  const row = await store.insertApiKey(
    db,
    organization,
    { id, hash, prefix, expiresAt, allowedCidrs, endsWithCreator, series: { ...NO_SERIES, ...series }, ...input },
    at,
  )
  const details = {
    name: input.name,
    scopes: input.scopes,
    expires_at: expiresAt,
    ...(allowedCidrs.length > 0 && { allowed_cidrs: allowedCidrs }),
    ...(endsWithCreator && { ends_with_creator: true }),
    ...series,
  }
  const event = { ...actor, organization, details: { id: encodeId('apiKey', id), ...details } }
  await recordSecurityEvent(db, { ...event, type: 'api_key.created' }, at)
  await recordAudit(db, organization, actor, { action: 'api_key.created', target: { kind: 'apiKey', id }, details }, at)
  return { id, secret, row }
}

/**
 * Revokes a key: every instance refuses it from the next request on, and it stays in the list. A repeat changes nothing. False when
 * there is no such key. Run inside a transaction.
 */
export async function revokeApiKey(
  db: Db,
  clock: Clock,
  organization: number,
  id: string,
  actor: Actor = SYSTEM,
): Promise<boolean> {
  const key = await store.lockApiKey(db, organization, id)
  if (!key || key.revoked_at) return key !== undefined
  const at = new Date(clock.now())
  await store.markRevoked(db, organization, id, at)
  const details = { name: key.name }
  const event = { ...actor, organization, details: { id: encodeId('apiKey', id), ...details } }
  await recordSecurityEvent(db, { ...event, type: 'api_key.revoked' }, at)
  await recordAudit(db, organization, actor, { action: 'api_key.revoked', target: { kind: 'apiKey', id }, details }, at)
  return true
}

/** Revokes the keys of a user that end with their membership. Run in the transaction that ends it. */
export async function revokeKeysOf(db: Db, clock: Clock, organization: number, userId: string, actor: Actor): Promise<number> {
  const ids = await store.keysThatEndWith(db, organization, userId)
  for (const id of ids) await revokeApiKey(db, clock, organization, id, actor)
  return ids.length
}
