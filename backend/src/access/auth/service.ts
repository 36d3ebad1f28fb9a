import type { LoginBody } from '@vedette/shared'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { type ApiError, unauthorized } from '../../platform/errors.ts'
import { encodeId, newId, newRandomId } from '../../platform/ids.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import type { Outbox } from '../../notifying/mail/index.ts'
import { cleanUserAgent, recordSignInOrigin } from '../security-log/index.ts'
import { rememberAddress } from './known-addresses.ts'
import { hashPassword, needsRehash, verifyPassword } from './password.ts'
import { type Origin, recordAccountEvent } from './account-event.ts'
import { mailNewPlace } from './new-place-mail.ts'
import { type Factor, verifySecondFactor, consumeFactor } from './second-factor.ts'
import { cookieOf, type OpenedSession, startRefresh } from './refresh.ts'
import * as sessionStore from './session-store.ts'
import { REMEMBERED_SECONDS, SESSION_SECONDS, type SessionTokens, signSession } from './session-token.ts'
import * as store from './store.ts'

export interface AuthDeps {
  db: Db
  clock: Clock
  tokens: SessionTokens
  /** For mails about sign-ins from new places; without it none are sent. */
  outbox?: Outbox
}

export interface SignInDeps extends AuthDeps {
  /** Encrypts the secrets of authenticators. */
  encrypter: Encrypter
}

/** A user whose password and, if required, code were verified. */
export interface VerifiedUser {
  id: string
  passwordHash: string
  factor: Factor | undefined
  /** The password hashed with the present parameters, when the stored hash is weaker. */
  rehashed: string | undefined
}

/** E-mails are compared in lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

const wrongPassword = (): ApiError => unauthorized('The e-mail or the password is wrong.')

/** Opens a session for the user of this e-mail, password and code. Throws like `verifyUser`. */
export async function login(deps: SignInDeps, given: LoginBody, origin: Origin): Promise<OpenedSession> {
  const user = await verifyUser(deps, given, origin)
  return inTransaction(deps.db, (db) => openVerifiedSession(deps, db, user, origin, given.remember))
}

/**
 * Verifies e-mail, password and code, and changes nothing but the security log. An unknown e-mail and a wrong password take the same time and give
 * the same error. Throws unauthorized; totp_required when the user has a second factor and there is no code.
 */
export async function verifyUser(deps: SignInDeps, given: LoginBody, origin: Origin): Promise<VerifiedUser> {
  const user = await store.findUserByEmail(deps.db, normalizeEmail(given.email))
  if (!(await verifyPassword(user?.password_hash, given.password, origin)) || !user) {
    await recordAccountEvent(deps, 'sign_in.failed', user?.id, origin)
    throw wrongPassword()
  }
  const factor = await verifySecondFactor(deps, user.id, given.totp_code, origin)
  const rehashed = needsRehash(user.password_hash) ? await hashPassword(given.password, origin) : undefined
  return { id: user.id, passwordHash: user.password_hash, factor, rehashed }
}

/**
 * Opens the session of a verified user in this transaction. The account is compared again: it fails when the password was changed
 * in between, and of two requests with one code only one succeeds. Throws unauthorized.
 */
export async function openVerifiedSession(
  deps: AuthDeps,
  db: Db,
  user: VerifiedUser,
  origin: Origin,
  isRemembered?: boolean,
): Promise<OpenedSession> {
  if ((await store.lockUser(db, user.id)) !== user.passwordHash) throw wrongPassword()
  if (user.factor) await consumeFactor(db, user.id, user.factor)
  if (user.rehashed !== undefined) await store.updatePasswordHash(db, user.id, user.rehashed)
  return openSession(deps, db, user.id, origin.ip, origin.userAgent, isRemembered)
}

/**
 * Stores a session and signs its token; its device keeps one that is remembered, and one that an identity provider opened until its
 * end. The user must have been verified. Inside a transaction pass its `db`.
 */
export async function openSession(
  { clock, tokens, outbox }: AuthDeps,
  db: Db,
  userId: string,
  ip: string,
  userAgent = '',
  isRemembered = false,
  by: sessionStore.SessionProof = {},
): Promise<OpenedSession> {
  const { provided, passkey } = by
  const nowMs = clock.now()
  rememberAddress(ip)
  const expiresAtSeconds = Math.floor(nowMs / 1000) + (isRemembered ? REMEMBERED_SECONDS : SESSION_SECONDS)
  // The token contains the id: random, so that it reveals nothing.
  const id = newRandomId()
  const times = { createdAt: new Date(nowMs), expiresAt: new Date(expiresAtSeconds * 1000) }
  await sessionStore.insertSession(db, { id, userId, ...times, ip, userAgent: cleanUserAgent(userAgent), by })
  const isNewPlace = await recordSignInOrigin(db, userId, { ip, userAgent }, times.createdAt)
  const details = {
    session_id: encodeId('session', id),
    ...(isNewPlace && { new_place: true }),
    ...(provided && { identity_provider: encodeId('identityProvider', provided.provider) }),
    ...(passkey !== undefined && { passkey: encodeId('passkey', passkey) }),
  }
  await recordAccountEvent({ db, clock }, 'sign_in.succeeded', userId, { ip, userAgent }, details)
  if (isNewPlace && outbox) await mailNewPlace(db, outbox, userId, { ip, userAgent }, times.createdAt)
  return {
    session: signSession(tokens, { userId, sessionId: id, ...times }, nowMs),
    cookie: isRemembered || provided ? cookieOf(await startRefresh(db, id), times.expiresAt, nowMs) : undefined,
  }
}

/** Creates a user. The caller has validated and hashed the password, and says whether the e-mail was proven to be theirs. */
export async function createUser(
  db: Db,
  clock: Clock,
  email: string,
  passwordHash: string,
  { isVerified = false, name }: { isVerified?: boolean; name?: string | undefined } = {},
): Promise<string> {
  const id = newId()
  await store.insertUser(db, { id, email: normalizeEmail(email), passwordHash, isVerified, name }, new Date(clock.now()))
  return id
}
