import { createHash } from 'node:crypto'
import { type Session, toTimestamp } from '@vedette/shared'
import { unauthorized } from '../../platform/errors.ts'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'

/** Validity of a token, and of a session that its device does not keep. */
export const SESSION_SECONDS = 12 * 3_600
/** Validity of a session that its device keeps. */
export const REMEMBERED_SECONDS = 30 * 86_400

/** The claims of a session token: user and session. Permissions are read from the database. */
export interface SessionClaims {
  sub: string
  jti: string
  iat: number
  exp: number
}

/** The signing library. The options pin everything that a forged token could vary. */
export interface TokenLibrary {
  sign(payload: object, options: object): string
  verify(token: string, options: object): unknown
}

export interface SessionTokens {
  sign(claims: SessionClaims): string
  /** Throws unauthorized for everything but a valid token of this installation. */
  verify(token: string, nowMs: number): SessionClaims
}

const ISSUER = 'vedette'
const AUDIENCE = 'vedette-api'
/** An instance's clock may be behind the one that signed. */
const CLOCK_TOLERANCE_SECONDS = 60
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function createSessionTokens(library: TokenLibrary, secrets: InstallationSecrets): SessionTokens {
  const keys = secrets
    .derive('session token')
    .map((key) => ({ key, kid: createHash('sha256').update(key).digest('hex').slice(0, 8) }))
  const newest = keys[0] as (typeof keys)[number]

  return {
    sign: ({ sub, jti, iat, exp }) =>
      library.sign({ sub, jti, iat, exp, iss: ISSUER, aud: AUDIENCE }, { key: newest.key, algorithm: 'HS256', kid: newest.kid }),
    verify: (token, nowMs) => {
      const kid = keyIdOf(token)
      const candidate = keys.find((entry) => entry.kid === kid)
      if (!candidate) throw unauthorized()
      return toClaims(verifyWith(library, token, candidate.key, nowMs), nowMs)
    },
  }
}

/** The token of a session for the next 12 hours, or for as long as the session lives. */
export function signSession(
  tokens: SessionTokens,
  { userId, sessionId, expiresAt }: { userId: string; sessionId: string; expiresAt: Date },
  nowMs: number,
): Session {
  const iat = Math.floor(nowMs / 1000)
  const exp = Math.min(iat + SESSION_SECONDS, expiresAt.getTime() / 1000)
  return { token: tokens.sign({ sub: userId, jti: sessionId, iat, exp }), expires_at: toTimestamp(exp * 1000) }
}

function verifyWith(library: TokenLibrary, token: string, key: Buffer, nowMs: number): unknown {
  try {
    return library.verify(token, {
      key,
      algorithms: ['HS256'],
      allowedIss: ISSUER,
      allowedAud: AUDIENCE,
      requiredClaims: ['iss', 'aud', 'sub', 'jti', 'iat', 'exp'],
      clockTimestamp: nowMs,
      cache: false,
    })
  } catch (error) {
    throw Object.assign(unauthorized(), { cause: error })
  }
}

/** The key that the token names; the signature is verified with it afterwards. */
function keyIdOf(token: string): unknown {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString())
    return (header as { kid?: unknown } | null)?.kid
  } catch {
    return undefined
  }
}

/** Checks what the library does not: an `iat` in the future and malformed ids. */
function toClaims(payload: unknown, nowMs: number): SessionClaims {
  const { sub, jti, iat, exp } = payload as Partial<SessionClaims>
  const isOurs = typeof sub === 'string' && UUID.test(sub) && typeof jti === 'string' && UUID.test(jti)
  if (!isOurs || typeof iat !== 'number' || typeof exp !== 'number') throw unauthorized()
  const nowSeconds = nowMs / 1000
  if (iat > nowSeconds + CLOCK_TOLERANCE_SECONDS || exp <= nowSeconds || exp - iat > SESSION_SECONDS) throw unauthorized()
  return { sub, jti, iat, exp }
}
