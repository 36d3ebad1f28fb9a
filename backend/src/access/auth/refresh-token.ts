import { createHmac, hash } from 'node:crypto'
import { randomBytes } from '../../platform/crypto/random.ts'

/** The cookie of a remembered session: `family` stays as long as the session, `secret` changes with the refreshes. */
export interface RefreshToken {
  family: Buffer
  secret: Buffer
}

const FAMILY_BYTES = 16
const SECRET_BYTES = 32
/** 48 bytes in base64url. */
const FORM = /^[\w-]{64}$/

export const newRefreshToken = (): RefreshToken => ({ family: randomBytes(FAMILY_BYTES), secret: randomBytes(SECRET_BYTES) })

export const encodeRefreshToken = ({ family, secret }: RefreshToken): string =>
  Buffer.concat([family, secret]).toString('base64url')

export function parseRefreshToken(text: string): RefreshToken | undefined {
  if (!FORM.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return { family: bytes.subarray(0, FAMILY_BYTES), secret: bytes.subarray(FAMILY_BYTES) }
}

/** The only form in which a part is stored. */
export const hashPart = (part: Buffer): Buffer => hash('sha256', part, 'buffer')

export const newSalt = (): Buffer => randomBytes(SECRET_BYTES)

/** The secret after this one. The salt is random, so that only this backend's database and the previous secret together give it. */
export const nextSecret = (secret: Buffer, salt: Buffer): Buffer => createHmac('sha256', salt).update(secret).digest()

/** What is stored of a cookie; the last three are null before the first refresh. */
export interface StoredRefresh {
  hash: Buffer
  previous_hash: Buffer | null
  salt: Buffer | null
  refreshed_at: Date | null
}

/** Two tabs that refresh at once, and a tab that was closed before its answer came, must not end the session. */
const GRACE_MS = 30_000

/**
 * What to do with a secret of this family. `rotate`: it is the present one and gets a successor. `keep`: so it is, and was made a
 * moment ago, so that the previous one stays in its grace. `repeat`: it is the previous one in its grace, and gets the same successor
 * again. `reuse`: somebody else has used it before, so that two have the cookie.
 */
export function decideRefresh(stored: StoredRefresh, secret: Buffer, nowMs: number): 'rotate' | 'keep' | 'repeat' | 'reuse' {
  const isRecent = stored.refreshed_at !== null && nowMs - stored.refreshed_at.getTime() < GRACE_MS
  const given = hashPart(secret)
  if (given.equals(stored.hash)) return isRecent ? 'keep' : 'rotate'
  return isRecent && stored.previous_hash?.equals(given) ? 'repeat' : 'reuse'
}
