import { createSecrets } from '../src/platform/crypto/installation-secrets.ts'
import { mailEncrypter } from '../src/notifying/mail/index.ts'
import { decodeId } from '../src/platform/ids.ts'
import { TEST_SECRET, type TestBackend } from './harness.ts'

/** The link in the queued mail about an invitation; undefined where none waits or `TEST_SECRET` does not open it. */
export async function queuedLink(backend: TestBackend, invitationId: string): Promise<string | undefined> {
  const mails = backend.pool.db.selectFrom('mail_outbox').select(['id', 'payload'])
  const mail = await mails.where('key', '=', decodeId('invitation', invitationId)).executeTakeFirst()
  const letter = Buffer.from(mail?.payload.letter ?? '', 'base64')
  const text =
    mail &&
    mailEncrypter(createSecrets([TEST_SECRET]))
      .decrypt(letter, mail.id)
      ?.toString()
  return text === undefined ? undefined : /https?:[^\s"\\]+token=[\w-]+/.exec(JSON.parse(text).text)?.[0]
}

/** The token in it. */
export async function queuedToken(backend: TestBackend, invitationId: string): Promise<string> {
  return /#token=([\w-]+)$/.exec((await queuedLink(backend, invitationId)) ?? '')?.[1] ?? ''
}
