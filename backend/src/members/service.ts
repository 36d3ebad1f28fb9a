import type { Member, Role } from '@vedette/shared'
import { publish } from '../alerts/index.ts'
import { recordAudit } from '../audit/index.ts'
import { type Caller, type Tenant, tenantOf } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../platform/db/index.ts'
import { conflict, forbidden, notFound } from '../platform/errors.ts'
import { encodeId } from '../platform/ids.ts'
import { deleteInvitedBy } from './invitation-store.ts'
import { demand, invitableRoles, isAbove, isLastOwner, type RankedMember, rankOf } from './rank.ts'
import * as store from './store.ts'
import { toMember } from './wire.ts'

export interface MemberDeps {
  db: Db
  clock: Clock
}

/** One page of the organization's members, who joined last first. */
export async function listMembers({ db }: MemberDeps, tenant: Tenant, request: PageRequest) {
  const { total, rows } = await store.listMembers(db, tenant.number, request)
  return { members: rows.map(toMember), total, page: request.page, limit: request.limit }
}

/**
 * Gives a member another role; the same role changes nothing. An id that is none is undefined. Throws not_found for who is no
 * member, forbidden for a role above the caller's own and for a member above them, conflict for the last owner.
 */
export async function changeRole(deps: MemberDeps, caller: Caller, userId: string | undefined, role: Role): Promise<Member> {
  const tenant = tenantOf(caller.principal)
  return inTransaction(deps.db, async (db) => {
    const { rank, target, members } = await lockTarget(db, tenant, caller, userId)
    demand(rank, 'members:update')
    if (isAbove(role, rank)) throw forbidden('You cannot give a role above your own.')
    if (!target) throw notFound()
    if (isAbove(target.role, rank)) throw forbidden('You cannot change the role of somebody above your own.')
    if (target.role !== role) {
      if (isLastOwner(target, members)) throw lastOwner()
      await store.updateRole(db, tenant.number, target.userId, role)
      const revoked = await deleteInvitedBy(db, tenant.number, target.userId, invitableRoles(role))
      await record(deps, db, caller, 'member.role_changed', target, { from: target.role, to: role, ...told(revoked) })
    }
    return toMember((await store.findMember(db, tenant.number, target.userId)) as store.MemberRow)
  })
}

/**
 * Ends a membership; the next request of that user finds none. Anybody may go, except the last owner. Throws not_found for who
 * is no member, forbidden for a member above the caller, conflict for the last owner.
 */
export async function removeMember(deps: MemberDeps, caller: Caller, userId: string | undefined): Promise<void> {
  const tenant = tenantOf(caller.principal)
  await inTransaction(deps.db, async (db) => {
    const { rank, target, members } = await lockTarget(db, tenant, caller, userId)
    const isOneself = caller.principal.kind === 'user' && caller.principal.userId === userId
    if (!isOneself) demand(rank, 'members:remove')
    if (!target) throw notFound()
    if (isAbove(target.role, rank)) throw forbidden('You cannot remove somebody above your own role.')
    if (isLastOwner(target, members)) throw lastOwner()
    await store.deleteMembership(db, tenant.number, target.userId)
    const revoked = await deleteInvitedBy(db, tenant.number, target.userId, [])
    await record(deps, db, caller, isOneself ? 'member.left' : 'member.removed', target, { role: target.role, ...told(revoked) })
  })
}

/** The caller's rank and the member it is about, as they are now and stay until the transaction ends. */
async function lockTarget(db: Db, tenant: Tenant, { principal }: Caller, userId: string | undefined) {
  const asked = [userId, principal.kind === 'user' ? principal.userId : undefined]
  const members = await store.lockMembers(
    db,
    tenant.number,
    asked.filter((id) => id !== undefined),
  )
  return { rank: rankOf(principal, members), target: members.find((member) => member.userId === userId), members }
}

const lastOwner = () => conflict('An organization keeps at least one owner. Make somebody else an owner first.')

/** Invitations die with the right of who made them. */
const told = (revoked: readonly string[]): object => (revoked.length > 0 ? { revoked_invitations: revoked.length } : {})

async function record(
  { clock }: MemberDeps,
  db: Db,
  caller: Caller,
  action: 'member.role_changed' | 'member.left' | 'member.removed',
  { userId }: RankedMember,
  details: object,
): Promise<void> {
  const entry = { action, target: { kind: 'user', id: userId } as const, details }
  const { number } = tenantOf(caller.principal)
  const at = new Date(clock.now())
  await recordAudit(db, number, caller, entry, at)
  await publish(db, number, { type: action, at, data: { member: { user_id: encodeId('user', userId), ...details } } })
}
