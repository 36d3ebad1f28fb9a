import { type Permission, type Role, ROLES, roleHas } from '@vedette/shared'
import type { Principal } from '../auth/index.ts'
import { forbidden, notFound } from '../platform/errors.ts'

/** A member as the rules see them. */
export interface RankedMember {
  userId: string
  role: Role
}

export const isAbove = (role: Role, other: Role): boolean => ROLES.indexOf(role) > ROLES.indexOf(other)

/** Roles that a member of this role may give by an invitation: none without the permission, else up to their own. */
export function invitableRoles(role: Role): Role[] {
  return roleHas(role, 'members:invite') ? ROLES.filter((other) => !isAbove(other, role)) : []
}

/**
 * The rank by which the caller acts on members, from the members as they are now. An API key counts as an admin: only scope
 * `admin` gets this far. Throws not_found for a user who was removed since the request came in.
 */
export function rankOf(principal: Principal, members: readonly RankedMember[]): Role {
  if (principal.kind !== 'user') return 'admin'
  const role = members.find(({ userId }) => userId === principal.userId)?.role
  if (!role) throw notFound()
  return role
}

/** Throws forbidden when a member of this rank may not (any more). */
export function demand(rank: Role, permission: Permission): void {
  if (!roleHas(rank, permission)) throw forbidden()
}

/** Whether this is the one owner among the members, who must include all owners. */
export function isLastOwner(member: RankedMember, members: readonly RankedMember[]): boolean {
  return member.role === 'owner' && !members.some(({ userId, role }) => role === 'owner' && userId !== member.userId)
}
