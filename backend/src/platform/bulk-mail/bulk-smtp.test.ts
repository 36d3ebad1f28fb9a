import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { MailError } from '../smtp.ts'
import { createBulkMailer } from './bulk-smtp.ts'

const MAIL = { to: 'person@example.com', subject: 'Slow', text: 'We look.', html: '<p>We look.</p>' }

describe('a mail to many people', () => {
  let smtp: TestSmtp
  beforeAll(async () => {
    smtp = await startTestSmtp()
  })
  afterAll(() => smtp.close())

  it('leaves when it is handed over', async () => {
    const mailer = createBulkMailer(smtp.url, 'vedette@example.com')
    const written: boolean[] = []
    const outcome = await mailer.send(MAIL, async (write) => {
      written.push(write())
      return true
    })
    mailer.close()
    expect([outcome, written, smtp.mails.map(({ to }) => to)]).toEqual(['accepted', [true], [['person@example.com']]])
  })

  it('does not leave once its attempt has ended, so that nobody takes it for sent', async () => {
    const before = smtp.mails.length
    const mailer = createBulkMailer(smtp.url, 'vedette@example.com', { limitMs: 150 })
    const ended = Promise.withResolvers<void>()
    const written = Promise.withResolvers<boolean>()
    // The database answers only after the limit.
    const sending = mailer.send(MAIL, async (write) => {
      await ended.promise
      written.resolve(write())
      return false
    })
    await expect(sending).rejects.toBeInstanceOf(MailError)
    ended.resolve()
    expect(await written.promise).toBe(false)
    expect(smtp.mails).toHaveLength(before)
  })
})
