import type { IdKind } from '@vedette/shared'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Mail } from '../../platform/mail.ts'
import { takeUnconfirmedMail, toRateLimited } from './unconfirmed-store.ts'
import { deleteJobs, enqueue, type Queue } from '../../platform/queue/index.ts'

/** What a mail is about. */
export interface MailSubject {
  /** Absent where it is about a person's account. */
  organization?: number
  kind: IdKind
  id: string
}

/** In place of an organization: the mail is about a person's account. */
export const NO_ORGANIZATION = 0

/** Mails that wait to be sent. The key is the id of what they are about; `letter` is the encrypted mail in base64. */
export const OUTBOX: Queue<{ about_kind: IdKind; letter: string }> = {
  table: 'mail_outbox',
  concurrency: 5,
  isOrdered: false,
  retrySpread: 0,
}

export interface Outbox {
  /** Whether a mail server is set up. */
  sendsMail: boolean
  /**
   * Stores the mail, encrypted, with the transaction that is passed; it is sent some seconds after the commit, at least once. Without
   * a mail server nothing is stored.
   */
  put(db: Db, subject: MailSubject, mail: Mail, at: Date): Promise<void>
  /**
   * Stores a mail that a request causes to an address of its choice. An address that nobody has confirmed gets `toUnconfirmed`. Throws
   * rate_limited where it, or the organization, has got too many of them.
   */
  putRequested(db: Db, subject: MailSubject & { organization: number }, mail: Mail, at: Date, toUnconfirmed?: Mail): Promise<void>
}

/** Encrypts mails until they are sent. */
export const mailEncrypter = encryptedValues('mail', [{ table: OUTBOX.table, key: ['id'], column: 'payload', form: 'letter' }])

export function createOutbox(encrypter: Encrypter, sendsMail: boolean): Outbox {
  const put: Outbox['put'] = async (db, { organization = NO_ORGANIZATION, kind: about_kind, id: key }, mail, at) => {
    if (!sendsMail) return
    const id = newId()
    const letter = encrypter.encrypt(Buffer.from(JSON.stringify(mail)), id).toString('base64')
    await enqueue(db, OUTBOX, [{ id, organization, key, payload: { about_kind, letter } }], at)
  }
  return {
    sendsMail,
    put,
    putRequested: async (db, subject, mail, at, toUnconfirmed = mail) => {
      if (!sendsMail) return
      const share = await takeUnconfirmedMail(db, subject.organization, mail.to, at)
      if (share.outcome === 'refused') throw toRateLimited(share, at.getTime())
      await put(db, subject, share.outcome === 'confirmed' ? mail : toUnconfirmed, at)
    },
  }
}

/** Deletes all mails of an organization. Run it in the transaction that deletes the organization. */
export async function deleteMailsOf(db: Db, organization: number): Promise<void> {
  await deleteJobs(db, OUTBOX.table, organization)
}

/** Deletes all mails about a person's account. */
export async function deleteAccountMails(db: Db, userId: string): Promise<void> {
  await deleteMailsAbout(db, NO_ORGANIZATION, [userId])
}

/** Deletes mails about something that has ended. One that is being sent at this moment is sent all the same. */
export async function deleteMailsAbout(db: Db, organization: number, ids: readonly string[]): Promise<void> {
  await deleteJobs(db, OUTBOX.table, organization, { keys: ids })
}
