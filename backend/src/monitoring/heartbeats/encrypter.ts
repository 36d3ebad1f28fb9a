import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'

export const pingKeyEncrypter = encryptedValues('ping key', [
  {
    table: 'ping_key',
    key: ['organization'],
    column: 'encrypted',
    context: '(select id::text from organization where number = ping_key.organization)',
  },
])
