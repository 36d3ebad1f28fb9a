import { createHash } from 'node:crypto'
import { unauthorized } from '../platform/errors.ts'
import type { InstallationSecrets } from '../platform/secrets.ts'

/** How long a signed-in user stays signed in. */
export const SESSION_SECONDS = 12 * 3_600

/** What a session token says: who, and which session. What they may is asked of the database. */
export interface SessionClaims {
  sub: string
  jti: string
  iat: number
  exp: number
}

/** The signing library as this module needs it; the options pin everything that a forger could choose. */
export interface TokenLibrary {
  sign(payload: object, options: object): string
  verify(token: string, options: object): unknown
}

export interface SessionTokens {
  sign(claims: SessionClaims): string
  /** Throws unauthorized for whatever is not a living token of this installation. */
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

/** Which of our keys the token claims to be signed with; the claim is proven by the signature afterwards. */
function keyIdOf(token: string): unknown {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString())
    return (header as { kid?: unknown } | null)?.kid
  } catch {
    return undefined
  }
}

/** The library accepts an `iat` in the future and ids of any text: neither was ever signed by us. */
function toClaims(payload: unknown, nowMs: number): SessionClaims {
  const { sub, jti, iat, exp } = payload as Partial<SessionClaims>
  const isOurs = typeof sub === 'string' && UUID.test(sub) && typeof jti === 'string' && UUID.test(jti)
  if (!isOurs || typeof iat !== 'number' || typeof exp !== 'number') throw unauthorized()
  const nowSeconds = nowMs / 1000
  if (iat > nowSeconds + CLOCK_TOLERANCE_SECONDS || exp <= nowSeconds || exp - iat > SESSION_SECONDS) throw unauthorized()
  return { sub, jti, iat, exp }
}
