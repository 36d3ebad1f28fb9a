import { hash } from 'node:crypto'
import { randomBytes } from '../../platform/crypto/random.ts'

const TOKEN_BYTES = 32

/** A new token for the link of an invitation: 32 random bytes, URL-safe. Only the hash is stored. */
export function createInvitationToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, tokenHash: hashInvitationToken(token) }
}

/** SHA-256: random bytes need no slow hash, and a look-up by the hash leaks no timing. */
export function hashInvitationToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
