import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'

/** Of what the checks of a monitor send. */
export const monitorEncrypter = encryptedValues('monitor request', [
  { table: 'monitor', key: ['organization', 'id'], column: 'request_encrypted' },
])
