import { SECRET_PREFIX } from '@vedette/shared'
import { parseId } from '../platform/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Pool } from '../platform/db/index.ts'
import { forbidden, unauthorized } from '../platform/errors.ts'
import { gather } from '../platform/gather.ts'
import { keepOnce } from '../platform/keep-once.ts'
import { createNumberTable } from '../platform/number-table.ts'
import type { Asker, Principal, Tenant } from './principal.ts'
import { hashSecret, isSecretToken, nameOfSecret } from './secret-token.ts'
import type { SessionTokens } from './session-token.ts'
import { findSession, touchSession } from './session-store.ts'
import * as store from './store.ts'

/** What a request carries of credentials; a header that was sent twice arrives joined and fits nothing. */
export interface CredentialHeaders {
  authorization: string | undefined
  apiKey: string | undefined
  organizationId: string | undefined
}

export interface Authenticator {
  /**
   * Who asks, read from the database at each call: a revoked key, an ended session and a removed member are refused at once.
   * Throws unauthorized; forbidden for an organization that the user does not belong to.
   */
  authenticate(headers: CredentialHeaders): Promise<Asker>
  /**
   * As `authenticate`, but a server token seen in the last hour is believed, and answered without a promise: every push
   * asks. Only for statements that check the token themselves; `forget` drops what they found to be dead, and tells of it.
   */
  presume(headers: CredentialHeaders): Asker | Promise<Asker>
  forget(hash: Buffer): Promise<void>
  /**
   * The same caller as they stand in the organization of this id, which may be of any text: a user by the role they have
   * there, an API key and a server token in their own only. Undefined where they do not belong.
   */
  standIn(principal: Principal, organizationId: string): Promise<Principal | undefined>
}

/** How old a session's `last_used_at` may be: a write a minute, not one a request. */
const TOUCH_EVERY_MS = 60_000
/**
 * How long a server token is presumed, and for how many: 200,000 of them take some 35 MB. Whoever believes one checks it where it
 * matters, so that the time bounds nothing but what is kept of hosts that are gone; agents push once a minute and must not miss it.
 */
const PRESUME_MS = 3_600_000
const PRESUMED_MAX = 200_000
/** Tokens of one statement, and organizations that are in memory once for all of their servers. */
const [LOOK_UP_AT_ONCE, MAX_TENANTS] = [500, 10_000]

/** `refused` hears of the hash of a server's token that nobody is let in by. */
export function createAuthenticator(
  pool: Pool,
  clock: Clock,
  tokens: SessionTokens,
  refused: (hash: Buffer) => Promise<void> = async () => {},
): Authenticator {
  const { db } = pool
  const presumed = createNumberTable(['until'])
  /** Of the rows of those. */
  const owners: { serverIds: string[]; tenants: Tenant[] } = { serverIds: [], tenants: [] }
  const serverOf = gather((hashes: readonly Buffer[]) => store.findServersOfTokens(pool, hashes), LOOK_UP_AT_ONCE)
  const once = keepOnce<Tenant>(MAX_TENANTS)

  async function authenticate({ authorization, apiKey, organizationId }: CredentialHeaders): Promise<Asker> {
    if (authorization !== undefined && apiKey !== undefined) {
      throw unauthorized('Send either Authorization or X-API-Key, not both.')
    }
    if (apiKey !== undefined) return bySecret(apiKey)
    if (authorization !== undefined) return bySession(authorization, organizationId)
    throw unauthorized()
  }

  async function bySecret(secret: string): Promise<Asker> {
    if (!isSecretToken(secret)) throw unauthorized()
    const hash = hashSecret(secret)
    if (secret.startsWith(SECRET_PREFIX.probeToken)) return byProbeToken(hash)
    const found = await store.findCredential(db, hash, new Date(clock.now()))
    if (!found) {
      if (secret.startsWith(SECRET_PREFIX.serverToken)) await refused(hash)
      throw unauthorized()
    }
    return { ...found, hash }
  }

  async function byProbeToken(hash: Buffer): Promise<Asker> {
    const region = await store.findProbe(db, hash)
    if (!region) throw unauthorized()
    return { kind: 'probe', region: region.number, regionId: region.id, hash, tenant: undefined }
  }

  async function bySession(authorization: string, organizationId: string | undefined): Promise<Principal> {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1]
    if (token === undefined) throw unauthorized()
    const now = clock.now()
    const { sub, jti } = tokens.verify(token, now)
    const organization = organizationId === undefined ? undefined : (parseId('organization', organizationId) ?? 'malformed')
    const lookUp = organization === 'malformed' ? undefined : organization
    const session = await findSession(pool, { id: jti, userId: sub }, lookUp, new Date(now))
    if (!session) throw unauthorized()
    if (organization !== undefined && (organization === 'malformed' || !session.tenant)) {
      throw forbidden('You do not belong to the organization named in X-Organization-Id.')
    }
    const { tenant, role, lastUsedAt } = session
    if (!lastUsedAt || now - lastUsedAt.getTime() >= TOUCH_EVERY_MS) await touchSession(db, jti, new Date(now))
    return { kind: 'user', userId: sub, sessionId: jti, tenant, role }
  }

  async function findServer(secret: string): Promise<Principal> {
    const hash = hashSecret(secret)
    const found = await serverOf(hash)
    if (!found) {
      await refused(hash)
      throw unauthorized()
    }
    const tenant = once(String(found.tenant.number), () => found.tenant)
    believe(nameOf(hash), found.serverId, tenant)
    return { kind: 'server', serverId: found.serverId, tenant, hash }
  }

  function believe(name: string, serverId: string, tenant: Tenant): void {
    presumed.remove(name)
    // The oldest first: forgetting all at once would have all of them looked up at once.
    if (presumed.size >= PRESUMED_MAX) presumed.removeOldest()
    const row = presumed.add(name)
    presumed.set(row, 'until', clock.now() + PRESUME_MS)
    owners.serverIds[row] = serverId
    owners.tenants[row] = tenant
  }

  async function standIn(principal: Principal, organizationId: string): Promise<Principal | undefined> {
    const id = parseId('organization', organizationId)
    if (id === undefined) return undefined
    if (principal.tenant?.id === id) return principal
    if (principal.kind !== 'user') return undefined
    const membership = await store.findMembership(db, principal.userId, id)
    return membership && { ...principal, ...membership }
  }

  return {
    authenticate,
    standIn,
    presume: (headers) => {
      const { apiKey } = headers
      if (apiKey === undefined || headers.authorization !== undefined) return authenticate(headers)
      if (!apiKey.startsWith(SECRET_PREFIX.serverToken)) return authenticate(headers)
      const name = nameOfSecret(apiKey)
      const row = presumed.rowOf(name)
      if (row !== undefined && presumed.get(row, 'until') > clock.now()) {
        const [serverId, tenant] = [owners.serverIds[row] as string, owners.tenants[row] as Tenant]
        return { kind: 'server', serverId, tenant, hash: Buffer.from(name, 'latin1') }
      }
      return isSecretToken(apiKey) ? findServer(apiKey) : authenticate(headers)
    },
    forget: (hash) => {
      presumed.remove(nameOf(hash))
      return refused(hash)
    },
  }
}

/** One character a byte: the cheapest text that a hash can be. */
const nameOf = (hash: Buffer): string => hash.toString('latin1')
