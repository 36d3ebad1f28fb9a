import type { IdKind } from '@vedette/shared'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { encryptedValues } from '../../platform/encrypted-values/encrypted-values.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { type Language, translate } from '../../platform/language/index.ts'
import type { Mail } from '../../platform/mail.ts'
import type { ConfirmLinks } from './confirm-link.ts'
import { PER_ADDRESS, takeUnconfirmedMail, toRateLimited } from './unconfirmed-store.ts'
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

/** For an address that nobody has confirmed. */
export interface Unconfirmed {
  /** What it gets instead. */
  text?: Mail
  /** Adds the link by which it confirms itself: the mail is of a channel that is stored. */
  hasLink?: boolean
  /** Of the text around the link. */
  language?: Language
  /** The organization that answers for a mail about an account. Such a mail counts only where a request chose its address. */
  countsFor?: number
}

export interface Outbox {
  /** Whether a mail server is set up. */
  sendsMail: boolean
  /**
   * Stores the mail, encrypted, with the transaction that is passed; it is sent some seconds after the commit, at least once. Without
   * a mail server nothing is stored. Throws rate_limited where an address that nobody has confirmed, or the organization, has got
   * too many of such mails.
   */
  put(db: Db, subject: MailSubject, mail: Mail, at: Date, unconfirmed?: Unconfirmed): Promise<void>
}

/** Encrypts mails until they are sent. */
export const mailEncrypter = encryptedValues('mail', [{ table: OUTBOX.table, key: ['id'], column: 'payload', form: 'letter' }])

export function createOutbox(encrypter: Encrypter, sendsMail: boolean, links?: Pick<ConfirmLinks, 'urlOf'>): Outbox {
  return {
    sendsMail,
    put: async (
      db,
      { organization, kind: about_kind, id: key },
      mail,
      at,
      { text = mail, hasLink = false, language, countsFor } = {},
    ) => {
      if (!sendsMail) return
      const counting = organization ?? countsFor
      const share = counting === undefined ? undefined : await takeUnconfirmedMail(db, counting, mail.to, at)
      if (share?.outcome === 'refused') throw toRateLimited(share, at.getTime())
      const link = hasLink && counting !== undefined ? links?.urlOf(counting, mail.to) : undefined
      const sent = share?.outcome === 'taken' ? withConfirmLink(text, link, language) : mail
      const id = newId()
      const letter = encrypter.encrypt(Buffer.from(JSON.stringify(sent)), id).toString('base64')
      await enqueue(db, OUTBOX, [{ id, organization: organization ?? NO_ORGANIZATION, key, payload: { about_kind, letter } }], at)
    },
  }
}

const UNCONFIRMED_TEXT = `Nobody has confirmed this address, so it gets at most ${PER_ADDRESS} mails a day. Is it yours? Confirm it:`

function withConfirmLink(mail: Mail, link: string | undefined, language: Language = 'en'): Mail {
  if (link === undefined) return mail
  const question = translate(UNCONFIRMED_TEXT, language)
  const html = `<p>${question} <a href="${link}">${link}</a></p>`
  return { ...mail, text: `${mail.text}\n${question}\n${link}\n`, html: mail.html + html }
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
