import {
  type CreateEnrollmentTokenBody,
  DAY_MS,
  type EnrollmentTokenList,
  MINUTE_MS,
  type NewEnrollmentToken,
} from '@vedette/shared'
import type { Actor } from '../../access/audit/index.ts'
import { createSecretToken, type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { recordSecurityAudit } from '../../access/security-log/index.ts'
import * as store from './store.ts'
import { toEnrollmentToken } from './wire.ts'

export interface EnrollmentTokenDeps {
  db: Db
  clock: Clock
}

/** Tokens of an organization that can still be used. */
const MAX_OPEN = 1_000
/** How long a token stays in the list after its expiry. */
const LISTED_MS = 30 * DAY_MS

/** One page of the organization's tokens, newest first. */
export async function listTokens(
  { db }: EnrollmentTokenDeps,
  tenant: Tenant,
  request: PageRequest,
): Promise<EnrollmentTokenList> {
  const { total, rows } = await store.listTokens(db, tenant.number, request)
  return { enrollment_tokens: rows.map(toEnrollmentToken), total, page: request.page, limit: request.limit }
}

/** Creates a token; only this result contains the secret. Throws conflict while the organization has 1,000 that can be used. */
export async function createToken(
  { db, clock }: EnrollmentTokenDeps,
  actor: Actor<Principal>,
  { uses = 1, expires_in_minutes: minutes = 60, tags = [] }: CreateEnrollmentTokenBody,
): Promise<NewEnrollmentToken> {
  const { principal } = actor
  const { number } = tenantOf(principal)
  const { secret, hash, prefix } = createSecretToken('enrollmentToken')
  const createdAt = new Date(clock.now())
  const createdBy = principal.kind === 'user' ? principal.userId : null
  const expiresAt = new Date(createdAt.getTime() + minutes * MINUTE_MS)
  const row = await inTransaction(db, async (db) => {
    if ((await store.countOpen(db, number, createdAt)) >= MAX_OPEN)
      throw conflict(`At most ${MAX_OPEN} enrollment tokens per organization may be open. Revoke one first.`)
    const token = { id: newId(), hash, prefix, uses, tags, createdBy, createdAt, expiresAt }
    const row = await store.insertToken(db, number, token)
    const details = { uses, tags, expires_at: expiresAt }
    const target = { kind: 'enrollmentToken', id: row.id } as const
    await recordSecurityAudit(db, number, actor, { action: 'enrollment_token.created', target, details }, createdAt)
    return row
  })
  return { ...toEnrollmentToken(row), token: secret }
}

/** Revokes a token; may be repeated. Throws not_found across organizations. */
export async function revokeToken({ db, clock }: EnrollmentTokenDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const { number } = tenantOf(actor.principal)
  const at = new Date(clock.now())
  await inTransaction(db, async (db) => {
    const result = await store.revokeToken(db, number, id, at)
    if (result === undefined) throw notFound()
    if (result === 'unchanged') return
    const entry = { action: 'enrollment_token.revoked', target: { kind: 'enrollmentToken', id } } as const
    await recordSecurityAudit(db, number, actor, entry, at)
  })
}

/** Deletes tokens that expired more than 30 days ago. */
export async function deleteOldTokens(db: Db, nowMs: number): Promise<void> {
  await inTransaction(db, (transaction) => store.deleteExpiredBefore(transaction, new Date(nowMs - LISTED_MS)))
}
