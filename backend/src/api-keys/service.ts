import type { ApiKeyList, CreateApiKeyBody, NewApiKey } from '@vedette/shared'
import type { Actor } from '../audit/index.ts'
import { type Principal, tenantOf } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, inTransaction } from '../platform/db/index.ts'
import { forbidden, invalid, notFound } from '../platform/errors.ts'
import { instantAt } from '../platform/instant.ts'
import { createApiKey, revokeApiKey } from './life.ts'
import { listApiKeys } from './store.ts'
import { toApiKey } from './wire.ts'

export interface ApiKeyDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's keys, newest first, revoked and expired ones among them. */
export async function listKeys({ db }: ApiKeyDeps, organization: number, page: number, limit: number): Promise<ApiKeyList> {
  const { total, rows } = await listApiKeys(db, organization, { limit, offset: (page - 1) * limit })
  return { api_keys: rows.map(toApiKey), total, page, limit }
}

/** Makes a key; only an owner gives the scope admin. Throws validation_error for an end that is not in the future, forbidden. */
export async function makeKey({ db, clock }: ApiKeyDeps, actor: Actor<Principal>, body: CreateApiKeyBody): Promise<NewApiKey> {
  const { principal } = actor
  const expiresAt = body.expires_at ? instantAt('expires_at', body.expires_at) : null
  if (expiresAt && expiresAt.getTime() <= clock.now()) throw invalid({ path: 'expires_at', message: 'must be in the future' })
  const isOwner = principal.kind === 'user' && principal.role === 'owner'
  if (body.scopes.includes('admin') && !isOwner) throw forbidden('Only an owner gives the scope admin.')
  const createdBy = principal.kind === 'user' ? principal.userId : null
  const wish = { name: body.name, scopes: body.scopes, createdBy, expiresAt }
  const { number } = tenantOf(principal)
  const { row, secret } = await inTransaction(db, (transaction) => createApiKey(transaction, clock, number, wish, actor))
  return { ...toApiKey(row), key: secret }
}

/** Revokes a key; one that is revoked stays so. Throws not_found across organizations. */
export async function revokeKey({ db, clock }: ApiKeyDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const { number } = tenantOf(actor.principal)
  const isKnown = await inTransaction(db, (transaction) => revokeApiKey(transaction, clock, number, id, actor))
  if (!isKnown) throw notFound()
}
