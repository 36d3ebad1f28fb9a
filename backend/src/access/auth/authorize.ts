import { forbidden } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Authenticator } from './authenticate.ts'
import { type Access, allows, type AnyPrincipal, type Principal } from './principal.ts'

/** Who may call a route, from its config. The access tests are generated from the same fields. */
export interface AccessRule {
  access: Access
  /** `:id` in the path is the organization: the permissions are those that the caller has there. */
  organizationFromPath?: boolean
  /** Users without an organization may call the route too. */
  withoutOrganization?: boolean
  /** The path parameter in which users may pass their own id without the permission. */
  alsoOneself?: string
}

/**
 * The caller in the organization of the request. Undefined when the path names an organization that is malformed, unknown or not
 * theirs: a 404, after the body was validated. Throws forbidden without the required access. Synchronous unless the path names an
 * organization, because every push passes here.
 */
export function authorize(
  authenticator: Authenticator,
  principal: AnyPrincipal,
  rule: AccessRule,
  params: Readonly<Record<string, string>>,
): AnyPrincipal | Promise<Principal | undefined> {
  if (principal.kind === 'probe') {
    if (allows(principal, rule.access)) return principal
    throw forbidden("A probe's token can only claim the checks of its region and submit their results.")
  }
  if (hasNoOrganization(principal)) {
    if (rule.withoutOrganization || allows(principal, rule.access)) return principal
    throw forbidden('You do not belong to an organization yet.')
  }
  if (principal.kind === 'server' && !allows(principal, rule.access)) {
    throw forbidden("A server's token can only submit data of its own server.")
  }
  if (principal.kind === 'enrollment_token' && !allows(principal, rule.access)) {
    throw forbidden('An enrollment token can only register hosts.')
  }
  // Before the organization is looked up.
  if (rule.access === 'session' && principal.kind !== 'user') throw forbidden()
  if (!rule.organizationFromPath) return requireAccess(principal, rule, params)
  return authenticator
    .inOrganization(principal, params['id'] ?? '')
    .then((scoped) => scoped && requireAccess(scoped, rule, params))
}

function requireAccess(principal: Principal, rule: AccessRule, params: Readonly<Record<string, string>>): Principal {
  const isAboutOneself = rule.access === 'session' || rule.withoutOrganization === true || isOneself(principal, rule, params)
  if (principal.kind === 'user' && principal.needsSecondFactor && !isAboutOneself) {
    throw forbidden(
      'This organization demands a second factor: set one up under Settings, Security (POST /v1/auth/totp), or sign in with a passkey.',
    )
  }
  if (allows(principal, rule.access) || isOneself(principal, rule, params)) return principal
  throw forbidden()
}

const hasNoOrganization = (principal: Principal): boolean => principal.kind === 'user' && !principal.tenant

function isOneself(principal: Principal, { alsoOneself }: AccessRule, params: Readonly<Record<string, string>>): boolean {
  return principal.kind === 'user' && alsoOneself !== undefined && params[alsoOneself] === encodeId('user', principal.userId)
}
