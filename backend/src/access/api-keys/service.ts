import { type ApiKeyList, type CreateApiKeyBody, DAY_MS, MINUTE_MS, type NewApiKey } from '@vedette/shared'
import type { Actor } from '../audit/index.ts'
import { mailAccountChange, parseNetwork, type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import type { Outbox } from '../../notifying/mail/index.ts'
import { refuseOverBound } from '../plans/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { forbidden, invalid, notFound } from '../../platform/errors.ts'
import { instantAt } from '../../platform/time/instant.ts'
import { createApiKey, revokeApiKey } from './lifecycle.ts'
import { listApiKeys, readMaxDays } from './store.ts'
import { toApiKey } from './wire.ts'

export interface ApiKeyDeps {
  db: Db
  clock: Clock
  /** For the mail to who makes a key. */
  outbox: Outbox
}

/** One page of the organization's keys, newest first, including revoked and expired ones. */
export async function listKeys({ db }: ApiKeyDeps, tenant: Tenant, request: PageRequest): Promise<ApiKeyList> {
  const { total, rows } = await listApiKeys(db, tenant.number, request)
  return { api_keys: rows.map(toApiKey), total, page: request.page, limit: request.limit }
}

/** Creates a key. Throws validation_error for an expiry in the past, forbidden for the scope `admin` unless the caller is an owner. */
export async function makeKey(
  { db, clock, outbox }: ApiKeyDeps,
  actor: Actor<Principal>,
  body: CreateApiKeyBody,
): Promise<NewApiKey> {
  const { principal } = actor
  const expiresAt = body.expires_at ? instantAt('expires_at', body.expires_at) : null
  if (expiresAt && expiresAt.getTime() <= clock.now()) throw invalid({ path: 'expires_at', message: 'must be in the future' })
  const isOwner = principal.kind === 'user' && principal.role === 'owner'
  if (body.scopes.includes('admin') && !isOwner) throw forbidden('Only an owner can grant the scope admin.')
  const createdBy = principal.kind === 'user' ? principal.userId : null
  const { name, scopes, allowed_cidrs: allowedCidrs = [], ends_with_creator: endsWithCreator = false } = body
  const wrong = allowedCidrs.flatMap((text, index) =>
    parseNetwork(text)
      ? []
      : [{ path: `allowed_cidrs.${index}`, message: 'must be an IP address, or a network such as 10.0.0.0/8' }],
  )
  if (wrong.length > 0) throw invalid(...wrong)
  if (endsWithCreator && createdBy === null)
    throw invalid({ path: 'ends_with_creator', message: 'must be false for a key that another key creates' })
  const input = { name, scopes, allowedCidrs, endsWithCreator, createdBy, expiresAt }
  const { number } = tenantOf(principal)
  const { row, secret } = await inTransaction(db, async (transaction) => {
    await refuseOverBound(transaction, number, 'api_key')
    const maxDays = await readMaxDays(transaction, number)
    if (maxDays !== null) requireExpiry(expiresAt, clock.now(), maxDays)
    const created = await createApiKey(transaction, clock, number, input, actor)
    if (createdBy !== null) await mailAccountChange(transaction, outbox, createdBy, 'apiKey', actor.ip, created.row.created_at)
    return created
  })
  return { ...toApiKey(row), key: secret }
}

function requireExpiry(expiresAt: Date | null, now: number, maxDays: number): void {
  const bound = `at most ${maxDays} days from now, as this organization demands`
  if (!expiresAt) throw invalid({ path: 'expires_at', message: `is required: ${bound}` })
  // A minute for the way here: clients count the days from their own clock.
  if (expiresAt.getTime() > now + maxDays * DAY_MS + MINUTE_MS) throw invalid({ path: 'expires_at', message: `must be ${bound}` })
}

/** Revokes a key; may be repeated. Throws not_found across organizations. */
export async function revokeKey({ db, clock }: ApiKeyDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const { number } = tenantOf(actor.principal)
  const exists = await inTransaction(db, (transaction) => revokeApiKey(transaction, clock, number, id, actor))
  if (!exists) throw notFound()
}
