import { PROVIDED_ROLES, type ProvidedRole, type RoleMapping } from '@vedette/shared'

export type Claims = Readonly<Record<string, unknown>>

/** The person whom a provider vouches for. */
export interface VouchedPerson {
  subject: string
  /** Lower case; undefined where the provider sends none that it has verified. */
  email: string | undefined
  /** From the role claim; undefined where roles are set by hand. */
  role: ProvidedRole | undefined
  /** What the provider calls its own session. */
  sid: string | undefined
}

const EMAIL = /^[\x21-\x3f\x41-\x7e]{1,64}@[a-z0-9.-]{1,253}$/

/**
 * The e-mail, in lower case, if the provider says that it was verified. Microsoft Entra says so by `xms_edov` in place of
 * `email_verified`: the domain of the e-mail belongs to the tenant.
 */
export function verifiedEmail({ email, email_verified: verified, xms_edov: ownsDomain }: Claims): string | undefined {
  const isVerified = verified === true || (verified === undefined && [true, 1, '1', 'true'].includes(ownsDomain as never))
  return isVerified && typeof email === 'string' ? plainEmail(email) : undefined
}

/** In lower case; undefined for a text that is no e-mail. */
export function plainEmail(email: string): string | undefined {
  const lower = email.trim().toLowerCase()
  return EMAIL.test(lower) ? lower : undefined
}

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1)

interface RoleRules {
  role_claim: string | null
  role_mapping: readonly RoleMapping[]
  default_role: ProvidedRole
}

/** The highest role that the claim gives, else the default one; undefined where there is no role claim. */
export function roleFrom(claims: Claims, rules: RoleRules): ProvidedRole | undefined {
  if (rules.role_claim === null) return undefined
  const values = new Set([claimAt(claims, rules.role_claim)].flat().map(String))
  const given = new Set(rules.role_mapping.filter(({ value }) => values.has(value)).map(({ role }) => role))
  return PROVIDED_ROLES.findLast((role) => given.has(role)) ?? rules.default_role
}

/** A claim by its name, else by its path in nested claims: Keycloak sends `realm_access.roles`. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Claims)[step]
  }
  return value
}
