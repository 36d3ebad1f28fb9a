import { MINUTE_MS } from '@vedette/shared'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'

export const CHALLENGE_MS = 5 * MINUTE_MS

export const challengeEncrypter = encryptedValues('passkey challenge', { notStored: 'passkey sign-ins under way' })

/** What a challenge is for: a sign-in, or a new passkey in one session. */
export type Purpose = 'sign-in' | `new passkey in ${string}`

/**
 * A challenge that only this installation can make, with its end in it: nothing is stored until it is used. 37 bytes, 12 of them
 * random.
 */
export function createChallenge(encrypter: Encrypter, purpose: Purpose, nowMs: number): Buffer {
  const end = Buffer.alloc(8)
  end.writeBigInt64BE(BigInt(nowMs + CHALLENGE_MS))
  return encrypter.encrypt(end, purpose)
}

/** When a challenge in base64url ends, ms; undefined where it is not of this installation and purpose, or has ended. */
export function challengeEnd(encrypter: Encrypter, purpose: Purpose, challenge: string, nowMs: number): number | undefined {
  const plain = encrypter.decrypt(Buffer.from(challenge, 'base64url'), purpose)
  const endMs = plain && Number(plain.readBigInt64BE())
  return endMs !== undefined && endMs > nowMs ? endMs : undefined
}
