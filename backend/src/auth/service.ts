import type { LoginBody, Session } from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import type { Clock } from '../platform/clock.ts'
import { type Db, inTransaction } from '../platform/db/index.ts'
import { type ApiError, unauthorized } from '../platform/errors.ts'
import { newId, newRandomId } from '../platform/ids.ts'
import type { Sealer } from '../platform/sealer.ts'
import { hashPassword, needsRehash, verifyPassword } from './password.ts'
import { type Factor, proveSecondFactor, spendFactor } from './second-factor.ts'
import * as sessionStore from './session-store.ts'
import { SESSION_SECONDS, type SessionTokens } from './session-token.ts'
import * as store from './store.ts'

export interface AuthDeps {
  db: Db
  clock: Clock
  tokens: SessionTokens
}

export interface SignInDeps extends AuthDeps {
  /** Seals the secrets of authenticators. */
  sealer: Sealer
}

/** Where a request comes from, as a session and the audit log remember it. */
export interface Origin {
  ip: string
  /** As the client calls itself. */
  userAgent: string
}

/** A user whose password, and code where one is due, were right a moment ago. */
export interface ProvenUser {
  id: string
  passwordHash: string
  factor: Factor | undefined
  /** The same password by today's parameters, where the stored hash is weaker. */
  rehashed: string | undefined
}

/** One address is one user, however it is capitalised. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

const wrongPassword = (): ApiError => unauthorized('The e-mail or the password is wrong.')

/** Opens a session for the user of this e-mail, password and code. Throws as `proveUser`. */
export async function login(deps: SignInDeps, given: LoginBody, origin: Origin): Promise<Session> {
  const user = await proveUser(deps, given)
  return inTransaction(deps.db, (db) => openProvenSession(deps, db, user, origin))
}

/**
 * Whether someone is who they say, without any effect. An unknown e-mail and a wrong password cost the same work and answer
 * alike. Throws unauthorized; totp_required where the user has a second factor and no code came.
 */
export async function proveUser(deps: SignInDeps, given: LoginBody): Promise<ProvenUser> {
  const user = await store.findUserByEmail(deps.db, normalizeEmail(given.email))
  if (!(await verifyPassword(user?.password_hash, given.password)) || !user) throw wrongPassword()
  const factor = await proveSecondFactor(deps, user.id, given.totp_code)
  const rehashed = needsRehash(user.password_hash) ? await hashPassword(given.password) : undefined
  return { id: user.id, passwordHash: user.password_hash, factor, rehashed }
}

/**
 * The session of a user who was proven, in the transaction that is passed. The proof is held against the account as it is now:
 * a password that was changed in between opens nothing, and of two requests with one code one gets in. Throws unauthorized.
 */
export async function openProvenSession(deps: AuthDeps, db: Db, user: ProvenUser, origin: Origin): Promise<Session> {
  if ((await store.lockUser(db, user.id)) !== user.passwordHash) throw wrongPassword()
  if (user.factor) await spendFactor(db, user.id, user.factor)
  if (user.rehashed !== undefined) await store.updatePasswordHash(db, user.id, user.rehashed)
  return openSession(deps, db, user.id, origin.ip, origin.userAgent)
}

/** Stores a session and signs its token. Inside a transaction pass its `db`. Whose it is has been proven before. */
export async function openSession(
  { clock, tokens }: AuthDeps,
  db: Db,
  userId: string,
  ip: string,
  userAgent = '',
): Promise<Session> {
  const issuedAtSeconds = Math.floor(clock.now() / 1000)
  const exp = issuedAtSeconds + SESSION_SECONDS
  // The id stands in the token: random, so that it tells nothing.
  const id = newRandomId()
  const times = { createdAt: new Date(clock.now()), expiresAt: new Date(exp * 1000) }
  await sessionStore.insertSession(db, { id, userId, ...times, ip, userAgent: cleanUserAgent(userAgent) })
  return { token: tokens.sign({ sub: userId, jti: id, iat: issuedAtSeconds, exp }), expires_at: toTimestamp(exp * 1000) }
}

/** Longer than any browser's. */
const USER_AGENT_LENGTH = 256

/** Shown to people later: nothing in it may break a line, hide or turn the text around it. */
function cleanUserAgent(text: string): string {
  const visible = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return Array.from(visible).slice(0, USER_AGENT_LENGTH).join('')
}

/** A new user; the caller has checked the password's rules and hashed it. */
export async function createUser(db: Db, clock: Clock, email: string, passwordHash: string): Promise<string> {
  const id = newId()
  await store.insertUser(db, { id, email: normalizeEmail(email), passwordHash }, new Date(clock.now()))
  return id
}
