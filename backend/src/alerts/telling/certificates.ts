import { toTimestamp } from '@vedette/shared'
import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { forgetEndedCertificates, takeEndingCertificates } from './certificate-store.ts'
import { publish } from './publish.ts'

const DAY_MS = 86_400_000
/** Who renews by themselves does so a month before; what is left then is somebody's to do. */
const AHEAD_MS = 14 * DAY_MS
const AT_ONCE = 100

/** Tells of certificates of monitors that end within two weeks, each once; a new one is another. */
export async function tellOfCertificates({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const nowMs = clock.now()
  for (let count = AT_ONCE; count === AT_ONCE; ) {
    count = await inTransaction(db, async (transaction) => {
      const ending = await takeEndingCertificates(transaction, nowMs, nowMs + AHEAD_MS, AT_ONCE)
      for (const { organization, id, name, expires_at: expiresMs } of ending) {
        const monitor = { id: encodeId('monitor', id), name }
        const certificate = { expires_at: toTimestamp(expiresMs), days_left: Math.floor((expiresMs - nowMs) / DAY_MS) }
        await publish(transaction, organization, {
          type: 'certificate.expiring',
          at: new Date(nowMs),
          data: { monitor, certificate },
        })
      }
      return ending.length
    })
  }
  await forgetEndedCertificates(db, nowMs)
}
