import { type Permission, type Role, roleHas, type Scope, scopesHave } from '@vedette/shared'
import { forbidden, unauthorized } from '../platform/errors.ts'

/** An organization as the request sees it: the number is the tenant key of every statement, the id is what clients know. */
export interface Tenant {
  number: number
  id: string
}

/** A signed-in user; without tenant and role where they belong to no organization yet. */
export interface UserPrincipal {
  kind: 'user'
  userId: string
  sessionId: string
  tenant: Tenant | undefined
  role: Role | undefined
}

/** Who asks. Roles and scopes were read from the database for this very request. */
export type Principal =
  | UserPrincipal
  | { kind: 'api_key'; keyId: string; hash: Buffer; tenant: Tenant; scopes: readonly Scope[] }
  | { kind: 'server'; serverId: string; hash: Buffer; tenant: Tenant }

/** A probe: it makes the checks of one region, for whatever organization, and belongs to none. The gate lets it to its own routes only. */
export interface ProbePrincipal {
  kind: 'probe'
  /** Its surrogate. */
  region: number
  regionId: string
  hash: Buffer
  tenant: undefined
}

/** Whoever has valid credentials. */
export type Asker = Principal | ProbePrincipal

/**
 * What a route asks of its caller: nothing (`open`), a signed-in user with or without an organization (`session`), a server's
 * own token (`server`), a probe's (`probe`), or a permission.
 */
export type Access = 'open' | 'session' | 'server' | 'probe' | Permission

/** Whether the caller may; a server token may submit for its own server and tell its facts, nothing else. */
export function allows(principal: Asker, access: Access): boolean {
  if (access === 'open') return true
  if (access === 'session') return principal.kind === 'user'
  if (access === 'server' || access === 'probe') return principal.kind === access
  switch (principal.kind) {
    case 'user':
      return principal.role !== undefined && roleHas(principal.role, access)
    case 'api_key':
      return scopesHave(principal.scopes, access)
    case 'server':
      return access === 'metrics:write'
    case 'probe':
      return false
  }
}

/** The organization that the request acts in. Throws forbidden for a user who belongs to none. */
export function tenantOf(principal: Principal): Tenant {
  if (!principal.tenant) throw forbidden('You do not belong to an organization yet.')
  return principal.tenant
}

/** The user behind a request to a route of access `session`. Throws unauthorized for any other caller. */
export function userOf(principal: Principal): UserPrincipal {
  if (principal.kind !== 'user') throw unauthorized()
  return principal
}

/** The probe behind a request to a route of access `probe`. Throws forbidden for any other caller. */
export function probeOf(principal: Asker): ProbePrincipal {
  if (principal.kind !== 'probe') throw forbidden()
  return principal
}

/** Names the credential that a rate limit counts. */
export function limitKeyOf(principal: Asker): string {
  switch (principal.kind) {
    case 'user':
      return `user:${principal.userId}`
    case 'api_key':
      return `key:${principal.keyId}`
    case 'server':
      return `server:${principal.serverId}`
    case 'probe':
      return `probe:${principal.regionId}`
  }
}

/** Who asks, and from where, as the audit log remembers it. */
export interface Caller {
  principal: Principal
  ip: string
}
