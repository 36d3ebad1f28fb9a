import type { Session } from '@vedette/shared'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Outbox } from '../../notifying/mail/index.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Origin, recordAccountEvent } from './account-event.ts'
import { mailAccountChange } from './account-mail.ts'
import * as store from './refresh-store.ts'
import { rememberAddress } from './known-addresses.ts'
import {
  decideRefresh,
  encodeRefreshToken,
  hashPart,
  newRefreshToken,
  newSalt,
  nextSecret,
  parseRefreshToken,
} from './refresh-token.ts'
import { endSession } from './session-store.ts'
import { REMEMBERED_SECONDS, type SessionTokens, signSession } from './session-token.ts'

/** A session as a response opens it: the token goes into the body, the cookie into a header. */
export interface OpenedSession {
  session: Session
  /** Of a session that its device keeps. */
  cookie: { value: string; maxAgeSeconds: number } | undefined
}

/** The value of a new cookie that refreshes this session. */
export async function startRefresh(db: Db, sessionId: string): Promise<string> {
  const token = newRefreshToken()
  await store.insertRefresh(db, sessionId, hashPart(token.family), hashPart(token.secret))
  return encodeRefreshToken(token)
}

interface RefreshDeps {
  db: Db
  clock: Clock
  tokens: SessionTokens
  outbox?: Outbox
}

/**
 * Whose limit counts a refresh: an office behind one address that opens the same link at once must not use up a limit together.
 * Undefined for a cookie that nobody got from here.
 */
export async function findRefreshingUser(db: Db, cookie: string): Promise<string | undefined> {
  const given = parseRefreshToken(cookie)
  return given && store.findUserOfFamily(db, hashPart(given.family))
}

/**
 * A new token for the session of this cookie, and the next cookie. Undefined for a cookie that is not valid (any more). A cookie
 * that was replaced before ends its session on every instance: somebody copied it. With `isOfWall` the session lives on for another
 * 30 days, but may only read once the time is over that its sign-in gave it. What an identity provider opened ends when that says so.
 */
export async function refreshSession(
  { db, clock, tokens, outbox }: RefreshDeps,
  cookie: string,
  origin: Origin,
  isOfWall = false,
): Promise<OpenedSession | undefined> {
  const given = parseRefreshToken(cookie)
  if (!given) return undefined
  return inTransaction(db, async (db) => {
    const nowMs = clock.now()
    const at = new Date(nowMs)
    const stored = await store.lockRefresh(db, hashPart(given.family), at)
    if (!stored) return undefined
    const { session_id: sessionId, user_id: userId } = stored
    const decision = decideRefresh(stored, given.secret, nowMs)
    if (decision === 'reuse') {
      await endSession(db, userId, sessionId, at)
      const details = { session_id: encodeId('session', sessionId) }
      await recordAccountEvent({ db, clock }, 'session.reuse_detected', userId, origin, details)
      await mailAccountChange(db, outbox, userId, 'copiedCookie', origin.ip, at)
      return undefined
    }
    rememberAddress(origin.ip)
    const salt = decision === 'repeat' && stored.salt ? stored.salt : newSalt()
    const secret = decision === 'keep' ? given.secret : nextSecret(given.secret, salt)
    if (decision === 'rotate') {
      const rotation = { hash: hashPart(secret), previousHash: stored.hash, salt, at }
      await store.rotateRefresh(db, sessionId, rotation)
    }
    const isKept = isOfWall && stored.identity_provider === null
    const expiresAt = isKept ? new Date(nowMs + REMEMBERED_SECONDS * 1_000) : stored.expires_at
    if (isKept) await store.keepForWall(db, sessionId, expiresAt)
    return {
      session: signSession(tokens, { userId, sessionId, expiresAt }, nowMs),
      cookie: cookieOf(encodeRefreshToken({ family: given.family, secret }), expiresAt, nowMs),
    }
  })
}

/** A cookie that ends with its session. */
export const cookieOf = (value: string, expiresAt: Date, nowMs: number): OpenedSession['cookie'] => ({
  value,
  maxAgeSeconds: Math.floor((expiresAt.getTime() - nowMs) / 1000),
})
