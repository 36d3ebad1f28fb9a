import type { Scope } from '@vedette/shared'
import { type Actor, recordAudit, SYSTEM } from '../audit/index.ts'
import { createSecretToken } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import * as store from './store.ts'

export interface KeyWish {
  name: string
  scopes: Scope[]
  createdBy: string | null
  /** Null: it does not expire. */
  expiresAt?: Date | null
}

/** A new key of the organization; the secret is in this answer only. Run inside a transaction. */
export async function createApiKey(
  db: Db,
  clock: Clock,
  organization: number,
  { expiresAt = null, ...wish }: KeyWish,
  actor: Actor = SYSTEM,
): Promise<{ id: string; secret: string; row: store.ApiKeyRow }> {
  const { secret, hash, prefix } = createSecretToken('apiKey')
  const id = newId()
  const at = new Date(clock.now())
  const row = await store.insertApiKey(db, organization, { id, hash, prefix, expiresAt, ...wish }, at)
  const details = { name: wish.name, scopes: wish.scopes, expires_at: expiresAt }
  await recordAudit(db, organization, actor, { action: 'api_key.created', target: { kind: 'apiKey', id }, details }, at)
  return { id, secret, row }
}

/**
 * Refused from the next request on, on every instance; the record stays for the list. Revoking a revoked key changes nothing.
 * Gives whether there is such a key. Run inside a transaction.
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
  await recordAudit(db, organization, actor, { action: 'api_key.revoked', target: { kind: 'apiKey', id }, details }, at)
  return true
}
