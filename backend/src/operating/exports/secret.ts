import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'

/** Of the headers that exports send. */
export const exportEncrypter = encryptedValues('metric export', [
  { table: 'metric_export', key: ['organization', 'id'], column: 'headers_encrypted' },
])

export type Headers = Record<string, string>

export const encryptHeaders = (encrypter: Encrypter, id: string, headers: Headers): Buffer =>
  encrypter.encrypt(Buffer.from(JSON.stringify(headers)), id)

/** Undefined where no configured secret decrypts them: they have to be entered again. */
export function decryptHeaders(
  encrypter: Encrypter,
  { id, headers_encrypted: encrypted }: { id: string; headers_encrypted: Buffer },
): Headers | undefined {
  const plain = encrypter.decrypt(encrypted, id)
  return plain && (JSON.parse(plain.toString()) as Headers)
}
