import { isDeepStrictEqual } from 'node:util'
import {
  type ApiKey,
  type ApiKeyList,
  counted,
  type CreateApiKeyBody,
  DAY_MS,
  type ErrorDetail,
  MINUTE_MS,
  type NewApiKey,
  type PatchApiKeyBody,
  type Scope,
  scopesHave,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../audit/index.ts'
import { mailAccountChange, parseNetwork, type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import type { Outbox } from '../../notifying/mail/index.ts'
import { refuseOverBound } from '../plans/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { forbidden, invalid, notFound } from '../../platform/errors.ts'
import { instantAt } from '../../platform/time/instant.ts'
import { createApiKey, revokeApiKey } from './lifecycle.ts'
import { findApiKey, listApiKeys, lockApiKey, readMaxDays, updateSeriesOfKey } from './store.ts'
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

/** Throws not_found across organizations. */
export async function getKey({ db }: Pick<ApiKeyDeps, 'db'>, tenant: Tenant, id: string): Promise<ApiKey> {
  const row = await findApiKey(db, tenant.number, id)
  if (!row) throw notFound()
  return toApiKey(row)
}

/** Changes what happens to series that come with the key. Throws not_found across organizations, validation_error. */
export async function patchKey(
  { db, clock }: Pick<ApiKeyDeps, 'db' | 'clock'>,
  actor: Actor<Principal>,
  id: string,
  body: PatchApiKeyBody,
): Promise<ApiKey> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(db, async (transaction) => {
    const row = await lockApiKey(transaction, tenant.number, id)
    if (!row) throw notFound()
    refuseSeriesFields(row.scopes, body)
    const changed = (['job_kind', 'dedup_label', 'drop_labels'] as const).filter(
      (name) => body[name] !== undefined && !isDeepStrictEqual(body[name], row[name]),
    )
    if (changed.length === 0) return toApiKey(row)
    await updateSeriesOfKey(transaction, tenant.number, id, body)
    const details = { name: row.name, ...Object.fromEntries(changed.map((name) => [name, body[name]])) }
    await recordAudit(
      transaction,
      tenant.number,
      actor,
      auditEntry('api_key.updated', 'apiKey', id, details),
      new Date(clock.now()),
    )
    return getKey({ db: transaction }, tenant, id)
  })
}

/** Fields that would do nothing with these scopes, and the name of a metric, which is no label that can go. */
function refuseSeriesFields(
  scopes: readonly Scope[],
  { job_kind = null, dedup_label = null, drop_labels = [] }: PatchApiKeyBody,
): void {
  const faults: ErrorDetail[] = []
  const needs = (path: string, isUsed: boolean, permission: 'servers:register' | 'series:write', words: string) => {
    if (isUsed && !scopesHave(scopes, permission)) faults.push({ path, message: `needs a key with the scope ${words}` })
  }
  needs('job_kind', job_kind !== null, 'servers:register', 'agent, which registers servers')
  needs('dedup_label', dedup_label !== null, 'series:write', 'ingest or agent')
  needs('drop_labels', drop_labels.length > 0, 'series:write', 'ingest or agent')
  const message = 'must not be __name__, the name of the metric'
  if (dedup_label === METRIC_NAME) faults.push({ path: 'dedup_label', message })
  const index = drop_labels.indexOf(METRIC_NAME)
  if (index >= 0) faults.push({ path: `drop_labels.${index}`, message })
  if (faults.length > 0) throw invalid(...faults)
}
const METRIC_NAME = '__name__'

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
  const { job_kind, dedup_label, drop_labels } = body
  const series = {
    ...(job_kind !== undefined && { job_kind }),
    ...(dedup_label !== undefined && { dedup_label }),
    ...(drop_labels !== undefined && { drop_labels }),
  }
  refuseSeriesFields(scopes, series)
  const input = { name, scopes, allowedCidrs, endsWithCreator, createdBy, expiresAt, series }
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
  const bound = counted`at most ${maxDays} days from now, as this organization demands`
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
