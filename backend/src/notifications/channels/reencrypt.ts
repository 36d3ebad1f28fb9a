import type { Db } from '../../platform/db/index.ts'
import { createEncrypter, type Encrypter } from '../../platform/crypto/encrypter.ts'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { listEncryptedChannels, replaceEncryptedSecrets } from './store.ts'

const BATCH_SIZE = 500

export const channelEncrypter = (secrets: InstallationSecrets): Encrypter => createEncrypter(secrets.derive('channel'))

/** Encrypts with the newest secret what older ones encrypted. A change at the same time encrypts with the newest anyway. */
export async function reencryptChannels(
  { db, encrypter }: { db: Db; encrypter: Encrypter },
  batchSize = BATCH_SIZE,
): Promise<void> {
  for (let rows = await listEncryptedChannels(db, undefined, batchSize); rows.length > 0; ) {
    for (const row of rows) {
      const plain = encrypter.usesCurrentKey(row.secrets_encrypted, row.id)
        ? undefined
        : encrypter.decrypt(row.secrets_encrypted, row.id)
      if (plain) await replaceEncryptedSecrets(db, row, encrypter.encrypt(plain, row.id))
    }
    rows = await listEncryptedChannels(db, rows.at(-1), batchSize)
  }
}
