import { createHash } from 'node:crypto'
import { type JWTPayload, jwtVerify } from 'jose'
import { endProvidedSessions } from '../auth/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import { recordSecurityEvent } from '../security-log/index.ts'
import { faultOf, toSignInError } from './exchange.ts'
import { SIGNATURES } from './provider-client.ts'
import { insertLogout } from './request-store.ts'
import { connect, type SignInDeps } from './sign-in.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** A logout is sent at once. */
const MAX_AGE_SECONDS = 300
const TOLERANCE_SECONDS = 30

/**
 * Ends the sessions that a logout token of the provider names: those of one session at the provider, or all of one person. Every
 * instance reads sessions from the database at each request. Throws not_found, validation_error for a token that is not valid or was
 * used before, unavailable.
 */
export async function logOutByToken(deps: SignInDeps, id: string, token: string, ip: string): Promise<void> {
  const { provider, configuration } = await connect(deps, id)
  const metadata = configuration.serverMetadata()
  const at = new Date(deps.clock.now())
  if (provider.kind !== 'oidc') throw notValid()
  const payload = await verify(deps, token, {
    keys: deps.clients.keys(metadata),
    issuer: metadata.issuer,
    audience: provider.client_id,
    at,
  })
  const { jti = '', sub: subject, sid } = payload
  await inTransaction(deps.db, async (db) => {
    const expiresAt = new Date(at.getTime() + (MAX_AGE_SECONDS + 2 * TOLERANCE_SECONDS) * 1000)
    const use = { identity_provider: id, token_hash: createHash('sha256').update(jti).digest(), expires_at: expiresAt }
    if (!(await insertLogout(db, use))) throw notValid()
    const named = { subject, sid: typeof sid === 'string' ? sid : undefined }
    for (const session of await endProvidedSessions(db, id, named, at)) {
      const details = {
        session_id: encodeId('session', session.id),
        identity_provider: encodeId('identityProvider', id),
      }
      const event = { principal: undefined, type: 'session.ended', userId: session.userId, ip, details } as const
      await recordSecurityEvent(db, event, at)
    }
  })
}

const notValid = () => invalid({ path: 'logout_token', message: 'is not a valid logout token of this identity provider' })

interface Expected {
  keys: ReturnType<SignInDeps['clients']['keys']>
  issuer: string
  audience: string
  at: Date
}

async function verify(deps: SignInDeps, token: string, { keys, issuer, audience, at }: Expected): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: SIGNATURES,
      currentDate: at,
      clockTolerance: TOLERANCE_SECONDS,
      maxTokenAge: MAX_AGE_SECONDS,
      requiredClaims: ['iat', 'jti', 'events'],
    })
    const { events, nonce, sub, sid, jti } = payload
    const event = (events as Record<string, unknown> | null)?.[EVENT]
    if (typeof event !== 'object' || event === null) throw new Error('it has no logout event')
    if (nonce !== undefined) throw new Error('it has a nonce, as an ID token')
    if (typeof jti !== 'string' || jti === '') throw new Error('it has no jti')
    // Without either, every session would end.
    if (typeof sub !== 'string' && typeof sid !== 'string') throw new Error('it names neither a subject nor a session')
    return payload
  } catch (error) {
    const answer = toSignInError(error)
    deps.log.info({ reason: faultOf(error) }, 'a logout token was refused')
    if (answer instanceof ApiError && answer.code === 'unavailable') throw answer
    throw Object.assign(notValid(), { cause: error })
  }
}
