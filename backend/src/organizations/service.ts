import { DEFAULT_PLAN, type Organization } from '@vedette/shared'
import { insertDefaultRules } from '../alerts/index.ts'
import { deleteAuditEvents, recordAudit } from '../audit/index.ts'
import { type Caller, type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import { insertMembership } from '../members/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../platform/db/index.ts'
import { forbidden, invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import * as store from './store.ts'
import { toOrganization, toOrganizationItem } from './wire.ts'

export interface OrganizationDeps {
  db: Db
  clock: Clock
  log: Log
  /** Removes what was measured of all servers and monitors of an organization; metrics and checks stand behind it. */
  deleteMeasured(db: Db, organization: number): Promise<void>
}

/** A new organization with this user as its owner, and the rules that every one has. Run inside a transaction; who calls writes down what it was made for. */
export async function createOrganization(db: Db, clock: Clock, name: string, ownerId: string): Promise<Tenant> {
  const at = new Date(clock.now())
  const id = newId()
  const number = await store.insertOrganization(db, { id, name, plan: DEFAULT_PLAN }, at)
  await insertMembership(db, number, ownerId, 'owner', at)
  await insertDefaultRules(db, number, at)
  return { number, id }
}

/** One page of the organizations that the caller belongs to, newest first; for an API key the one it is of. */
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

/** Makes an organization that the user owns. Throws forbidden for who is no user. */
export async function addOrganization(deps: OrganizationDeps, caller: Caller, name: string): Promise<Organization> {
  const { principal } = caller
  if (principal.kind !== 'user') throw forbidden()
  const made = await inTransaction(deps.db, async (db) => {
    const tenant = await createOrganization(db, deps.clock, name, principal.userId)
    const entry = { action: 'organization.created', target: { kind: 'organization', id: tenant.id } as const, details: { name } }
    await recordAudit(db, tenant.number, caller, entry, new Date(deps.clock.now()))
    return tenant
  })
  return getOrganization(deps, made)
}

/** Gives it another name; the same name changes nothing. Throws not_found once it is deleted. */
export async function renameOrganization(deps: OrganizationDeps, caller: Caller, name: string): Promise<Organization> {
  const tenant = tenantOf(caller.principal)
  await inTransaction(deps.db, async (db) => {
    const current = await store.lockOrganization(db, tenant.number)
    if (!current) throw notFound()
    if (current.name === name) return
    await store.updateName(db, tenant.number, name)
    const details = { from: current.name, to: name }
    const entry = { action: 'organization.renamed', target: { kind: 'organization', id: current.id } as const, details }
    await recordAudit(db, tenant.number, caller, entry, new Date(deps.clock.now()))
  })
  return getOrganization(deps, tenant)
}

/**
 * Deletes it with all it holds: members, invitations, credentials, servers, samples, monitors, checks,
 * incidents, audit events. Its API keys and server
 * tokens are refused from the answer on. Throws validation_error when `name` is not its name, not_found once it is deleted.
 */
export async function deleteOrganization(deps: OrganizationDeps, caller: Caller, name: string): Promise<void> {
  const { db, log } = deps
  const tenant = tenantOf(caller.principal)
  await inTransaction(db, async (db) => {
    await store.lockContents(db, tenant.number)
    const current = await store.lockOrganization(db, tenant.number)
    if (!current) throw notFound()
    if (current.name !== name) throw invalid({ path: 'name', message: "is not the organization's name" })
    await deps.deleteMeasured(db, tenant.number)
    await deleteAuditEvents(db, tenant.number)
    await store.deleteOrganization(db, tenant.number)
  })
  // The audit log goes with the organization: this line is what the operator keeps.
  const by = caller.principal.kind === 'user' ? caller.principal.userId : caller.principal.kind
  log.info({ organization: tenant.id, by, ip: caller.ip }, 'an organization was deleted with all it held')
}
