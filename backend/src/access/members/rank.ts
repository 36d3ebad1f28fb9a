import { type Permission, type Role, ROLES, roleHas } from '@vedette/shared'
import type { Principal } from '../auth/index.ts'
import { forbidden, notFound } from '../../platform/errors.ts'

export interface RankedMember {
  userId: string
  role: Role
}

export const isAbove = (role: Role, other: Role): boolean => ROLES.indexOf(role) > ROLES.indexOf(other)

/** Roles to which a member may invite: none without the permission, otherwise up to their own. */
export function invitableRoles(role: Role): Role[] {
  return roleHas(role, 'members:invite') ? ROLES.filter((other) => !isAbove(other, role)) : []
}

/**
 * The caller's role, from the locked members. An API key counts as an admin: only the scope `admin` permits these operations. Throws
 * not_found for a user who was removed after the request was authorized.
 */
export function rankOf(principal: Principal, members: readonly RankedMember[]): Role {
  if (principal.kind !== 'user') return 'admin'
  const role = members.find(({ userId }) => userId === principal.userId)?.role
  if (!role) throw notFound()
  return role
}

/** Throws forbidden when the role does not have the permission (any more). */
export function demand(rank: Role, permission: Permission): void {
  if (!roleHas(rank, permission)) throw forbidden()
}

/** Whether this is the one owner among the members, who must include all owners. */
export function isLastOwner(member: RankedMember, members: readonly RankedMember[]): boolean {
  return member.role === 'owner' && !members.some(({ userId, role }) => role === 'owner' && userId !== member.userId)
}
