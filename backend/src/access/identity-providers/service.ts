import { isDeepStrictEqual } from 'node:util'
import type {
  CreateIdentityProviderBody,
  IdentityProvider,
  IdentityProviderList,
  PatchIdentityProviderBody,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../audit/index.ts'
import { endProvidedSessions, type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import { refuseOverBound } from '../plans/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { randomBytes } from '../../platform/crypto/random.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { restoreDeleted } from '../../operating/deletions/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { issuerFault } from './issuer.ts'
import * as store from './store.ts'
import { toIdentityProvider } from './wire.ts'

export interface IdentityProviderDeps {
  db: Db
  clock: Clock
  /** Of client secrets. */
  encrypter: Encrypter
  publicUrl(): string
}

export const GITHUB = 'https://github.com'

/** One page of the organization's identity providers, newest first. */
export async function listIdentityProviders(
  { db, publicUrl }: IdentityProviderDeps,
  tenant: Tenant,
  request: PageRequest,
): Promise<IdentityProviderList> {
  const { total, rows } = await store.listProviders(db, tenant.number, request)
  const providers = rows.map((row) => toIdentityProvider(row, publicUrl()))
  return { identity_providers: providers, total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getIdentityProvider(deps: IdentityProviderDeps, tenant: Tenant, id: string): Promise<IdentityProvider> {
  const row = await store.findProvider(deps.db, tenant.number, id)
  if (!row) throw notFound()
  return toIdentityProvider(row, deps.publicUrl())
}

/** Throws validation_error, conflict over the bound. */
export async function createIdentityProvider(
  deps: IdentityProviderDeps,
  actor: Actor<Principal>,
  body: CreateIdentityProviderBody,
): Promise<IdentityProvider> {
  const { number } = tenantOf(actor.principal)
  const { name, kind = 'oidc', client_id, client_secret: secret, email_domains } = body
  const { issuer = kind === 'github' ? GITHUB : undefined } = body
  if (issuer === undefined) throw invalid({ path: 'issuer', message: 'is required' })
  const fault = issuerFault(issuer)
  if (fault !== undefined) throw invalid({ path: 'issuer', message: fault })
  return inTransaction(deps.db, async (db) => {
    const [id, at] = [newId(), new Date(deps.clock.now())]
    const row: store.IdentityProviderRow = {
      id,
      organization: number,
      name,
      kind,
      issuer,
      client_id,
      secret_encrypted: deps.encrypter.encrypt(Buffer.from(secret), id),
      email_domains,
      creates_accounts: body.creates_accounts ?? false,
      default_role: body.default_role ?? 'viewer',
      role_claim: body.role_claim ?? null,
      role_mapping: body.role_mapping ?? [],
      enabled: body.enabled ?? true,
      domain_token: randomBytes(16).toString('hex'),
      domain_proofs: {},
      domains_check_at: null,
      managed: null,
      created_at: at,
      updated_at: at,
    }
    refuseRolesWithoutClaim(row)
    await refuseOverBound(db, number, 'identity_provider')
    const { managed: _managed, ...columns } = row
    await store.insertProvider(db, columns)
    const details = { name, kind, issuer }
    await recordAudit(db, number, actor, auditEntry('identity_provider.created', 'identityProvider', id, details), at)
    return toIdentityProvider(row, deps.publicUrl())
  })
}

const PATCHED = [
  'name',
  'client_id',
  'email_domains',
  'creates_accounts',
  'default_role',
  'role_claim',
  'role_mapping',
  'enabled',
] as const

/** Changes what the body names. A provider that is disabled ends its sessions. Throws not_found across organizations, validation_error. */
export async function patchIdentityProvider(
  deps: IdentityProviderDeps,
  actor: Actor<Principal>,
  id: string,
  { client_secret: secret, ...body }: PatchIdentityProviderBody,
): Promise<IdentityProvider> {
  const { number } = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const row = await store.lockProvider(db, number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    const after: store.IdentityProviderRow = { ...row, ...body }
    const changed: string[] = PATCHED.filter((name) => !isDeepStrictEqual(row[name], after[name]))
    if (secret !== undefined) {
      after.secret_encrypted = deps.encrypter.encrypt(Buffer.from(secret), id)
      changed.push('client_secret')
    }
    if (changed.length === 0) return toIdentityProvider(row, deps.publicUrl())
    refuseRolesWithoutClaim(after)
    after.updated_at = at
    if (changed.includes('email_domains')) {
      const kept = Object.entries(row.domain_proofs).filter(([domain]) => after.email_domains.includes(domain))
      after.domain_proofs = Object.fromEntries(kept)
      after.domains_check_at = null
    }
    await store.updateProvider(db, after)
    const ended = after.enabled ? [] : await endProvidedSessions(db, id, {}, at)
    const details = {
      name: after.name,
      changed: changed.toSorted(),
      ...(ended.length > 0 && { sessions_ended: ended.length }),
    }
    await recordAudit(db, number, actor, auditEntry('identity_provider.updated', 'identityProvider', id, details), at)
    return toIdentityProvider(after, deps.publicUrl())
  })
}

/** Deletes it, and ends its sessions. Accounts and memberships stay. Throws not_found across organizations. */
export async function deleteIdentityProvider(deps: IdentityProviderDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const { number } = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockProvider(db, number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    const ended = await endProvidedSessions(db, id, {}, at)
    await store.deleteProvider(db, number, id, at)
    const details = { name: row.name, sessions_ended: ended.length }
    await recordAudit(db, number, actor, auditEntry('identity_provider.deleted', 'identityProvider', id, details), at)
  })
}

/**
 * Brings a deleted provider back, with the identities of its people; its sessions stay ended. Throws not_found across organizations,
 * conflict over the bound.
 */
export async function restoreIdentityProvider(
  deps: IdentityProviderDeps,
  actor: Actor<Principal>,
  id: string,
): Promise<IdentityProvider> {
  return inTransaction(deps.db, async (db) => {
    await restoreDeleted({ ...deps, db }, actor, id, store.deletedProviders, () => store.expireProofs(db, id))
    return getIdentityProvider({ ...deps, db }, tenantOf(actor.principal), id)
  })
}

function refuseRolesWithoutClaim({ kind, role_claim: claim, role_mapping: mapping }: store.IdentityProviderRow): void {
  if (kind === 'github' && claim !== null) throw invalid({ path: 'role_claim', message: 'must be null: GitHub sends no claims' })
  if (claim === null && mapping.length > 0) throw invalid({ path: 'role_mapping', message: 'needs a role_claim' })
}
