import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'

/** Of the secrets of authenticators. */
export const totpEncrypter = encryptedValues('totp', [{ table: 'user_totp', key: ['user_id'], column: 'secret' }])
