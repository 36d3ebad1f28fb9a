import { EXPORTED_SAMPLES, MINUTE_MS } from '@vedette/shared'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { encryptHeaders } from './secret.ts'
import { changeManaged, insertExport, organizationsWithoutManaged } from './store.ts'

export const MANAGED_NAME = 'VEDETTE_OTLP_URL'
/** A new organization has its export this soon. */
const EVERY_MS = MINUTE_MS
const AT_ONCE = 1_000

interface ManagedDeps {
  db: Db
  clock: Clock
  encrypter: Encrypter
  url: string | undefined
}

/** Makes the exports as the setting says: one of each organization, or none. One process at a time runs it. */
export function createManaging({ db, clock, encrypter, url }: ManagedDeps): () => Promise<void> {
  let doneMs = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = clock.now()
    const isFirst = doneMs === Number.NEGATIVE_INFINITY
    if (!isFirst && (url === undefined || Math.abs(nowMs - doneMs) < EVERY_MS)) return
    const at = new Date(nowMs)
    if (isFirst) await changeManaged(db, url, at)
    if (url !== undefined)
      for (const organization of await organizationsWithoutManaged(db, AT_ONCE))
        await inTransaction(db, async (transaction) => {
          const id = newId()
          // The headers of the setting are not stored: a process that sends has them.
          const row = {
            id,
            name: MANAGED_NAME,
            kind: 'otlp' as const,
            url,
            samples: [...EXPORTED_SAMPLES],
            enabled: true,
            is_managed: true,
          }
          await insertExport(transaction, organization, { ...row, headers_encrypted: encryptHeaders(encrypter, id, {}) }, at)
        })
    doneMs = nowMs
  }
}
