import type { AnyPrincipal, Authenticator } from '../auth/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { type KeyUse, storeUses } from './store.ts'

/** Records in memory when keys were last used and stores it every few seconds, so that no request waits for a write. */
export interface KeyUsage {
  record(principal: AnyPrincipal): void
  /** Stores what was recorded; after a failure it is stored by the next call. */
  flush(): Promise<void>
}

/** Accuracy of the stored instant: a key that is used every second costs one write per minute, over all instances. */
const STEP_MS = 60_000

export function createKeyUsage(db: Db, clock: Clock): KeyUsage {
  const noted = new Map<string, KeyUse>()
  /** Stored instants of keys that were used within the last minute. */
  const stored = new Map<string, number>()

  return {
    record: (principal) => {
      if (principal.kind !== 'api_key') return
      const { keyId, tenant } = principal
      const usedAtMs = clock.now()
      if (usedAtMs - (stored.get(keyId) ?? Number.NEGATIVE_INFINITY) < STEP_MS) return
      noted.set(keyId, { organization: tenant.number, keyId, usedAtMs })
    },
    flush: async () => {
      if (noted.size === 0) return
      const uses = [...noted.values()]
      noted.clear()
      try {
        await storeUses(db, uses, STEP_MS)
      } catch (error) {
        for (const use of uses) if (!noted.has(use.keyId)) noted.set(use.keyId, use)
        throw error
      }
      for (const { keyId, usedAtMs } of uses) stored.set(keyId, usedAtMs)
      for (const [keyId, usedAtMs] of stored) if (clock.now() - usedAtMs >= STEP_MS) stored.delete(keyId)
    },
  }
}

/** An authenticator that records every use of a key. Synchronous results stay synchronous. */
export function recordKeyUse(authenticator: Authenticator, usage: KeyUsage): Authenticator {
  const noted = (principal: AnyPrincipal): AnyPrincipal => {
    usage.record(principal)
    return principal
  }
  return {
    authenticate: async (headers) => noted(await authenticator.authenticate(headers)),
    authenticateCached: (headers) => {
      const found = authenticator.authenticateCached(headers)
      return found instanceof Promise ? found.then(noted) : noted(found)
    },
    inOrganization: authenticator.inOrganization,
    refresh: async (principals) => {
      const current = await authenticator.refresh(principals)
      for (const principal of current) if (principal) usage.record(principal)
      return current
    },
    evict: (hash) => authenticator.evict(hash),
  }
}
