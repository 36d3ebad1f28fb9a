import { createEncrypter, type Encrypter } from '../platform/crypto/encrypter.ts'
import type { InstallationSecrets } from '../platform/crypto/installation-secrets.ts'
import type { Db } from '../platform/db/index.ts'
import { ApiError } from '../platform/errors.ts'
import { type IdentityProviderRow, listAllProviders, replaceEncryptedSecret } from './store.ts'

/** Of client secrets, and of what a sign-in under way must keep. */
export const identityEncrypter = (secrets: InstallationSecrets): Encrypter => createEncrypter(secrets.derive('identity provider'))

/** Throws unavailable where no configured secret decrypts it: it has to be entered again. */
export function clientSecretOf(encrypter: Encrypter, row: Pick<IdentityProviderRow, 'id' | 'secret_encrypted'>): string {
  const secret = encrypter.decrypt(row.secret_encrypted, row.id)
  if (!secret)
    throw new ApiError('unavailable', 'The client secret of the identity provider cannot be decrypted: enter it again.')
  return secret.toString()
}

/** Encrypts with the newest secret what older ones encrypted. */
export async function reencryptProviders({ db, encrypter }: { db: Db; encrypter: Encrypter }): Promise<void> {
  for (const row of await listAllProviders(db)) {
    const isCurrent = encrypter.usesCurrentKey(row.secret_encrypted, row.id)
    const plain = isCurrent ? undefined : encrypter.decrypt(row.secret_encrypted, row.id)
    if (plain) await replaceEncryptedSecret(db, row, encrypter.encrypt(plain, row.id))
  }
}
