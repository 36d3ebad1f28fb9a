import { type Permission, type Role, roleHas, type Scope, scopesHave } from '@vedette/shared'
import { forbidden, unauthorized } from '../../platform/errors.ts'
import type { LimitGroup } from '../../platform/http/index.ts'

/** An organization as the request sees it: the number is the tenant key of every statement, the id is what clients know. */
export interface Tenant {
  number: number
  id: string
}

/** A signed-in user; without tenant and role while they belong to no organization. */
export interface UserPrincipal {
  kind: 'user'
  userId: string
  sessionId: string
  tenant: Tenant | undefined
  role: Role | undefined
  /** The organization demands a second factor that the session does not have: all but their own account is refused. */
  needsSecondFactor: boolean
  /** A wall has kept the session beyond its end: it has the role of a viewer everywhere, and no request of it changes anything. */
  onlyReads: boolean
  /** Id of the identity provider that opened the session: it is good for the provider's organization only. */
  identityProvider: string | undefined
  /** Id of the passkey that opened the session, or that was added in it. */
  passkey: string | undefined
}

/** A member who is signed in nowhere and acts all the same: by a link that is theirs, or from a chat. */
export const unsignedMember = (
  userId: string,
  membership: Pick<UserPrincipal, 'tenant' | 'role' | 'needsSecondFactor'>,
): UserPrincipal => ({
  kind: 'user',
  userId,
  sessionId: '',
  onlyReads: false,
  identityProvider: undefined,
  passkey: undefined,
  ...membership,
})

export interface ApiKeyPrincipal {
  kind: 'api_key'
  keyId: string
  hash: Buffer
  tenant: Tenant
  scopes: readonly Scope[]
  allowedCidrs: readonly string[]
  series: SeriesOptions
}

/** What happens to series that come with a key. */
export interface SeriesOptions {
  jobKind: 'node' | null
  dedupLabel: string | null
  dropLabels: readonly string[]
}

/** The caller of a request. Roles and scopes are read from the database for each request. */
export type Principal =
  | UserPrincipal
  | ApiKeyPrincipal
  | { kind: 'server'; serverId: string; hash: Buffer; tenant: Tenant }
  | { kind: 'enrollment_token'; tokenId: string; hash: Buffer; tenant: Tenant }

/** A probe: it runs the checks of one region for all organizations and belongs to none. Only the routes of probes accept it. */
export interface ProbePrincipal {
  kind: 'probe'
  /** Number of the region. */
  region: number
  regionId: string
  hash: Buffer
  tenant: undefined
}

/** Every caller with valid credentials. */
export type AnyPrincipal = Principal | ProbePrincipal

/**
 * What a route requires of its caller: nothing (`open`), a signed-in user with or without an organization (`session`) or in one
 * (`member`), a server's token (`server`), a probe's token (`probe`), the permission to register servers or to manage integrations (`enroll`), or a permission.
 */
export type Access = 'open' | 'session' | 'member' | 'server' | 'probe' | 'enroll' | Permission

/** Whether the caller has this access. A server token only permits the submission of metrics and facts of its own server. */
export function allows(principal: AnyPrincipal, access: Access): boolean {
  if (access === 'open') return true
  if (access === 'session') return principal.kind === 'user'
  if (access === 'member') return principal.kind === 'user' && principal.tenant !== undefined
  if (access === 'server' || access === 'probe') return principal.kind === access
  if (access === 'enroll')
    return (
      principal.kind !== 'enrollment_token' && (allows(principal, 'servers:register') || allows(principal, 'integrations:manage'))
    )
  switch (principal.kind) {
    case 'user':
      return principal.role !== undefined && roleHas(principal.role, access)
    case 'api_key':
      return scopesHave(principal.scopes, access)
    case 'server':
      return access === 'metrics:write'
    case 'enrollment_token':
      return access === 'servers:register'
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
export function probeOf(principal: AnyPrincipal): ProbePrincipal {
  if (principal.kind !== 'probe') throw forbidden()
  return principal
}

export const limitKeyOfUser = (userId: string): string => `user:${userId}`

/** The group and the key that count a request of the caller: what a session reads for the dashboard counts apart from the user's limit. */
export function countedAs(
  principal: AnyPrincipal,
  group: LimitGroup,
  isOfDashboard: boolean,
): { group: LimitGroup; key: string } {
  if (isOfDashboard && group === 'read' && principal.kind === 'user')
    return { group: 'dashboard', key: `session:${principal.sessionId}` }
  return { group, key: limitKeyOf(principal) }
}

/** The key under which rate limits count the caller. */
export function limitKeyOf(principal: AnyPrincipal): string {
  switch (principal.kind) {
    case 'user':
      return limitKeyOfUser(principal.userId)
    case 'api_key':
      return `key:${principal.keyId}`
    case 'server':
      return `server:${principal.serverId}`
    case 'enrollment_token':
      return `enrollment_token:${principal.tokenId}`
    case 'probe':
      return `probe:${principal.regionId}`
  }
}

/** The caller and their address, as the audit log stores them. */
export interface Caller {
  principal: Principal
  ip: string
}
