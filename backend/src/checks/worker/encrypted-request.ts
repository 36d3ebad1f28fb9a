import type { Encrypter } from '../../platform/crypto/encrypter.ts'

/** Headers and body of a check. They may contain secrets, so they are stored encrypted and bound to the monitor's id. */
export interface CheckRequest {
  headers: Record<string, string>
  body: string | null
}

/** Null when there is nothing to encrypt. */
export function encryptRequest(encrypter: Encrypter, monitorId: string, { headers, body }: CheckRequest): Buffer | null {
  if (body === null && Object.keys(headers).length === 0) return null
  return encrypter.encrypt(Buffer.from(JSON.stringify({ headers, body })), monitorId)
}

/** Throws when no secret of the installation decrypts it: a check without its headers would be a different check. */
export function decryptRequest(encrypter: Encrypter, monitorId: string, encrypted: Buffer | null): CheckRequest {
  if (encrypted === null) return { headers: {}, body: null }
  const plain = encrypter.decrypt(encrypted, monitorId)
  if (!plain)
    throw new Error(`The headers and body of monitor ${monitorId} cannot be decrypted with the secrets of this installation.`)
  // Only encryptRequest writes this value, and decryption authenticates it.
  return JSON.parse(plain.toString()) as CheckRequest
}
