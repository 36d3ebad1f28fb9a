import { DEFAULT_PLAN, type Organization, type PatchOrganizationBody } from '@vedette/shared'
import { insertDefaultRules, renameDefaultRules } from '../../alerting/alerts/index.ts'
import { deleteAuditEvents, recordAudit } from '../audit/index.ts'
import { type Caller, hasSecondFactor, lockUser, type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import { deleteMailsOf } from '../../notifying/mail/index.ts'
import { insertMembership } from '../members/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest, withLongStatements } from '../../platform/db/index.ts'
import { conflict, forbidden, invalid, notFound } from '../../platform/errors.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/logging/log.ts'
import { recordSecurityAudit, recordSecurityEvent } from '../security-log/index.ts'
import * as store from './store.ts'
import { toOrganization, toOrganizationItem } from './wire.ts'

export interface OrganizationDeps {
  db: Db
  clock: Clock
  log: Log
  /** Organizations that a user may own. */
  organizationsPerUser: number
  /** Deletes the samples, checks, incidents and events of an organization, which no foreign key covers. */
  deleteMeasured(db: Db, organization: number): Promise<void>
}

/** Creates an organization with this owner and the default alert rules. Run inside a transaction; the caller records the audit event. */
export async function createOrganization(db: Db, clock: Clock, name: string, ownerId: string): Promise<Tenant> {
  const at = new Date(clock.now())
  const id = newId()
  const number = await store.insertOrganization(db, { id, name, plan: DEFAULT_PLAN }, at)
  await insertMembership(db, number, ownerId, 'owner', at)
  await insertDefaultRules(db, number, at)
  return { number, id }
}

/** One page of the caller's organizations, newest first; for an API key the one that it belongs to. */
export async function listOrganizations({ db }: OrganizationDeps, principal: Principal, request: PageRequest) {
  const { page, limit } = request
  if (principal.kind === 'user') {
    const { total, rows } = await store.listOrganizationsOf(db, principal.userId, request)
    return { organizations: rows.map(toOrganizationItem), total, page, limit }
  }
  const row = await store.findOrganization(db, principal.tenant.number)
  const organizations = row && page === 1 ? [toOrganizationItem({ ...row, role: 'admin' })] : []
  return { organizations, total: row ? 1 : 0, page, limit }
}

/** The organization with its counts. Throws not_found once it is deleted. */
export async function getOrganization({ db }: OrganizationDeps, tenant: Tenant): Promise<Organization> {
  const row = await store.findOrganization(db, tenant.number)
  if (!row) throw notFound()
  return toOrganization(row)
}

/**
 * Creates an organization that the caller owns. Throws forbidden unless the caller is a user, conflict for one who owns too many.
 */
export async function addOrganization(deps: OrganizationDeps, caller: Caller, name: string): Promise<Organization> {
  const { principal } = caller
  if (principal.kind !== 'user') throw forbidden()
  // It would not hold for a second organization.
  if (principal.identityProvider !== undefined)
    throw forbidden(
      'Sign in with a password to create an organization: this session is of an identity provider of your present one.',
    )
  const made = await inTransaction(deps.db, async (db) => {
    // Requests of one user that run at once wait here: the limit is exact.
    await lockUser(db, principal.userId)
    const max = deps.organizationsPerUser
    if ((await store.countOwned(db, principal.userId)) >= max)
      throw conflict(`At most ${max} organizations per owner are allowed. Delete one, or leave one that has another owner.`)
    const tenant = await createOrganization(db, deps.clock, name, principal.userId)
    const entry = { action: 'organization.created', target: { kind: 'organization', id: tenant.id } as const, details: { name } }
    await recordAudit(db, tenant.number, caller, entry, new Date(deps.clock.now()))
    return tenant
  })
  return getOrganization(deps, made)
}

/**
 * Changes the given fields; equal values change nothing. Throws conflict for who demands a second factor without having one, forbidden
 * for an API key that changes that demand, not_found once the organization is deleted.
 */
export async function changeOrganization(
  deps: OrganizationDeps,
  caller: Caller,
  body: PatchOrganizationBody,
): Promise<Organization> {
  const tenant = tenantOf(caller.principal)
  await inTransaction(deps.db, async (db) => {
    const current = await store.lockOrganization(db, tenant.number)
    if (!current) throw notFound()
    const changed = FIELDS.filter((field) => body[field] !== undefined && body[field] !== current[field])
    if (changed.length === 0) return
    if (changed.includes('require_second_factor'))
      await requireOwnFactor(db, caller.principal, body.require_second_factor === true)
    await store.updateOrganization(db, tenant.number, Object.fromEntries(changed.map((field) => [field, body[field]])))
    if (body.language !== undefined && changed.includes('language'))
      await renameDefaultRules(db, tenant.number, current.language, body.language, new Date(deps.clock.now()))
    for (const field of changed) {
      const change = { from: current[field], to: body[field] }
      const [action, details] =
        field === 'name'
          ? (['organization.renamed', change] as const)
          : (['organization.setting_changed', { setting: field, ...change }] as const)
      const entry = { action, target: { kind: 'organization', id: current.id } as const, details }
      await recordSecurityAudit(db, tenant.number, caller, entry, new Date(deps.clock.now()))
    }
  })
  return getOrganization(deps, tenant)
}

const FIELDS = ['name', 'require_second_factor', 'api_key_max_days', 'language'] as const

/** Who demands a second factor must not lock themselves out. */
async function requireOwnFactor(db: Db, principal: Principal, isDemanded: boolean): Promise<void> {
  if (principal.kind !== 'user') throw forbidden('Only a signed-in owner can change require_second_factor.')
  if (isDemanded && principal.passkey === undefined && !(await hasSecondFactor(db, principal.userId)))
    throw conflict(
      'Set up your own second factor first, under Settings, Security (POST /v1/auth/totp), or sign in with a passkey.',
    )
}

/**
 * Deletes the organization and everything in it. Its API keys and server tokens are refused from then on. Throws validation_error
 * when `name` is not its name, not_found once it is deleted.
 */
export async function deleteOrganization(deps: OrganizationDeps, caller: Caller, name: string): Promise<void> {
  const { db, log } = deps
  const tenant = tenantOf(caller.principal)
  await inTransaction(db, async (db) => {
    await store.lockContents(db, tenant.number)
    const current = await store.lockOrganization(db, tenant.number)
    if (!current) throw notFound()
    if (current.name !== name) throw invalid({ path: 'name', message: "is not the organization's name" })
    await withLongStatements(async () => {
      await deps.deleteMeasured(db, tenant.number)
      await deleteAuditEvents(db, tenant.number)
      await deleteMailsOf(db, tenant.number)
      await store.deleteOrganization(db, tenant.number)
    })
    // Of no organization: only the operator's log keeps it.
    const details = { id: encodeId('organization', tenant.id), name }
    const event = { type: 'organization.deleted', principal: caller.principal, ip: caller.ip, details } as const
    await recordSecurityEvent(db, event, new Date(deps.clock.now()))
  })
  // The audit events are deleted too: this line of the log stays.
  const by = caller.principal.kind === 'user' ? caller.principal.userId : caller.principal.kind
  log.info({ organization: tenant.id, by, ip: caller.ip }, 'an organization was deleted with all its data')
}
