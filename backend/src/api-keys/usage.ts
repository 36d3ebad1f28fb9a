import type { Asker, Authenticator } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { type KeyUse, storeUses } from './store.ts'

/** When keys were last used: noted in memory, so that no request waits for it, and stored every few seconds. */
export interface KeyUsage {
  note(principal: Asker): void
  /** Stores what was noted. On a failure it stays noted for the next time. */
  flush(): Promise<void>
}

/** What is stored is right to the minute: whoever uses a key every second costs one write a minute, over all instances. */
const STEP_MS = 60_000

export function createKeyUsage(db: Db, clock: Clock): KeyUsage {
  const noted = new Map<string, KeyUse>()
  /** Instants that the table has, of keys used within the last minute. */
  const stored = new Map<string, number>()

  return {
    note: (principal) => {
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

/** The same authenticator, which notes every use of a key. A principal that is known at once stays without a promise. */
export function noteKeyUse(authenticator: Authenticator, usage: KeyUsage): Authenticator {
  const noted = (principal: Asker): Asker => {
    usage.note(principal)
    return principal
  }
  return {
    authenticate: async (headers) => noted(await authenticator.authenticate(headers)),
    presume: (headers) => {
      const found = authenticator.presume(headers)
      return found instanceof Promise ? found.then(noted) : noted(found)
    },
    standIn: authenticator.standIn,
    forget: (hash) => authenticator.forget(hash),
  }
}
