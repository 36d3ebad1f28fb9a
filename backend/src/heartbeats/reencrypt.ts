import type { Db } from '../platform/db/index.ts'
import { createEncrypter, type Encrypter } from '../platform/crypto/encrypter.ts'
import type { InstallationSecrets } from '../platform/crypto/installation-secrets.ts'
import { listPingKeys, replaceEncryptedKey } from './store.ts'

export const pingKeyEncrypter = (secrets: InstallationSecrets): Encrypter => createEncrypter(secrets.derive('ping key'))

/** Encrypts with the newest secret what older ones encrypted. */
export async function reencryptPingKeys({ db, encrypter }: { db: Db; encrypter: Encrypter }): Promise<void> {
  for (const row of await listPingKeys(db)) {
    const plain = encrypter.usesCurrentKey(row.encrypted, row.id) ? undefined : encrypter.decrypt(row.encrypted, row.id)
    if (plain) await replaceEncryptedKey(db, row, encrypter.encrypt(plain, row.id))
  }
}
