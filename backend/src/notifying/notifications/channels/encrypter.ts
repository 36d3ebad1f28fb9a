import { encryptedValues } from '../../../platform/encrypted-values/encrypted-values.ts'

/** Of the secrets of channels, and of subscribers of status pages, which are channels of one page. */
export const channelEncrypter = encryptedValues('channel', [
  { table: 'channel', key: ['organization', 'id'], column: 'secrets_encrypted' },
  { table: 'status_subscriber', key: ['organization', 'id'], column: 'secrets_encrypted' },
])
