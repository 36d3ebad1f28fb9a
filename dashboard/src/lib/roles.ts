import { ROLES, type Role } from '@vedette/shared/tables'
import { messages } from '../messages/index.ts'

/** The roles that somebody may grant: none above their own. */
export const grantableRoles = (own: Role): readonly Role[] => ROLES.slice(0, ROLES.indexOf(own) + 1)

export const roleName = (role: string): string => messages.settings.roles[role]?.name ?? role
export const roleDescription = (role: string): string => messages.settings.roles[role]?.may ?? ''
