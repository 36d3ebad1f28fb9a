import { DAY_MS, toTimestamp } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { deleteExpiredCertificates, claimExpiringCertificates } from './certificate-store.ts'
import { publish } from '../../../notifying/notifications/index.ts'

/** Automatic renewal happens a month ahead; what is left two weeks before expiry needs a person. */
const AHEAD_MS = 14 * DAY_MS
const BATCH_SIZE = 100

/** Publishes certificates of monitors that expire within two weeks, each once. */
export async function publishExpiringCertificates({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const nowMs = clock.now()
  for (let count = BATCH_SIZE; count === BATCH_SIZE; ) {
    count = await inTransaction(db, async (transaction) => {
      const expiring = await claimExpiringCertificates(transaction, nowMs, nowMs + AHEAD_MS, BATCH_SIZE)
      for (const { organization, id, name, expires_at: expiresMs } of expiring) {
        const monitor = { id: encodeId('monitor', id), name }
        const certificate = { expires_at: toTimestamp(expiresMs), days_left: Math.floor((expiresMs - nowMs) / DAY_MS) }
        await publish(transaction, organization, {
          type: 'certificate.expiring',
          at: new Date(nowMs),
          data: { monitor, certificate },
        })
      }
      return expiring.length
    })
  }
  await deleteExpiredCertificates(db, nowMs)
}
