import { HOUR_MS, type PasswordResetConfirmBody } from '@vedette/shared'
import { composeMail, takeUnconfirmedMail } from '../../notifying/mail/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { ApiError } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Language } from '../../platform/language/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Mail, Mailer } from '../../platform/mail.ts'
import { randomBytes } from '../../platform/crypto/random.ts'
import { processLeased } from '../../platform/concurrency/process-leased.ts'
import { type Origin, recordAccountEvent } from './account-event.ts'
import { replacePassword, requireGoodPassword } from './account.ts'
import { findEmail, markVerified } from './email-store.ts'
import { hashPassword } from './password.ts'
import type { OpenedSession } from './refresh.ts'
import * as resetStore from './reset-store.ts'
import { verifySecondFactor, consumeFactor } from './second-factor.ts'
import { hashSecret } from './secret-token.ts'
import { normalizeEmail, type SignInDeps } from './service.ts'
import { answersFor, findUserByEmail, languageOfUser, lockUser } from './store.ts'

export interface ResetDeps extends SignInDeps {
  /** Whether a mail server is set up. */
  sendsMail: boolean
}

export interface SendResetsDeps {
  db: Db
  clock: Clock
  log: Log
  mailer: Mailer
  /** Where people reach the product: links in mails begin with it. */
  publicUrl(): string
  ending: AbortSignal
}

const TOKEN_BYTES = 32
const VALID_MS = HOUR_MS
/** Longer than a mail may take, so that no two instances send the same one. */
const LEASE_MS = 60_000
/** A mailbox gets no more than a link a minute, however often somebody asks. */
const PAUSE_MS = 60_000
const AT_ONCE = 5

/**
 * Takes the wish for a link. Work and answer are the same whether or not the e-mail is anyone's. Without mail there is nothing to send; the operator's command line resets passwords then.
 */
export async function requestReset({ db, clock, sendsMail }: ResetDeps, email: string, origin: Origin): Promise<void> {
  const user = await findUserByEmail(db, normalizeEmail(email))
  await recordAccountEvent({ db, clock }, 'password.reset_requested', user?.id, origin)
  if (sendsMail) await resetStore.putResetRequest(db, normalizeEmail(email), new Date(clock.now()))
}

/** Sends the links that were asked for. What the mail server does not take is tried again for as long as a link lives. */
export async function sendResets(deps: SendResetsDeps): Promise<void> {
  if (!deps.mailer.isSetUp) return
  const lease = () => {
    const now = deps.clock.now()
    return resetStore.leaseResetRequests(deps.db, new Date(now), new Date(now + LEASE_MS), AT_ONCE)
  }
  await processLeased(lease, (request) => sendReset(deps, request), deps.ending)
}

async function sendReset(deps: SendResetsDeps, { email, requested_at }: resetStore.ResetRequest): Promise<void> {
  const { db, clock, log, mailer } = deps
  const user = await findUserByEmail(db, email)
  const token = user && (await newLink(deps, user.id, requested_at))
  try {
    // A fragment: browsers send it to no server, so no log has it.
    if (user && token !== undefined)
      await mailer.send(resetMail(email, `${deps.publicUrl()}/password-reset#token=${token}`, await languageOfUser(db, user.id)))
  } catch (error) {
    log.warn({ err: error }, 'a link to reset a password could not be sent')
    if (clock.now() - requested_at.getTime() < VALID_MS) return
  }
  await resetStore.deleteResetRequest(db, email)
}

/** A token for the newest and only link of a user; undefined within a minute of the last one that was asked for before. */
async function newLink(deps: SendResetsDeps, userId: string, requestedAt: Date): Promise<string | undefined> {
  const { db, clock } = deps
  const now = clock.now()
  const last = await resetStore.findResetCreation(db, userId)
  // A newer token belongs to this request: the mail server did not take it, or the instance that created it ended before.
  if (!last || last < requestedAt) {
    if (last && now - last.getTime() < PAUSE_MS) return undefined
    if (!(await mayBeMailed(deps, userId))) return undefined
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const times = { createdAt: new Date(now), expiresAt: new Date(now + VALID_MS) }
  await resetStore.putReset(db, { userId, hash: hashSecret(token), ...times })
  return token
}

/** An e-mail that nobody has verified gets as few of these mails as of others. */
async function mayBeMailed({ db, clock, log }: SendResetsDeps, userId: string): Promise<boolean> {
  const at = new Date(clock.now())
  const user = await findEmail(db, userId, at)
  if (!user || user.email_verified_at) return user !== undefined
  const organization = await answersFor(db, userId)
  const { outcome } = await inTransaction(db, (transaction) => takeUnconfirmedMail(transaction, organization, user.email, at))
  if (outcome === 'refused')
    log.warn(
      { user: encodeId('user', userId) },
      'A link to reset a password was not mailed: the unverified e-mail got too many mails',
    )
  return outcome !== 'refused'
}

export function resetMail(to: string, link: string, language: Language): Mail {
  return composeMail({
    to,
    language,
    subject: 'Choose a new password for Vedette',
    paragraphs: [
      'Somebody, most likely you, asked for a new password for your account at Vedette. Choose it here:',
      'The link works once and for one hour. If it was not you, ignore this mail: nothing has changed.',
    ],
    link,
  })
}

/**
 * A new password for who holds the link, and the code of the second factor where there is one. The link is spent only when all is
 * right. `limitEmail` counts the try like a login: the second factor is not to be guessed here.
 * Throws validation_error for a weak password, not_found for a link that is used, expired or none, and as `proveSecondFactor`.
 */
export async function confirmReset(
  deps: SignInDeps,
  body: PasswordResetConfirmBody,
  origin: Origin,
  limitEmail: (email: string) => Promise<void> | void,
): Promise<OpenedSession> {
  requireGoodPassword(body.new_password, 'new_password')
  const hash = hashSecret(body.token)
  const user = await resetStore.findReset(deps.db, hash, new Date(deps.clock.now()))
  if (!user) throw deadLink()
  await limitEmail(user.email)
  const factor = await verifySecondFactor(deps, user.id, body.totp_code, origin)
  const passwordHash = await hashPassword(body.new_password, origin)
  return inTransaction(deps.db, async (db) => {
    await lockUser(db, user.id)
    if (!(await resetStore.takeReset(db, hash, new Date(deps.clock.now())))) throw deadLink()
    if (factor) await consumeFactor(db, user.id, factor)
    await markVerified(db, user.id, new Date(deps.clock.now()))
    return replacePassword(deps, db, user.id, passwordHash, 'user.password_reset', origin, body.remember)
  })
}

const deadLink = (): ApiError => new ApiError('not_found', 'This link was used already or has expired. Ask for a new one.')
