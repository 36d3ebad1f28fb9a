import { forbidden } from '../platform/errors.ts'
import { encodeId } from '../platform/ids.ts'
import type { Authenticator } from './authenticate.ts'
import { type Access, allows, type Asker, type Principal } from './principal.ts'

/** Who may call a route, as its config says; the access tests are generated from the same words. */
export interface AccessRule {
  access: Access
  /** `:id` in the path is the organization that the request acts in: permissions are those that the caller has there. */
  organizationFromPath?: boolean
  /** A signed-in user who belongs to no organization is let in too. */
  withoutOrganization?: boolean
  /** Names the parameter of the path in which a user may put their own id, whatever their role. */
  alsoOneself?: string
}

/**
 * The caller as they stand in the organization that the request acts in. Undefined where the path names one that is not theirs
 * (malformed, unknown and foreign alike): a 404, once the body has been judged. Throws forbidden for who may not. Without a
 * promise where the path names no organization: every push passes here.
 */
export function admit(
  authenticator: Authenticator,
  principal: Asker,
  rule: AccessRule,
  params: Readonly<Record<string, string>>,
): Asker | Promise<Principal | undefined> {
  if (principal.kind === 'probe') {
    if (allows(principal, rule.access)) return principal
    throw forbidden("A probe's token asks for the checks of its region and brings their results; it can do nothing else.")
  }
  if (isAlone(principal)) {
    if (rule.withoutOrganization || allows(principal, rule.access)) return principal
    throw forbidden('You do not belong to an organization yet.')
  }
  if (principal.kind === 'server' && !allows(principal, rule.access)) {
    throw forbidden("A server's token submits for its own server and can do nothing else.")
  }
  if (!rule.organizationFromPath) return judge(principal, rule, params)
  return authenticator.standIn(principal, params['id'] ?? '').then((placed) => placed && judge(placed, rule, params))
}

function judge(principal: Principal, rule: AccessRule, params: Readonly<Record<string, string>>): Principal {
  if (allows(principal, rule.access) || isOneself(principal, rule, params)) return principal
  throw forbidden()
}

const isAlone = (principal: Principal): boolean => principal.kind === 'user' && !principal.tenant

function isOneself(principal: Principal, { alsoOneself }: AccessRule, params: Readonly<Record<string, string>>): boolean {
  return principal.kind === 'user' && alsoOneself !== undefined && params[alsoOneself] === encodeId('user', principal.userId)
}
