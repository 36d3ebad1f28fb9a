/** Lowest first, as the API ranks them. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** Nobody gives a role above their own. */
export const rolesUpTo = (own: Role): readonly Role[] => ROLES.slice(0, ROLES.indexOf(own) + 1)
