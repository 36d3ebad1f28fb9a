import { type ChangePasswordBody, type Me, type PatchMeBody, PERMISSIONS, roleHas, toTimestamp } from '@vedette/shared'
import { type AuditEntry, recordAudit } from '../audit/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { invalid, unauthorized } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import { recordSecurityEvent } from '../security-log/index.ts'
import { mailAccountChange } from './account-mail.ts'
import { type Origin, recordAccountEvent } from './account-event.ts'
import { deleteVerification, findEmail } from './email-store.ts'
import { hashPassword, passwordFault, verifyPassword } from './password.ts'
import type { UserPrincipal } from './principal.ts'
import type { OpenedSession } from './refresh.ts'
import * as resetStore from './reset-store.ts'
import { type AuthDeps, openSession } from './service.ts'
import * as sessionStore from './session-store.ts'
import * as store from './store.ts'
import { findTotp } from './totp-store.ts'

/** The user, and what they may in each organization they belong to. */
export async function readMe(
  { db, clock }: { db: Db; clock: Clock },
  { userId, identityProvider, passkey, onlyReads }: UserPrincipal,
): Promise<Me> {
  const user = await store.findUserById(db, userId)
  const email = await findEmail(db, userId, new Date(clock.now()))
  if (!user || !email) throw unauthorized()
  const [totp, organizations] = [await findTotp(db, userId), await store.listOrganizationsOf(db, userId)]
  return {
    id: encodeId('user', user.id),
    email: user.email,
    name: user.name,
    email_verified: email.email_verified_at !== null,
    pending_email: email.pending_email === user.email ? null : email.pending_email,
    totp_enabled: totp?.enabled_at !== null && totp !== undefined,
    identity_provider_id: identityProvider === undefined ? null : encodeId('identityProvider', identityProvider),
    created_at: toTimestamp(user.created_at.getTime()),
    organizations: organizations.map(
      ({ id, name, role, joined_at, needs_second_factor, weekly_summary, saved_views, quiet_time }) => ({
        id: encodeId('organization', id),
        name,
        role,
        permissions: PERMISSIONS.filter((permission) => roleHas(onlyReads ? 'viewer' : role, permission)),
        joined_at: toTimestamp(joined_at.getTime()),
        needs_second_factor: needs_second_factor && identityProvider === undefined && passkey === undefined,
        weekly_summary,
        saved_views,
        quiet_time,
      }),
    ),
  }
}

/** Changes what the body names. Others rely on names: each organization of the user finds a change in its audit log. */
export async function patchMe(
  deps: { db: Db; clock: Clock },
  principal: UserPrincipal,
  { name }: PatchMeBody,
  ip: string,
): Promise<Me> {
  const { userId } = principal
  return inTransaction(deps.db, async (db) => {
    if ((await store.lockUser(db, userId)) === undefined) throw unauthorized()
    const before = await store.findUserById(db, userId)
    if (name !== undefined && before && before.name !== name) {
      await store.updateUserName(db, userId, name)
      const target = { kind: 'user', id: userId } as const
      const entry = { action: 'user.name_changed', target, details: { name, previous: before.name } } as const
      for (const { number } of await store.listOrganizationsOf(db, userId))
        await recordAudit(db, number, { principal, ip }, entry, new Date(deps.clock.now()))
    }
    return readMe({ ...deps, db }, principal)
  })
}

/** Throws validation_error that names the field when the password may not be anyone's new one. */
export function requireGoodPassword(password: string, path: string): void {
  const fault = passwordFault(password)
  if (fault !== undefined) throw invalid({ path, message: fault })
}

/**
 * A new password for who knows the present one. Every session of the user ends, on every instance, and the answer is a new one.
 * Throws unauthorized for a wrong present password, which ends nothing; validation_error for a weak new one.
 */
export async function changePassword(
  deps: AuthDeps,
  { userId }: UserPrincipal,
  body: ChangePasswordBody,
  origin: Origin,
): Promise<OpenedSession> {
  const wrong = unauthorized('The current password is wrong.')
  const user = await store.findUserById(deps.db, userId)
  if (!(await verifyPassword(user?.password_hash, body.current_password, origin)) || !user) {
    await recordAccountEvent(deps, 'password.wrong', userId, origin)
    throw wrong
  }
  requireGoodPassword(body.new_password, 'new_password')
  const passwordHash = await hashPassword(body.new_password, origin)
  return inTransaction(deps.db, async (db) => {
    // Two changes at once: the password that the second one knew is no longer the present one.
    if ((await store.lockUser(db, userId)) !== user.password_hash) throw wrong
    return replacePassword(deps, db, userId, passwordHash, 'user.password_changed', origin, body.remember)
  })
}

/** What a new password means, however its owner was proven: every session and every link for a reset dies. */
export async function replacePassword(
  deps: AuthDeps,
  db: Db,
  userId: string,
  passwordHash: string,
  action: 'user.password_changed' | 'user.password_reset',
  origin: Origin,
  isRemembered?: boolean,
): Promise<OpenedSession> {
  const at = new Date(deps.clock.now())
  const ended = await setPassword(db, userId, passwordHash, at)
  await auditUser(db, userId, origin.ip, { action, details: { sessions_ended: ended } }, at)
  await mailAccountChange(db, deps.outbox, userId, 'password', origin.ip, at)
  return openSession(deps, db, userId, origin.ip, origin.userAgent, isRemembered)
}

/** Sets a password, ends all sessions of the user and deletes the links that were mailed. Returns how many ended. Run it in a transaction. */
export async function setPassword(db: Db, userId: string, passwordHash: string, at: Date): Promise<number> {
  await store.changePasswordHash(db, userId, passwordHash, at)
  await resetStore.deleteReset(db, userId)
  await deleteVerification(db, userId)
  return sessionStore.endSessions(db, userId, at)
}

/** What the security log calls these actions. */
const SECURITY_TYPE = {
  'user.password_changed': 'password.changed',
  'user.password_reset': 'password.reset',
  'user.totp_enabled': 'second_factor.enabled',
  'user.totp_disabled': 'second_factor.disabled',
  'user.passkey_added': 'passkey.added',
  'user.passkey_removed': 'passkey.removed',
  'user.email_changed': 'email.changed',
  'user.email_verified': 'email.verified',
  'user.email_released': 'email.released',
  'session.ended': 'session.ended',
} as const

/** Writes down what a user did with their own account: once in the security log, and in the audit log of each organization they belong to: it concerns all of them. */
export async function auditUser(
  db: Db,
  userId: string,
  ip: string,
  entry: AuditEntry & { action: keyof typeof SECURITY_TYPE },
  at: Date,
): Promise<void> {
  const actor = { principal: { kind: 'user', userId }, ip } as const
  const target = entry.target ?? { kind: 'user', id: userId }
  await recordSecurityEvent(db, { ...actor, type: SECURITY_TYPE[entry.action], userId, details: entry.details ?? {} }, at)
  for (const { number } of await store.listOrganizationsOf(db, userId)) {
    await recordAudit(db, number, actor, { ...entry, target }, at)
  }
}
