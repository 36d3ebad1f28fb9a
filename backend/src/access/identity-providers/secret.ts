import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'
import { ApiError } from '../../platform/errors.ts'
import type { IdentityProviderRow } from './store.ts'

/** Of client secrets, and of what a sign-in under way must keep for some minutes. */
export const identityEncrypter = encryptedValues('identity provider', [
  { table: 'identity_provider', key: ['id'], column: 'secret_encrypted' },
])

/** Undefined where no configured secret decrypts it. */
export const storedSecretOf = (
  encrypter: Encrypter,
  row: Pick<IdentityProviderRow, 'id' | 'secret_encrypted'>,
): string | undefined => encrypter.decrypt(row.secret_encrypted, row.id)?.toString()

/** Throws unavailable where no configured secret decrypts it: it has to be entered again. */
export function clientSecretOf(encrypter: Encrypter, row: Pick<IdentityProviderRow, 'id' | 'secret_encrypted'>): string {
  const secret = storedSecretOf(encrypter, row)
  if (secret === undefined)
    throw new ApiError('unavailable', 'The client secret of the identity provider cannot be decrypted: enter it again.')
  return secret
}
