import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'

/** Of what the checks of a monitor send, and of what they received when they failed. */
export const monitorEncrypter = encryptedValues('monitor request', [
  { table: 'monitor', key: ['organization', 'id'], column: 'request_encrypted' },
  {
    table: 'check_response',
    key: ['organization', 'monitor', 'region', 'at'],
    column: 'body_encrypted',
    context: "'response ' || organization || ' ' || monitor || ' ' || at",
  },
])
