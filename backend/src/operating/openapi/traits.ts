import { ACCESS } from '@vedette/shared'
import type { Access } from '../../access/auth/index.ts'
import type { DescribedRoute, Traits } from '../../platform/http/index.ts'

/** Statuses that the HTTP layer may answer to any request. */
const ANY_REQUEST = [400, 408, 414, 431]
/** Below /v1 there are rate limits, and every route needs the database. */
const ANY_API_REQUEST = [429, 500, 503]

const REPEAT = 'The `Idempotency-Key` was used with another request, or its first request is still running'
const SECRET_REPEAT = `${REPEAT}, or its response contained a secret: \`details\` has the id of the new resource`

/** Derives security, parameters and error responses of an operation from the configuration of its route. */
export function traitsOf({ method, url, config }: DescribedRoute): Traits {
  const { access = 'open', idempotent, refuses = {}, locates = false, hasEtag = false, speaks = false } = config
  const statuses = [
    ...ANY_REQUEST,
    ...(url.startsWith('/v1/') ? ANY_API_REQUEST : []),
    ...(access === 'open' ? [] : [401, 403]),
    ...(url.includes(':') ? [404] : []),
    ...(hasEtag && method !== 'GET' ? [412] : []),
    // A body is read before the route is known to take none.
    ...(method === 'GET' ? [] : [413, 415]),
  ]
  const refusals = new Map<number, string | true>(statuses.map((status) => [status, true]))
  for (const [status, text] of Object.entries(refuses)) {
    if (text === false) refusals.delete(Number(status))
    else if (text !== undefined) refusals.set(Number(status), text)
  }
  if (idempotent) {
    const repeat = idempotent === 'secret' ? SECRET_REPEAT : REPEAT
    refusals.set(409, [refusals.get(409), repeat].filter((text) => typeof text === 'string').join('. '))
  }
  return {
    security: securityOf(access),
    parameters: [
      ...(takesOrganization(config) ? ['OrganizationId'] : []),
      ...(idempotent ? ['IdempotencyKey'] : []),
      ...(hasEtag ? [method === 'GET' ? 'IfNoneMatch' : 'IfMatch'] : []),
      ...(speaks !== false ? ['AcceptLanguage'] : []),
    ],
    refusals,
    headersOf: (status) => ({
      ...(hasEtag && (status === 200 || status === 304) ? { ETag: 'ETag' } : {}),
      ...(speaks !== false && status < 300 ? { 'Content-Language': 'ContentLanguage' } : {}),
      ...(locates && status === 201 ? { Location: 'Location' } : {}),
      ...(idempotent === true && status < 300 ? { 'Idempotent-Replayed': 'IdempotentReplayed' } : {}),
      ...(idempotent && status === 409 ? { 'Retry-After': 'RetryAfterUnderWay' } : {}),
    }),
  }
}

/** The kinds of credentials that may be permitted; the table of permissions says with which role or scope. */
function securityOf(access: Access): string[] {
  if (access === 'open') return []
  if (access === 'session' || access === 'member') return ['session']
  if (access === 'server') return ['server_token']
  if (access === 'probe') return ['probe_token']
  if (access === 'enroll') return ['session', 'api_key']
  const { roles, scopes } = ACCESS[access]
  return [
    ...(roles.length > 0 ? ['session'] : []),
    ...(scopes.length > 0 ? ['api_key'] : []),
    ...(access === 'metrics:write' ? ['server_token'] : []),
    ...(access === 'servers:register' ? ['enrollment_token'] : []),
  ]
}

/** A session acts in the organization that this header names, unless the path does or none is needed. */
function takesOrganization({
  access = 'open',
  organizationFromPath = false,
  withoutOrganization = false,
}: DescribedRoute['config']): boolean {
  if (access === 'open' || access === 'session' || access === 'server' || access === 'probe') return false
  const hasRoles = access === 'enroll' || access === 'member' || ACCESS[access].roles.length > 0
  return hasRoles && !organizationFromPath && !withoutOrganization
}
