import type { Session } from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { unauthorized } from '../platform/errors.ts'
import { newId, newRandomId } from '../platform/ids.ts'
import { hashPassword, needsRehash, verifyPassword } from './password.ts'
import { SESSION_SECONDS, type SessionTokens } from './session-token.ts'
import * as store from './store.ts'

export interface AuthDeps {
  db: Db
  clock: Clock
  tokens: SessionTokens
}

/** One address is one user, however it is capitalised. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/**
 * Opens a session for the user of this e-mail and password. An unknown e-mail and a wrong password cost the same work and
 * answer alike. Throws unauthorized.
 */
export async function login(deps: AuthDeps, given: { email: string; password: string }, ip: string): Promise<Session> {
  const user = await store.findUserByEmail(deps.db, normalizeEmail(given.email))
  if (!(await verifyPassword(user?.password_hash, given.password)) || !user) {
    throw unauthorized('The e-mail or the password is wrong.')
  }
  if (needsRehash(user.password_hash)) await store.updatePasswordHash(deps.db, user.id, await hashPassword(given.password))
  return openSession(deps, deps.db, user.id, ip)
}

/** Stores a session and signs its token. Inside a transaction pass its `db`. */
export async function openSession({ clock, tokens }: AuthDeps, db: Db, userId: string, ip: string): Promise<Session> {
  const issuedAtSeconds = Math.floor(clock.now() / 1000)
  const exp = issuedAtSeconds + SESSION_SECONDS
  // The id stands in the token: random, so that it tells nothing.
  const id = newRandomId()
  await store.insertSession(db, { id, userId, createdAt: new Date(clock.now()), expiresAt: new Date(exp * 1000), ip })
  return { token: tokens.sign({ sub: userId, jti: id, iat: issuedAtSeconds, exp }), expires_at: toTimestamp(exp * 1000) }
}

/** A new user; the caller has checked the password's rules and hashed it. */
export async function createUser(db: Db, clock: Clock, email: string, passwordHash: string): Promise<string> {
  const id = newId()
  await store.insertUser(db, { id, email: normalizeEmail(email), passwordHash }, new Date(clock.now()))
  return id
}
