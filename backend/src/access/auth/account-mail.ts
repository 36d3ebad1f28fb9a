import { toTimestamp } from '@vedette/shared'
import { composeMail, type Outbox } from '../../notifying/mail/index.ts'
import type { Db } from '../../platform/db/index.ts'
import * as store from './store.ts'

/** What a mail says about a change of an account: its subject, and what to do if it was somebody else. */
const CHANGES = {
  password: ['Your password has changed', 'All sessions have ended. If it was not you, reset your password.'],
  factorEnabled: [
    'Two-factor authentication is enabled',
    'Your other sessions have ended. If it was not you, ask the operator to run vedette user reset-totp, and change your password.',
  ],
  factorDisabled: ['Two-factor authentication is disabled', 'If it was not you, change your password.'],
  passkeyAdded: [
    'A passkey was added',
    'It signs in without your password. If it was not you, remove it under Settings, Security, and change your password.',
  ],
  passkeyRemoved: ['A passkey was removed', 'Its sessions have ended. If it was not you, change your password.'],
  wrongCodes: [
    'Wrong codes of your second factor',
    'Somebody entered five wrong codes after your right password. If it was not you, change your password.',
  ],
  copiedCookie: [
    'A session was ended',
    'A device that you keep signed in sent a cookie that had been replaced: somebody may have copied it. If you do not know the address, change your password.',
  ],
  apiKey: ['A new API key', 'You created an API key. If it was not you, revoke it in the settings, and change your password.'],
} as const

/** Mails a person that their account has changed, and from which address; nothing without a mail server. Run in the transaction. */
export async function mailAccountChange(
  db: Db,
  outbox: Outbox | undefined,
  userId: string,
  change: keyof typeof CHANGES,
  ip: string | null,
  at: Date,
): Promise<void> {
  const user = outbox?.sendsMail ? await store.findUserById(db, userId) : undefined
  if (!outbox || !user) return
  const [subject, advice] = CHANGES[change]
  const when = `${toTimestamp(at.getTime()).slice(0, 16).replace('T', ' ')} UTC`
  const language = await store.languageOfUser(db, userId)
  const paragraphs = [`${subject}: ${when}, from ${ip ?? 'the command line'}.`, advice]
  await outbox.put(
    db,
    { kind: 'user', id: userId },
    composeMail({ to: user.email, language, subject: `${subject} (Vedette)`, paragraphs }),
    at,
  )
}
