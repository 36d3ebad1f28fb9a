import { mailEncrypter } from '../src/notifying/mail/index.ts'
import type { Mail } from '../src/platform/mail.ts'
import { createSecrets } from '../src/platform/crypto/installation-secrets.ts'
import { TEST_SECRET, type TestBackend } from './harness.ts'

/** The queued mails about a person's account, oldest first. */
export async function accountMails(backend: TestBackend, userId: string): Promise<Mail[]> {
  const rows = await backend.pool.db
    .selectFrom('mail_outbox')
    .select(['id', 'payload'])
    .where('organization', '=', 0)
    .where('key', '=', userId)
    .orderBy('position')
    .execute()
  const encrypter = mailEncrypter(createSecrets([TEST_SECRET]))
  return rows.map(({ id, payload }) => {
    const text = encrypter.decrypt(Buffer.from(payload.letter, 'base64'), id)
    if (!text) throw new Error('a queued mail could not be decrypted')
    return JSON.parse(text.toString()) as Mail
  })
}

/** The token of the newest link to verify an e-mail that waits in the outbox. */
export async function verificationToken(backend: TestBackend, userId: string): Promise<string> {
  const mails = await accountMails(backend, userId)
  const tokens = mails.map(({ text }) => /\/verify-email#token=([\w-]+)$/m.exec(text)?.[1])
  return tokens.findLast((token) => token !== undefined) ?? ''
}
