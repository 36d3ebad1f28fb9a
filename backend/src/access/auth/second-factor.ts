import { hash } from 'node:crypto'
import { generateSecret, generateURI, verify } from 'otplib/functional'
import type { Clock } from '../../platform/time/clock.ts'
import type { Outbox } from '../../notifying/mail/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { ApiError, unauthorized } from '../../platform/errors.ts'
import { randomBytes } from '../../platform/crypto/random.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { type Origin, recordAccountEvent } from './account-event.ts'
import { mailAccountChange } from './account-mail.ts'
import * as store from './totp-store.ts'

export interface FactorDeps {
  db: Db
  clock: Clock
  /** Encrypts the secrets of authenticators. */
  encrypter: Encrypter
  /** For mails about the account. */
  outbox?: Outbox
}

/** A valid code: the time step or recovery code that its use consumes. A time step is stored with its re-encrypted secret. */
export type Factor = { step: number; secret: Buffer } | { recoveryHash: Buffer }

/** The defaults of all authenticators: SHA-1, six digits, 30 s. */
const STEP_SECONDS = 30
const RECOVERY_CODES = 10
/** 80 random bits cannot be guessed, so a fast hash is enough. */
const RECOVERY_BYTES = 10
const RECOVERY_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** A new secret for an authenticator: encrypted to be stored, in base32 and as a URL to be shown once. */
export function newTotpSecret({ encrypter }: FactorDeps, user: { id: string; email: string }) {
  const secret = generateSecret()
  const url = generateURI({ issuer: 'Vedette', label: user.email, secret })
  return { secret, url, encrypted: encrypter.encrypt(Buffer.from(secret), user.id) }
}

/** Codes to be shown once, with the only form in which they are stored. */
export function newRecoveryCodes(): { code: string; hash: Buffer }[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const bits = BigInt(`0x${randomBytes(RECOVERY_BYTES).toString('hex')}`)
    const digits = Array.from({ length: 16 }, (_, index) => RECOVERY_ALPHABET[Number((bits >> BigInt(index * 5)) & 31n)])
    const code = digits.join('')
    return { code: code.replaceAll(/(.{4})(?=.)/g, '$1-'), hash: hashRecoveryCode(code) }
  })
}

const hashRecoveryCode = (code: string): Buffer => hash('sha256', code, 'buffer')

/** Ignores spaces, dashes and case, and reads letters that look like digits as digits. */
function plain(code: string): string {
  const text = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^\d{6}$/.test(text) ? text : text.replaceAll('o', '0').replaceAll(/[il]/g, '1')
}

/** Whether it is of an authenticator, not a recovery code. */
const isStepCode = (code: string): boolean => /^\d{6}$/.test(plain(code))

/** What the code would consume; undefined for a wrong or used code. Consumes nothing. */
export async function matchCode(
  deps: FactorDeps,
  userId: string,
  totp: store.TotpRow,
  code: string,
): Promise<Factor | undefined> {
  const given = plain(code)
  if (isStepCode(given)) return matchStep(deps, userId, totp, given)
  const recoveryHash = hashRecoveryCode(given)
  return (await store.hasRecoveryCode(deps.db, userId, recoveryHash)) ? { recoveryHash } : undefined
}

/** The present, the previous or the next time step: clocks differ, and typing takes time. */
async function matchStep(
  { clock, encrypter }: FactorDeps,
  userId: string,
  totp: store.TotpRow,
  token: string,
): Promise<Factor | undefined> {
  const secret = encrypter.decrypt(totp.secret, userId)
  if (!secret) return undefined
  const epoch = Math.floor(clock.now() / 1000)
  const result = await verify({ secret: secret.toString(), token, epoch, epochTolerance: STEP_SECONDS })
  if (!result.valid || !('timeStep' in result) || result.timeStep <= totp.last_step) return undefined
  // Re-encrypted, so that rotated keys are no longer needed.
  return { step: result.timeStep, secret: encrypter.encrypt(secret, userId) }
}

/** Consumes the code in the transaction of the login. Throws unauthorized when another request consumed it first. */
export async function consumeFactor(db: Db, userId: string, factor: Factor): Promise<void> {
  const isSpent =
    'step' in factor
      ? await store.spendStep(db, userId, factor.step, factor.secret)
      : await store.spendRecoveryCode(db, userId, factor.recoveryHash)
  if (!isSpent) throw wrongCode()
}

export const wrongCode = (): ApiError => unauthorized('The code is wrong or was used already.')

/**
 * Verifies the second factor after the password. Undefined when the user has none. Throws totp_required without a code,
 * unauthorized for a wrong one.
 */
export async function verifySecondFactor(
  deps: FactorDeps,
  userId: string,
  code: string | undefined,
  origin: Origin,
): Promise<Factor | undefined> {
  const totp = await store.findTotp(deps.db, userId)
  if (!totp?.enabled_at) return undefined
  if (code === undefined) {
    throw new ApiError('totp_required', 'Send the code of the authenticator, or a recovery code, as totp_code.')
  }
  return requireCode(deps, userId, totp, code, origin)
}

/** Wrong codes after which their owner gets a mail: who enters them has the password. */
const MAIL_AFTER = 5

/**
 * What a right code would consume. A wrong one is counted: after ten, codes of the authenticator have to wait, longer each time;
 * recovery codes, which nobody can guess, do not. Not inside a transaction that an error rolls back. Throws unauthorized, rate_limited.
 */
export async function requireCode(
  deps: FactorDeps,
  userId: string,
  totp: store.TotpRow,
  code: string,
  origin: Origin,
): Promise<Factor> {
  const at = new Date(deps.clock.now())
  if (totp.retry_at && totp.retry_at > at && isStepCode(code)) {
    const retryAfterSeconds = Math.ceil((totp.retry_at.getTime() - at.getTime()) / 1000)
    const message = `Too many wrong codes. Try again in ${retryAfterSeconds} s, or use a recovery code.`
    throw new ApiError('rate_limited', message, { retryAfterSeconds })
  }
  const factor = await matchCode(deps, userId, totp, code)
  if (factor) return factor
  await inTransaction(deps.db, async (db) => {
    const failures = await store.recordFailure(db, userId, at)
    await recordAccountEvent({ ...deps, db }, 'second_factor.failed', userId, origin)
    if (failures === MAIL_AFTER) await mailAccountChange(db, deps.outbox, userId, 'wrongCodes', origin.ip, at)
  })
  throw wrongCode()
}
