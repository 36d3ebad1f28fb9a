import { type ChangeEmailBody, HOUR_MS, type Me } from '@vedette/shared'
import { composeMail, type Outbox, type Unconfirmed } from '../../notifying/mail/index.ts'
import { randomBytes } from '../../platform/crypto/random.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../platform/db/index.ts'
import { ApiError, conflict, unauthorized } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import { type Origin, recordAccountEvent } from './account-event.ts'
import { auditUser, readMe } from './account.ts'
import * as emailStore from './email-store.ts'
import { verifyPassword } from './password.ts'
import type { UserPrincipal } from './principal.ts'
import { deleteReset } from './reset-store.ts'
import { hashSecret } from './secret-token.ts'
import { type AuthDeps, normalizeEmail } from './service.ts'
import { endSessions } from './session-store.ts'
import { answersFor, languageOfUser, lockUser } from './store.ts'

export interface EmailDeps extends AuthDeps {
  outbox: Outbox
  /** How people reach the dashboard, without a trailing slash. */
  publicUrl(): string
}

const TOKEN_BYTES = 32
const VALID_MS = 24 * HOUR_MS

const taken = (): ApiError => conflict('Another account has this e-mail.')

/**
 * Changes the e-mail of the user, who sends their password. With a mail server it changes once the link that is mailed to the new
 * e-mail is opened; without one at once, and stays unverified. Throws unauthorized for a wrong password; conflict, only without a
 * mail server, where another account has the e-mail; rate_limited where the new one has got too many mails.
 */
export async function changeEmail(deps: EmailDeps, user: UserPrincipal, body: ChangeEmailBody, origin: Origin): Promise<Me> {
  const { userId } = user
  const wrong = unauthorized('The current password is wrong.')
  const at = new Date(deps.clock.now())
  const current = await emailStore.findEmail(deps.db, userId, at)
  if (!(await verifyPassword(current?.password_hash, body.password, origin)) || !current) {
    await recordAccountEvent(deps, 'password.wrong', userId, origin)
    throw wrong
  }
  const email = normalizeEmail(body.email)
  if (email !== current.email) {
    await inTransaction(deps.db, async (db) => {
      if ((await lockUser(db, userId)) !== current.password_hash) throw wrong
      if (!deps.outbox.sendsMail)
        return replaceEmail(deps, db, { userId, from: current.email, to: email, verifiedAt: null }, origin)
      await mailLink(deps, db, userId, email, at)
      await recordAccountEvent({ ...deps, db }, 'email.change_requested', userId, origin, { from: current.email, to: email })
      const notice = [
        `Somebody, most likely you, asked to change the e-mail of your account at Vedette to ${email}.`,
        'It changes once the link in the mail to that address is opened. If it was not you, change your password.',
      ]
      await putMail(deps, db, userId, { to: current.email, subject: 'A new e-mail for your account', paragraphs: notice }, at)
    })
  }
  return readMe(deps, user)
}

/** Mails a link that verifies the present e-mail. Throws conflict where it is verified, or no mail server is configured. */
export async function requestVerification(deps: EmailDeps, { userId }: UserPrincipal): Promise<void> {
  if (!deps.outbox.sendsMail) throw conflict('No mail server is configured, so no link can be mailed.')
  await inTransaction(deps.db, async (db) => {
    const at = new Date(deps.clock.now())
    await lockUser(db, userId)
    const current = await emailStore.findEmail(db, userId, at)
    if (!current) throw unauthorized()
    if (current.email_verified_at) throw conflict('The e-mail is verified already.')
    await mailLink(deps, db, userId, current.email, at)
  })
}

/**
 * Verifies the e-mail of a mailed link; it becomes that of the account. Returns it. Throws not_found for a link that is unknown, used,
 * replaced or expired; conflict where another account has the e-mail by now.
 */
export async function verifyEmail(deps: EmailDeps, token: string, origin: Origin): Promise<string> {
  const hash = hashSecret(token)
  const at = new Date(deps.clock.now())
  const owner = await emailStore.findVerification(deps.db, hash, at)
  if (!owner) throw deadLink()
  const userId = owner.user_id
  return inTransaction(deps.db, async (db) => {
    // Before the link: a change at the same moment locks in the same order.
    await lockUser(db, userId)
    const from = (await emailStore.findEmail(db, userId, at))?.email
    const email = await emailStore.takeVerification(db, hash, at)
    if (from === undefined || email === undefined) throw deadLink()
    if (email !== from) await replaceEmail(deps, db, { userId, from, to: email, verifiedAt: at }, origin)
    else {
      await emailStore.markVerified(db, userId, at)
      await auditUser(db, userId, origin.ip, { action: 'user.email_verified', details: { email } }, at)
    }
    return email
  })
}

/**
 * Takes the e-mail from an account that never proved to own it, for the person who did. Its sessions end; it keeps its password and
 * its organizations, and signs in with an address that cannot exist. Returns false where the e-mail is verified. Run in a transaction.
 */
export async function releaseEmail(deps: AuthDeps, db: Db, userId: string, origin: Origin): Promise<boolean> {
  const at = new Date(deps.clock.now())
  await lockUser(db, userId)
  const current = await emailStore.findEmail(db, userId, at)
  if (!current || current.email_verified_at) return false
  const email = `${encodeId('user', userId)}@unverified.invalid`
  await emailStore.updateEmail(db, userId, email, null)
  await emailStore.deleteVerification(db, userId)
  await deleteReset(db, userId)
  const ended = await endSessions(db, userId, at)
  const details = { from: current.email, to: email, sessions_ended: ended }
  await auditUser(db, userId, origin.ip, { action: 'user.email_released', details }, at)
  return true
}

interface Replacement {
  userId: string
  from: string
  to: string
  verifiedAt: Date | null
}

async function replaceEmail(
  deps: EmailDeps,
  db: Db,
  { userId, from, to, verifiedAt }: Replacement,
  { ip }: Origin,
): Promise<void> {
  const at = new Date(deps.clock.now())
  await emailStore.updateEmail(db, userId, to, verifiedAt).catch((error: unknown) => {
    throw isUniqueViolation(error, 'app_user_email_key') ? taken() : error
  })
  // A link to reset the password went to the previous e-mail.
  await deleteReset(db, userId)
  await auditUser(db, userId, ip, { action: 'user.email_changed', details: { from, to } }, at)
  const notice = [
    `The e-mail of your account at Vedette is ${to} now.`,
    'If it was not you, ask an owner of your organization or the operator for help.',
  ]
  await putMail(deps, db, userId, { to: from, subject: 'The e-mail of your account has changed', paragraphs: notice }, at)
}

async function mailLink(deps: EmailDeps, db: Db, userId: string, email: string, at: Date): Promise<void> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const expiresAt = new Date(at.getTime() + VALID_MS)
  await emailStore.putVerification(db, { userId, email, hash: hashSecret(token), expiresAt })
  const paragraphs = [
    'Confirm that this e-mail belongs to your account at Vedette:',
    'The link works once and for 24 hours. If you did not ask for it, ignore this mail.',
  ]
  const link = `${deps.publicUrl()}/verify-email#token=${token}`
  // A request chose the address.
  const unconfirmed = { countsFor: await answersFor(db, userId) }
  await putMail(deps, db, userId, { to: email, subject: 'Confirm your e-mail', paragraphs, link }, at, unconfirmed)
}

const putMail = async (
  { outbox }: EmailDeps,
  db: Db,
  userId: string,
  letter: Parameters<typeof composeMail>[0],
  at: Date,
  unconfirmed?: Unconfirmed,
) => {
  const mail = composeMail({ ...letter, language: await languageOfUser(db, userId) })
  await outbox.put(db, { kind: 'user', id: userId }, mail, at, unconfirmed)
}

const deadLink = (): ApiError =>
  new ApiError('not_found', 'This link was used already, replaced or has expired. Ask for a new one.')
