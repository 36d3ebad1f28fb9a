import type { Db } from '../../platform/db/index.ts'
import { createSealer, type Sealer } from '../../platform/sealer.ts'
import type { InstallationSecrets } from '../../platform/secrets.ts'
import { listSealedChannels, replaceSealedChannel } from './store.ts'

const AT_ONCE = 500

export const channelSealer = (secrets: InstallationSecrets): Sealer => createSealer(secrets.derive('channel'))

/** Seals with the newest secret what older ones sealed. What is changed meanwhile is sealed by that change. */
export async function resealChannels({ db, sealer }: { db: Db; sealer: Sealer }, atOnce = AT_ONCE): Promise<void> {
  for (let rows = await listSealedChannels(db, undefined, atOnce); rows.length > 0; ) {
    for (const row of rows) {
      const plain = sealer.isNewest(row.secrets_sealed, row.id) ? undefined : sealer.open(row.secrets_sealed, row.id)
      if (plain) await replaceSealedChannel(db, row, sealer.seal(plain, row.id))
    }
    rows = await listSealedChannels(db, rows.at(-1), atOnce)
  }
}
