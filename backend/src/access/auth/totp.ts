import { MINUTE_MS, type TotpBody, type TotpSetup, type TotpState, toTimestamp } from '@vedette/shared'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { conflict, invalid, notFound, unauthorized } from '../../platform/errors.ts'
import { mailAccountChange } from './account-mail.ts'
import { auditUser } from './account.ts'
import { verifyPassword } from './password.ts'
import type { UserPrincipal } from './principal.ts'
import { type FactorDeps, matchCode, newRecoveryCodes, newTotpSecret, consumeFactor, requireCode } from './second-factor.ts'
import { type Origin, recordAccountEvent } from './account-event.ts'
import { findUserById, lockUser, type UserRow } from './store.ts'
import { endSessions, findSessionCreation } from './session-store.ts'
import * as store from './totp-store.ts'

// States of a user's second factor: none → pending (a secret was shown) → enabled (a code came from it) → none.
// A login ignores a pending factor, and another set-up replaces it.

export async function readTotp(db: Db, { userId }: UserPrincipal): Promise<TotpState> {
  const enabledAt = (await store.findTotp(db, userId))?.enabled_at
  if (!enabledAt) return { enabled: false, enabled_at: null, recovery_codes_left: 0 }
  const codesLeft = await store.countRecoveryCodes(db, userId)
  return { enabled: true, enabled_at: toTimestamp(enabledAt.getTime()), recovery_codes_left: codesLeft }
}

/** A session this young needs no password to change how its user signs in: its owner has just proven to be them. */
const YOUNG_MS = 5 * MINUTE_MS

/**
 * Makes a secret and recovery codes, which only this answer shows. A session alone is not enough, because it may be stolen: it is younger
 * than five minutes, or the caller sends the password. Throws validation_error without one, unauthorized for a wrong one, conflict
 * when a second factor is enabled.
 */
export async function startTotp(
  deps: FactorDeps,
  principal: UserPrincipal,
  password: string | undefined,
  origin: Origin,
): Promise<TotpSetup> {
  const { userId } = principal
  const user = await requireRecentProof(deps, principal, password, origin)
  const { secret, url, encrypted } = newTotpSecret(deps, user)
  const codes = newRecoveryCodes()
  await inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
    await requireStrongSession(db, principal)
    if ((await store.findTotp(db, userId))?.enabled_at) throw conflict('A second factor is enabled already. Remove it first.')
    await store.putPendingTotp(db, userId, encrypted, new Date(deps.clock.now()))
    await store.replaceRecoveryCodes(
      db,
      userId,
      codes.map(({ hash }) => hash),
    )
    await recordAccountEvent({ ...deps, db }, 'second_factor.started', userId, origin)
  })
  return { secret, otpauth_url: url, recovery_codes: codes.map(({ code }) => code) }
}

/**
 * Enables the set-up that was started, with a code that its authenticator shows. The other sessions of the user end, because they
 * were opened without it. Throws conflict when none was started or it is enabled already, validation_error for a code that does not
 * fit.
 */
export async function confirmTotp(deps: FactorDeps, principal: UserPrincipal, code: string, ip: string): Promise<TotpState> {
  const { userId, sessionId } = principal
  return inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
    await requireStrongSession(db, principal)
    const totp = await store.findTotp(db, userId)
    if (!totp) throw conflict('No second factor is being set up. Start with an empty body.')
    if (totp.enabled_at) throw conflict('A second factor is enabled already.')
    const factor = await matchCode({ ...deps, db }, userId, totp, code)
    // A recovery code proves nothing of the authenticator.
    if (!factor || !('step' in factor)) throw invalid({ path: 'code', message: 'is not the current code of this secret' })
    await consumeFactor(db, userId, factor)
    const at = new Date(deps.clock.now())
    await store.enableTotp(db, userId, at)
    const ended = await endSessions(db, userId, at, sessionId)
    await auditUser(db, userId, ip, { action: 'user.totp_enabled', details: { sessions_ended: ended } }, at)
    await mailAccountChange(db, deps.outbox, userId, 'factorEnabled', ip, at)
    return readTotp(db, principal)
  })
}

/**
 * The user of a session that is younger than five minutes, or who sends the password. Throws validation_error without one,
 * unauthorized for a wrong one.
 */
export async function requireRecentProof(
  deps: { db: Db; clock: Clock },
  { userId, sessionId }: UserPrincipal,
  password: string | undefined,
  origin: Origin,
): Promise<UserRow> {
  const user = await findUserById(deps.db, userId)
  const createdAt = await findSessionCreation(deps.db, sessionId)
  if (!user || !createdAt) throw unauthorized()
  if (password !== undefined) await requirePassword(deps, user, password, origin)
  else if (deps.clock.now() - createdAt.getTime() >= YOUNG_MS)
    throw invalid({ path: 'password', message: 'is required: this session is older than 5 minutes' })
  return user
}

/**
 * Refuses a session by password alone whose user has passkeys and belongs to an organization that demands a second factor: with the
 * password alone nobody may add a factor of their own. Throws conflict.
 */
export async function requireStrongSession(db: Db, { userId, passkey }: UserPrincipal): Promise<void> {
  if (passkey !== undefined || !(await store.hasPasskey(db, userId)) || (await store.hasSecondFactor(db, userId))) return
  const name = await store.findDemand(db, userId)
  if (name !== undefined) throw conflict(`The organization "${name}" demands a second factor: sign in with your passkey first.`)
}

async function requirePassword(
  deps: { db: Db; clock: Clock },
  user: UserRow | undefined,
  password: string,
  origin: Origin,
): Promise<void> {
  if (await verifyPassword(user?.password_hash, password, origin)) return
  await recordAccountEvent(deps, 'password.wrong', user?.id, origin)
  throw unauthorized('The password is wrong.')
}

/**
 * Removes the second factor, or a set-up that was not confirmed. The session alone is not enough: the caller needs a code or the
 * password. Throws unauthorized when it is wrong, not_found when there is nothing to remove.
 */
export async function removeTotp(deps: FactorDeps, { userId }: UserPrincipal, body: TotpBody, origin: Origin): Promise<void> {
  const { code, password } = body
  if ((code === undefined) === (password === undefined)) {
    throw invalid({ path: 'code', message: 'is required, or the password instead' })
  }
  if (password !== undefined) await requirePassword(deps, await findUserById(deps.db, userId), password, origin)
  const current = await store.findTotp(deps.db, userId)
  if (!current) throw notFound()
  const factor = code === undefined ? undefined : await requireCode(deps, userId, current, code, origin)
  await inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
    const totp = await store.findTotp(db, userId)
    if (!totp) throw notFound()
    if (totp.enabled_at && !(await store.hasPasskey(db, userId))) await requireNoDemand(db, userId)
    if (factor) await consumeFactor(db, userId, factor)
    await store.deleteTotp(db, userId)
    if (!totp.enabled_at) return
    const at = new Date(deps.clock.now())
    await auditUser(db, userId, origin.ip, { action: 'user.totp_disabled' }, at)
    await mailAccountChange(db, deps.outbox, userId, 'factorDisabled', origin.ip, at)
  })
}

/** Throws conflict while an organization of the user demands a second factor: this is the last one. */
export async function requireNoDemand(db: Db, userId: string): Promise<void> {
  const name = await store.findDemand(db, userId)
  if (name !== undefined) throw conflict(`The organization "${name}" demands a second factor of its members. Leave it first.`)
}

/**
 * Removes the second factor, or a set-up that was not confirmed, with the recovery codes and all passkeys, and ends every session:
 * for operators, who are asked for nothing. Gives how many sessions that ended; undefined where there was nothing to remove, and then nothing
 * is changed. Run inside a transaction.
 */
export async function resetTotp(db: Db, userId: string, at: Date): Promise<number | undefined> {
  await lockUser(db, userId)
  if (!(await store.findTotp(db, userId)) && !(await store.hasPasskey(db, userId))) return undefined
  await store.deleteTotp(db, userId)
  await store.deletePasskeys(db, userId)
  return endSessions(db, userId, at)
}
