import { ACCESS, type Permission, type Role, type Scope } from '@vedette/shared'
import type { RouteAccess } from '../../src/access/auth/index.ts'
import type { Answer, Credentials } from '../harness.ts'

/** Somebody who asks; a user without a role belongs to no organization. */
export interface Caller {
  name: string
  kind: 'nobody' | 'user' | 'api_key' | 'server' | 'probe'
  role?: Role
  scope?: Scope
  as: Credentials
}

/** Whether the handler is reached, and if not, with which status the gate says so. */
export type Decision = 'in' | 401 | 403 | 404

/** What the table of `@vedette/shared` and the route's own word make of a caller, in an organization that is theirs or is not. */
export function expectedDecision(route: RouteAccess, caller: Caller, isTheirs = true): Decision {
  const { access } = route
  if (access === 'open') return 'in'
  if (caller.kind === 'nobody') return 401
  if (access === 'session' && caller.kind !== 'user') return 403
  if (access === 'session') return route.organizationFromPath && !(caller.role && isTheirs) ? 404 : 'in'
  if (access === 'member') return caller.kind === 'user' && caller.role ? 'in' : 403
  if (access === 'server' || access === 'probe') return caller.kind === access ? 'in' : 403
  if (caller.kind === 'probe') return 403
  if (caller.kind === 'server') return access === 'metrics:write' ? 'in' : 403
  if (caller.kind === 'user' && !caller.role) return route.withoutOrganization ? 'in' : 403
  if (route.organizationFromPath && !isTheirs) return 404
  return isGranted(access, caller) ? 'in' : 403
}

function isGranted(access: Permission | 'enroll', caller: Caller): boolean {
  if (access === 'enroll') return isGranted('servers:register', caller) || isGranted('integrations:manage', caller)
  const [permission, { role, scope }] = [access, caller]
  const { roles, scopes } = ACCESS[permission]
  return (role !== undefined && roles.includes(role)) || (scope !== undefined && scopes.includes(scope))
}

/** What keeps a caller out, or says that the route was not even found. */
const REFUSALS = new Set([401, 403, 404, 405, 429])
const NOBODY = 'Missing or invalid credentials.'

/** The status that rejected the caller, or `in` for a handler that ran, even if it rejects the account data of the request. */
export function decisionOf({ access, url }: RouteAccess, { status, body }: Answer): unknown {
  const isOfAccount = access === 'session' && !url.includes(':')
  if (isOfAccount && (status === 404 || (status === 401 && body && body.error.message !== NOBODY))) return 'in'
  return REFUSALS.has(status) ? status : 'in'
}

/** The refusal without what differs between any two answers. */
export function refusal({ status, body }: Answer): string {
  return JSON.stringify([status, body && { ...body.error, request_id: undefined }])
}

/** `GET /v1/servers/:id` */
export const nameOf = ({ method, url }: RouteAccess): string => `${method} ${url}`

/** For a table of tests: the names of objects would be cut. */
export const named = <R extends RouteAccess>(routes: readonly R[]): (readonly [string, R])[] =>
  routes.map((route) => [nameOf(route), route] as const)
