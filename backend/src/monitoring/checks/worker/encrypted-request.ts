import type { Encrypter } from '../../../platform/crypto/encrypter.ts'

/** What a check sends. It may contain secrets, so it is stored encrypted and bound to the monitor's id. */
export interface CheckRequest {
  headers: Record<string, string>
  body: string | null
  credentials: Record<string, string>
  /** Those that have texts which the check sends. */
  options: Record<string, unknown>
}

/** Null when there is nothing to encrypt. */
export function encryptRequest(encrypter: Encrypter, monitorId: string, request: CheckRequest): Buffer | null {
  const { headers, body, credentials, options } = request
  if (body === null && [headers, credentials, options].every((part) => Object.keys(part).length === 0)) return null
  return encrypter.encrypt(Buffer.from(JSON.stringify({ headers, body, credentials, options })), monitorId)
}

export const EMPTY_REQUEST: CheckRequest = { headers: {}, body: null, credentials: {}, options: {} }

/** Undefined where no secret of the installation decrypts it: a check without its headers would be a different check. */
export function decryptRequest(encrypter: Encrypter, monitorId: string, encrypted: Buffer | null): CheckRequest | undefined {
  if (encrypted === null) return EMPTY_REQUEST
  const plain = encrypter.decrypt(encrypted, monitorId)
  if (!plain) return undefined
  // Only encryptRequest writes this value, and decryption authenticates it.
  return { options: {}, ...(JSON.parse(plain.toString()) as Omit<CheckRequest, 'options'>) }
}
