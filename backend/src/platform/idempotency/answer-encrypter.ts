import { encryptedValues } from '../encrypted-values/encrypted-values.ts'

/** Of answers that are stored for a repeat of their request. */
export const answerEncrypter = encryptedValues('kept answer', [
  { table: 'idempotency_key', key: ['credential', 'key'], column: 'body', form: 'base64', context: `credential || ' ' || key` },
])
