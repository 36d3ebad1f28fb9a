import { type RemoveTotpBody, type TotpSetup, type TotpState, toTimestamp } from '@vedette/shared'
import { type Db, inTransaction } from '../platform/db/index.ts'
import { conflict, invalid, notFound, unauthorized } from '../platform/errors.ts'
import { auditUser } from './account.ts'
import { verifyPassword } from './password.ts'
import type { UserPrincipal } from './principal.ts'
import { type FactorDeps, matchCode, newRecoveryCodes, newTotpSecret, consumeFactor, wrongCode } from './second-factor.ts'
import { type Origin, recordAccountEvent } from './account-event.ts'
import { findUserById, lockUser } from './store.ts'
import { endSessions } from './session-store.ts'
import * as store from './totp-store.ts'

// States of a user's second factor: none → pending (a secret was shown) → enabled (a code came from it) → none.
// A login ignores a pending factor, and another set-up replaces it.

export async function readTotp(db: Db, { userId }: UserPrincipal): Promise<TotpState> {
  const enabledAt = (await store.findTotp(db, userId))?.enabled_at
  if (!enabledAt) return { enabled: false, enabled_at: null, recovery_codes_left: 0 }
  const codesLeft = await store.countRecoveryCodes(db, userId)
  return { enabled: true, enabled_at: toTimestamp(enabledAt.getTime()), recovery_codes_left: codesLeft }
}

/** Makes a secret and recovery codes, which only this answer shows. Throws conflict when a second factor is enabled. */
export async function startTotp(deps: FactorDeps, { userId }: UserPrincipal, origin: Origin): Promise<TotpSetup> {
  const user = await findUserById(deps.db, userId)
  if (!user) throw unauthorized()
  const { secret, url, encrypted } = newTotpSecret(deps, user)
  const codes = newRecoveryCodes()
  await inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
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
 * Enables the set-up that was started, with a code that its authenticator shows. Throws conflict when none was started or it is
 * enabled already, validation_error for a code that does not fit.
 */
export async function confirmTotp(deps: FactorDeps, principal: UserPrincipal, code: string, ip: string): Promise<TotpState> {
  const { userId } = principal
  return inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
    const totp = await store.findTotp(db, userId)
    if (!totp) throw conflict('No second factor is being set up. Start with an empty body.')
    if (totp.enabled_at) throw conflict('A second factor is enabled already.')
    const factor = await matchCode({ ...deps, db }, userId, totp, code)
    // A recovery code proves nothing of the authenticator.
    if (!factor || !('step' in factor)) throw invalid({ path: 'code', message: 'is not the current code of this secret' })
    await consumeFactor(db, userId, factor)
    const at = new Date(deps.clock.now())
    await store.enableTotp(db, userId, at)
    await auditUser(db, userId, ip, { action: 'user.totp_enabled' }, at)
    return readTotp(db, principal)
  })
}

/**
 * Removes the second factor, or a set-up that was not confirmed. The session alone is not enough: the caller needs a code or the
 * password. Throws unauthorized when it is wrong, not_found when there is nothing to remove.
 */
export async function removeTotp(
  deps: FactorDeps,
  { userId }: UserPrincipal,
  body: RemoveTotpBody,
  origin: Origin,
): Promise<void> {
  const { code, password } = body
  if ((code === undefined) === (password === undefined)) {
    throw invalid({ path: 'code', message: 'is required, or the password instead' })
  }
  if (password !== undefined) {
    const user = await findUserById(deps.db, userId)
    if (!(await verifyPassword(user?.password_hash, password, origin.signal))) {
      await recordAccountEvent(deps, 'password.wrong', userId, origin)
      throw unauthorized('The password is wrong.')
    }
  }
  await inTransaction(deps.db, async (db) => {
    await lockUser(db, userId)
    const totp = await store.findTotp(db, userId)
    if (!totp) throw notFound()
    if (code !== undefined && !(await matchCode({ ...deps, db }, userId, totp, code))) throw wrongCode()
    await store.deleteTotp(db, userId)
    if (totp.enabled_at) await auditUser(db, userId, origin.ip, { action: 'user.totp_disabled' }, new Date(deps.clock.now()))
  })
}

/**
 * Removes the second factor, or a set-up that was not confirmed, with the recovery codes, and ends every session: for operators,
 * who are asked for nothing. Gives how many sessions that ended; undefined where there was nothing to remove, and then nothing
 * is changed. Run inside a transaction.
 */
export async function resetTotp(db: Db, userId: string, at: Date): Promise<number | undefined> {
  await lockUser(db, userId)
  if (!(await store.findTotp(db, userId))) return undefined
  await store.deleteTotp(db, userId)
  return endSessions(db, userId, at)
}
