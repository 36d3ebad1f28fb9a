/** A member's rank, lowest first; `owner` stands above all. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** An API key's reach. The scopes of a key add up. */
export const SCOPES = ['read', 'write', 'admin', 'agent', 'ingest'] as const
export type Scope = (typeof SCOPES)[number]

/** What an operation needs. `read` is monitors, servers and alerts; `org:read` the organization and its members. */
export const PERMISSIONS = [
  'read',
  'org:read',
  'monitors:create',
  'monitors:update',
  'monitors:delete',
  'servers:delete',
  'servers:admin',
  'members:invite',
  'members:remove',
  'members:update',
  'integrations:manage',
  'audit:read',
  'org:update',
  'org:delete',
  'servers:register',
  'metrics:write',
  'series:write',
] as const
export type Permission = (typeof PERMISSIONS)[number]

interface Grant {
  roles: readonly Role[]
  scopes: readonly Scope[]
}

const everyone: readonly Role[] = ['owner', 'admin', 'member', 'viewer']
const managers: readonly Role[] = ['owner', 'admin']

/** The one table that maps roles and scopes to permissions; docs quote it and the access tests are generated from it. */
export const ACCESS: Readonly<Record<Permission, Grant>> = {
  read: { roles: everyone, scopes: ['admin', 'read'] },
  'org:read': { roles: everyone, scopes: ['admin'] },
  'monitors:create': { roles: ['owner', 'admin', 'member'], scopes: ['admin', 'write'] },
  'monitors:update': { roles: ['owner', 'admin', 'member'], scopes: ['admin', 'write'] },
  'monitors:delete': { roles: managers, scopes: ['admin'] },
  'servers:delete': { roles: managers, scopes: ['admin'] },
  'servers:admin': { roles: managers, scopes: ['admin'] },
  'members:invite': { roles: managers, scopes: ['admin'] },
  'members:remove': { roles: managers, scopes: ['admin'] },
  'members:update': { roles: managers, scopes: ['admin'] },
  'integrations:manage': { roles: managers, scopes: ['admin'] },
  'audit:read': { roles: managers, scopes: ['admin'] },
  'org:update': { roles: ['owner'], scopes: ['admin'] },
  'org:delete': { roles: ['owner'], scopes: [] },
  'servers:register': { roles: [], scopes: ['admin', 'agent'] },
  'metrics:write': { roles: [], scopes: ['admin', 'agent'] },
  'series:write': { roles: [], scopes: ['admin', 'agent', 'ingest'] },
}

export function roleHas(role: Role, permission: Permission): boolean {
  return ACCESS[permission].roles.includes(role)
}

export function scopesHave(scopes: readonly Scope[], permission: Permission): boolean {
  return ACCESS[permission].scopes.some((scope) => scopes.includes(scope))
}
