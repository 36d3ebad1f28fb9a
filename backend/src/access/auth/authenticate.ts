import { HOUR_MS, type Role, type Scope, SECRET_PREFIX } from '@vedette/shared'
import { parseId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Db, Pool } from '../../platform/db/index.ts'
import { type ApiError, forbidden, unauthorized } from '../../platform/errors.ts'
import { createRequestBatcher } from '../../platform/concurrency/request-batcher.ts'
import { createInterner } from '../../platform/collections/interner.ts'
import { createNumberTable } from '../../platform/collections/number-table.ts'
import type { AnyPrincipal, Principal, Tenant } from './principal.ts'
import { hashSecret, isSecretToken, nameOfSecret } from './secret-token.ts'
import type { SessionTokens } from './session-token.ts'
import { findSession, touchSession } from './session-store.ts'
import * as store from './store.ts'

/** The credentials of a request. A header that was sent twice arrives joined and matches nothing. */
export interface CredentialHeaders {
  authorization: string | undefined
  apiKey: string | undefined
  organizationId: string | undefined
}

export interface Authenticator {
  /**
   * The caller, read from the database at each call: a revoked key, an ended session and a removed member are refused at once.
   * Throws unauthorized; forbidden for an organization that is not the caller's.
   */
  authenticate(headers: CredentialHeaders): Promise<AnyPrincipal>
  /**
   * As `authenticate`, but server tokens are cached for one hour; a cached one is returned synchronously, because every push comes
   * here. Only for statements that verify the token themselves. `evict` removes a token that they found to be invalid and reports it.
   */
  authenticateCached(headers: CredentialHeaders): AnyPrincipal | Promise<AnyPrincipal>
  evict(hash: Buffer): Promise<void>
  /**
   * The same caller in the organization with this id, which may be any text: a user with their role there, API keys and server
   * tokens only in their own organization. Undefined for an organization that is not theirs.
   */
  inOrganization(principal: Principal, organizationId: string): Promise<Principal | undefined>
  /**
   * The same users and API keys with their present role or scopes, in the same order, in at most two statements. Undefined for each
   * whose session, key, membership or organization has ended, or who needs a second factor there now, and for every other kind of
   * caller.
   */
  refresh(principals: readonly Principal[]): Promise<(Principal | undefined)[]>
}

/** Accuracy of a session's `last_used_at`: one write per minute, not one per request. */
const TOUCH_EVERY_MS = 60_000
/**
 * How long and how many server tokens are cached: 200,000 take some 35 MB. The statements of pushes verify the token, so the time
 * only bounds the entries of hosts that are gone. Agents push once a minute and must not miss the cache.
 */
const CACHE_MS = HOUR_MS
const CACHE_SIZE = 200_000
/** Tokens per look-up statement, and organizations that are shared by the entries of their servers. */
const [LOOK_UP_AT_ONCE, MAX_TENANTS] = [500, 10_000]

/** `refused` is called with the hash of each server token that is refused. */
export function createAuthenticator(
  pool: Pool,
  clock: Clock,
  tokens: SessionTokens,
  refused: (hash: Buffer) => Promise<void> = async () => {},
): Authenticator {
  const { db } = pool
  const authenticate = createAuthentication(pool, clock, tokens, refused)
  const cache = createTokenCache(clock)
  const serverOf = createRequestBatcher((hashes: readonly Buffer[]) => store.findServersOfTokens(pool, hashes), LOOK_UP_AT_ONCE)
  const once = createInterner<Tenant>(MAX_TENANTS)

  async function findServer(secret: string): Promise<Principal> {
    const hash = hashSecret(secret)
    const found = await serverOf(hash)
    if (!found) {
      await refused(hash)
      throw unauthorized()
    }
    const tenant = once(String(found.tenant.number), () => found.tenant)
    cache.add(nameOf(hash), found.serverId, tenant)
    return { kind: 'server', serverId: found.serverId, tenant, hash }
  }

  async function inOrganization(principal: Principal, organizationId: string): Promise<Principal | undefined> {
    const id = parseId('organization', organizationId)
    if (id === undefined) return undefined
    if (principal.tenant?.id === id) return principal
    if (principal.kind !== 'user') return undefined
    const membership = await store.findMembership(db, principal.userId, id)
    if (!membership) return undefined
    const role = principal.onlyReads ? 'viewer' : membership.role
    return {
      ...principal,
      ...membership,
      role,
      needsSecondFactor: membership.needsSecondFactor && principal.passkey === undefined,
    }
  }

  return {
    authenticate,
    inOrganization,
    refresh: (principals) => refreshPrincipals(db, principals, new Date(clock.now())),
    authenticateCached: (headers) => {
      const { apiKey } = headers
      if (apiKey === undefined || headers.authorization !== undefined) return authenticate(headers)
      if (!apiKey.startsWith(SECRET_PREFIX.serverToken)) return authenticate(headers)
      const name = nameOfSecret(apiKey)
      const owner = cache.ownerOf(name)
      if (owner) {
        // The token may have ended: the full check answers 401 for it.
        if (!isIn(owner.tenant, headers.organizationId)) return authenticate(headers)
        return { kind: 'server', ...owner, hash: Buffer.from(name, 'latin1') }
      }
      if (!isSecretToken(apiKey)) return authenticate(headers)
      return findServer(apiKey).then((server) => requireOrganization(server, headers.organizationId))
    },
    evict: (hash) => {
      cache.remove(nameOf(hash))
      return refused(hash)
    },
  }
}

/** Reads the caller from the database at each call. */
function createAuthentication(
  pool: Pool,
  clock: Clock,
  tokens: SessionTokens,
  refused: (hash: Buffer) => Promise<void>,
): Authenticator['authenticate'] {
  const { db } = pool

  async function bySecret(secret: string): Promise<AnyPrincipal> {
    if (!isSecretToken(secret))
      throw /^[\w-]+\.[\w-]+\.[\w-]+$/.test(secret) ? unauthorized(WRONG_HEADER.session) : unauthorized()
    const hash = hashSecret(secret)
    if (secret.startsWith(SECRET_PREFIX.probeToken)) return byProbeToken(hash)
    const found = await store.findCredential(db, hash, new Date(clock.now()))
    if (!found) {
      if (secret.startsWith(SECRET_PREFIX.serverToken)) await refused(hash)
      throw unauthorized()
    }
    return { ...found, hash }
  }

  async function byProbeToken(hash: Buffer): Promise<AnyPrincipal> {
    const region = await store.findProbe(db, hash)
    if (!region) throw unauthorized()
    return { kind: 'probe', region: region.number, regionId: region.id, hash, tenant: undefined }
  }

  async function bySession(authorization: string, organizationId: string | undefined): Promise<Principal> {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1]
    if (token === undefined) throw hasSecretPrefix(authorization) ? unauthorized(WRONG_HEADER.secret) : unauthorized()
    const now = clock.now()
    const { sub, jti } = tokens.verify(token, now)
    const organization = organizationId === undefined ? undefined : (parseId('organization', organizationId) ?? 'malformed')
    const lookUp = organization === 'malformed' ? undefined : organization
    const session = await findSession(pool, { id: jti, userId: sub }, lookUp, new Date(now))
    if (!session) throw unauthorized()
    if (organization !== undefined && (organization === 'malformed' || !session.tenant)) {
      throw notTheirs('You do not belong')
    }
    const { lastUsedAt, ...of } = session
    if (!lastUsedAt || now - lastUsedAt.getTime() >= TOUCH_EVERY_MS) await touchSession(db, jti, new Date(now))
    return { kind: 'user', userId: sub, sessionId: jti, ...of }
  }

  return async ({ authorization, apiKey, organizationId }: CredentialHeaders): Promise<AnyPrincipal> => {
    if (authorization !== undefined && apiKey !== undefined) {
      throw unauthorized('Send either Authorization or X-API-Key, not both.')
    }
    if (apiKey !== undefined) return requireOrganization(await bySecret(apiKey), organizationId)
    if (authorization !== undefined) return bySession(authorization, organizationId)
    throw unauthorized()
  }
}

/** The owners of server tokens. */
function createTokenCache(clock: Clock) {
  const rows = createNumberTable(['until'])
  /** By row. */
  const owners: { serverIds: string[]; tenants: Tenant[] } = { serverIds: [], tenants: [] }
  return {
    add(name: string, serverId: string, tenant: Tenant): void {
      rows.remove(name)
      // One by one: an empty cache would cause a look-up of every token at once.
      if (rows.size >= CACHE_SIZE) rows.removeOldest()
      const row = rows.add(name)
      rows.set(row, 'until', clock.now() + CACHE_MS)
      owners.serverIds[row] = serverId
      owners.tenants[row] = tenant
    },
    ownerOf(name: string): { serverId: string; tenant: Tenant } | undefined {
      const row = rows.rowOf(name)
      if (row === undefined || rows.get(row, 'until') <= clock.now()) return undefined
      return { serverId: owners.serverIds[row] as string, tenant: owners.tenants[row] as Tenant }
    },
    remove: (name: string) => rows.remove(name),
  }
}

/** Their present roles and scopes, in at most two statements; see `Authenticator.refresh`. */
async function refreshPrincipals(db: Db, principals: readonly Principal[], at: Date): Promise<(Principal | undefined)[]> {
  const sessions = principals.flatMap((principal) =>
    principal.kind === 'user' && principal.tenant
      ? [{ sessionId: principal.sessionId, organization: principal.tenant.number }]
      : [],
  )
  const keys = principals.filter((principal) => principal.kind === 'api_key')
  const roles = new Map<string, Role>()
  if (sessions.length > 0) {
    for (const { sessionId, organization, role } of await store.readSessionRoles(db, sessions, at))
      roles.set(`${sessionId} ${organization}`, role)
  }
  const scopes = new Map<string, Scope[]>()
  if (keys.length > 0) {
    const organizations = keys.map(({ tenant }) => tenant.number)
    const keyIds = keys.map(({ keyId }) => keyId)
    for (const key of await store.readKeyScopes(db, organizations, keyIds, at)) scopes.set(key.id, key.scopes)
  }
  return principals.map((principal) => {
    if (principal.kind === 'user') {
      const role = roles.get(`${principal.sessionId} ${principal.tenant?.number}`)
      return role && { ...principal, role: principal.onlyReads ? ('viewer' as const) : role }
    }
    const current = principal.kind === 'api_key' ? scopes.get(principal.keyId) : undefined
    return current && ({ ...principal, scopes: current } as Principal)
  })
}

/** By form alone: they do not say whether the credential is valid. */
const WRONG_HEADER = {
  secret: 'Send API keys and tokens of servers and probes in X-API-Key, not in Authorization.',
  session: 'Send the token of a session as Authorization: Bearer, not in X-API-Key.',
}

const hasSecretPrefix = (text: string): boolean => Object.values(SECRET_PREFIX).some((prefix) => text.includes(prefix))

/** Whether `X-Organization-Id`, which may be any text or absent, allows to act in the organization. */
const isIn = (tenant: Tenant | undefined, organizationId: string | undefined): boolean =>
  organizationId === undefined || (tenant !== undefined && parseId('organization', organizationId) === tenant.id)

function requireOrganization<Caller extends AnyPrincipal>(principal: Caller, organizationId: string | undefined): Caller {
  if (!isIn(principal.tenant, organizationId)) throw notTheirs('These credentials do not belong')
  return principal
}

const notTheirs = (who: string): ApiError => forbidden(`${who} to the organization named in X-Organization-Id.`)

/** One character per byte: the smallest text form of a hash. */
const nameOf = (hash: Buffer): string => hash.toString('latin1')
