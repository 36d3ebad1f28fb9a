import type { Member, ProvidedRole, Role } from '@vedette/shared'
import type { Actor } from '../audit/index.ts'
import { revokeKeysOf } from '../api-keys/index.ts'
import { publish } from '../../notifying/notifications/index.ts'
import { type Caller, findUserById, type Tenant, tenantOf } from '../auth/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { conflict, forbidden, notFound } from '../../platform/errors.ts'
import { recordSecurityAudit } from '../security-log/index.ts'
import { deleteInvitedBy } from './invitation-store.ts'
import { demand, invitableRoles, isAbove, isLastOwner, type RankedMember, rankOf } from './rank.ts'
import * as store from './store.ts'
import { toMember, toPersonOfEvent } from './wire.ts'

export interface MemberDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's members, newest first. */
export async function listMembers({ db }: MemberDeps, tenant: Tenant, request: PageRequest) {
  const { total, rows } = await store.listMembers(db, tenant.number, request)
  return { members: rows.map(toMember), total, page: request.page, limit: request.limit }
}

/**
 * Changes the role of a member; the same role changes nothing. A malformed id is undefined. Throws not_found for a non-member,
 * forbidden for a role or a member above the caller's own role, conflict for the last owner.
 */
export async function changeRole(deps: MemberDeps, caller: Caller, userId: string | undefined, role: Role): Promise<Member> {
  const tenant = tenantOf(caller.principal)
  return inTransaction(deps.db, async (db) => {
    const { rank, target, members } = await lockTarget(db, tenant, caller, userId)
    demand(rank, 'members:update')
    if (isAbove(role, rank)) throw forbidden('You cannot grant a role above your own.')
    if (!target) throw notFound()
    if (isAbove(target.role, rank)) throw forbidden('You cannot change a member above your own role.')
    if (target.role !== role) {
      if (isLastOwner(target, members)) throw lastOwner()
      await replaceRole(deps, db, tenant.number, caller, target, role)
    }
    return toMember((await store.findMember(db, tenant.number, target.userId)) as store.MemberRow)
  })
}

/**
 * Sets the role that an identity provider gives a member; that of an owner stays. `details` go into the audit log. Run inside a
 * transaction.
 */
export async function setProvidedRole(
  deps: MemberDeps,
  db: Db,
  organization: number,
  { userId, role, ip }: { userId: string; role: ProvidedRole; ip: string },
  details: object,
): Promise<void> {
  const target = (await store.lockMembers(db, organization, [userId])).find((member) => member.userId === userId)
  if (!target || target.role === 'owner' || target.role === role) return
  await replaceRole(deps, db, organization, { principal: 'system', ip }, target, role, details)
}

async function replaceRole(
  deps: MemberDeps,
  db: Db,
  organization: number,
  actor: Actor,
  target: RankedMember,
  role: Role,
  more: object = {},
): Promise<void> {
  await store.updateRole(db, organization, target.userId, role)
  const revoked = await deleteInvitedBy(db, organization, target.userId, invitableRoles(role))
  const details = { from: target.role, to: role, ...revocationDetails(revoked), ...more }
  await record(deps, db, organization, actor, 'member.role_changed', target, details)
}

/**
 * Ends a membership from the next request on. Everyone can leave, except the last owner. Throws not_found for a non-member, forbidden
 * for a member above the caller's own role, conflict for the last owner.
 */
export async function removeMember(deps: MemberDeps, caller: Caller, userId: string | undefined): Promise<void> {
  const tenant = tenantOf(caller.principal)
  await inTransaction(deps.db, async (db) => {
    const { rank, target, members } = await lockTarget(db, tenant, caller, userId)
    const isOneself = caller.principal.kind === 'user' && caller.principal.userId === userId
    if (!isOneself) demand(rank, 'members:remove')
    if (!target) throw notFound()
    if (isAbove(target.role, rank)) throw forbidden('You cannot remove a member above your own role.')
    if (isLastOwner(target, members)) throw lastOwner()
    await store.deleteMembership(db, tenant.number, target.userId)
    const revoked = await deleteInvitedBy(db, tenant.number, target.userId, [])
    const keys = await revokeKeysOf(db, deps.clock, tenant.number, target.userId, caller)
    await record(deps, db, tenant.number, caller, isOneself ? 'member.left' : 'member.removed', target, {
      role: target.role,
      ...revocationDetails(revoked),
      ...(keys > 0 && { revoked_keys: keys }),
    })
  })
}

/** The caller's role and the member, locked until the transaction ends. */
async function lockTarget(db: Db, tenant: Tenant, { principal }: Caller, userId: string | undefined) {
  const userIds = [userId, principal.kind === 'user' ? principal.userId : undefined]
  const members = await store.lockMembers(
    db,
    tenant.number,
    userIds.filter((id) => id !== undefined),
  )
  return { rank: rankOf(principal, members), target: members.find((member) => member.userId === userId), members }
}

const lastOwner = () => conflict('An organization needs at least one owner. Make another member an owner first.')

/** Audit details of the invitations that were revoked, because the user may no longer send them. */
const revocationDetails = (revoked: readonly string[]): object =>
  revoked.length > 0 ? { revoked_invitations: revoked.length } : {}

async function record(
  { clock }: MemberDeps,
  db: Db,
  organization: number,
  actor: Actor,
  action: 'member.role_changed' | 'member.left' | 'member.removed',
  { userId }: RankedMember,
  details: object,
): Promise<void> {
  const entry = { action, target: { kind: 'user', id: userId } as const, details }
  const at = new Date(clock.now())
  await recordSecurityAudit(db, organization, actor, entry, at)
  const person = toPersonOfEvent(userId, await findUserById(db, userId))
  await publish(db, organization, { type: action, at, data: { member: { ...person, ...details } } })
}
