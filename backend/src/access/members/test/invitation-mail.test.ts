import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@vedette/shared'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOptions,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { queuedLink } from '../../../../test/queued-mail.ts'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'

const PASSWORD = 'a long and rare passphrase'

describe('the mail of an invitation', () => {
  let backend: TestBackend
  let second: TestBackend
  let acme: TestOrganization
  let smtp: TestSmtp
  let isRefusing = false
  const logged: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (facts: object) => void logged.push(facts) }
  beforeAll(async () => {
    smtp = await startTestSmtp({ onRcptTo: (_address, _session, done) => (isRefusing ? done(new Error('busy')) : done()) })
    backend = await start({ log })
    second = await start({ log, databaseUrl: backend.databaseUrl, clock: backend.clock })
    acme = await backend.organization('Acme')
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
    await smtp.close()
  })
  afterEach(async () => {
    isRefusing = false
    smtp.mails.splice(0)
    logged.splice(0)
    await backend.pool.db.deleteFrom('mail_outbox').execute()
  })

  const start = (options: TestOptions = {}) =>
    startTestBackend({
      environment: { VEDETTE_SMTP_URL: smtp.url, VEDETTE_PUBLIC_URL: 'https://vedette.example' },
      ...options,
    })
  let counter = 0
  const newEmail = () => `guest${(counter += 1)}@example.com`
  const invite = async (email = newEmail(), on = backend, organization = acme, as?: Credentials) => {
    const answer = await on.call('POST', `/v1/organizations/${organization.id}/members/invite`, {
      as: as ?? (await backend.member(organization, 'owner')),
      body: { email, role: 'member' },
    })
    expect(answer.status).toBe(201)
    const accept_url = answer.body.accept_url ?? (await queuedLink(on, answer.body.id))
    return { ...answer, body: { ...answer.body, accept_url } }
  }
  const tokenOf = ({ body }: Answer): string => /token=([\w-]+)$/.exec(body.accept_url)?.[1] ?? ''
  const accept = (answer: Answer) =>
    backend.call('POST', '/v1/auth/invitations/accept', { body: { token: tokenOf(answer), password: PASSWORD } })
  const queued = () => backend.pool.db.selectFrom('mail_outbox').selectAll().execute()
  const recipients = () => smtp.mails.flatMap(({ to }) => to)
  const audit = async (answer: Answer) => {
    const as = await backend.member(acme, 'owner')
    const { body } = await backend.call('GET', '/v1/audit-events?action=mail.failed', { as })
    return body.audit_events.filter(({ target }: { target: { id: string } }) => target.id === answer.body.id)
  }

  it('goes to the invited with the link, and then nothing of it is left', async () => {
    const answer = await invite('reader@example.com')
    expect(smtp.mails).toEqual([])
    await backend.jobs.sendMails()
    expect(smtp.mails).toHaveLength(1)
    expect(smtp.mails[0]).toMatchObject({ to: ['reader@example.com'], from: 'vedette@vedette.example' })
    expect(smtp.mails[0]?.raw).toMatch(/^Subject: Join Acme on Vedette$/m)
    expect(smtp.mails[0]?.text).toContain(answer.body.accept_url)
    expect(await queued()).toEqual([])
    expect((await accept(answer)).status).toBe(200)
  })

  it('alone has the link: who invites can neither accept for another nor learn whether they have an account', async () => {
    const outsider = await backend.member(await backend.organization('Lure'), 'owner')
    const known = await backend.pool.db.selectFrom('app_user').select('email').executeTakeFirstOrThrow()
    for (const email of [newEmail(), known.email]) {
      const as = outsider
      const [lure] = (await backend.call('GET', '/v1/organizations', { as })).body.organizations
      const body = { email, role: 'member' }
      const answer = await backend.call('POST', `/v1/organizations/${lure.id}/members/invite`, { as, body })
      expect(answer.status).toBe(201)
      expect(Object.keys(answer.body).sort()).toEqual(['email', 'expires_at', 'id', 'invited_at', 'role'])
      expect(await queuedLink(backend, answer.body.id)).toMatch(
        /^https:\/\/vedette\.example\/invitations\/accept#token=[\w-]{43}$/,
      )
    }
  })

  it('is deleted with its organization', async () => {
    const shop = await backend.organization('Shop')
    const as = await backend.member(shop, 'owner')
    await invite(newEmail(), backend, shop, as)
    const body = { name: 'Shop' }
    expect((await backend.call('DELETE', `/v1/organizations/${shop.id}`, { as, body })).status).toBe(204)
    expect(await queued()).toEqual([])
  })

  it('is not waited for: a mail server that says nothing holds no answer', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const environment = { VEDETTE_SMTP_URL: `smtp://127.0.0.1:${port}` }
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment })
    await invite(newEmail(), other)
    expect(sockets).toEqual([])
    await other.close()
    silent.close()
  })

  it('waits encrypted: neither the token nor the e-mail can be read in the database', async () => {
    const answer = await invite('secretive@example.com')
    const [row] = await queued()
    expect(Buffer.from(row?.payload.letter ?? '', 'base64').length).toBeGreaterThan(200)
    for (const text of [tokenOf(answer), 'secretive@example.com', 'Acme']) {
      expect(Buffer.from(row?.payload.letter ?? '', 'base64').includes(text)).toBe(false)
      expect(JSON.stringify(row)).not.toContain(text)
    }
  })

  it('is stored with its invitation or not at all', async () => {
    await invite('again@example.com')
    await backend.jobs.sendMails()
    // A member by now: the transaction that would have queued a mail is rolled back.
    const answer = await invite('soon@example.com')
    await accept(answer)
    const as = await backend.member(acme, 'owner')
    const body = { email: 'soon@example.com', role: 'viewer' }
    const { status } = await backend.call('POST', `/v1/organizations/${acme.id}/members/invite`, { as, body })
    expect(status).toBe(409)
    expect(await queued()).toEqual([])
  })

  it('is sent once by two processes that send at once', async () => {
    const emails = Array.from({ length: 12 }, newEmail)
    const as = await backend.member(acme, 'owner')
    for (const email of emails) await invite(email, backend, acme, as)
    await Promise.all([backend.jobs.sendMails(), second.jobs.sendMails()])
    expect(recipients().sort()).toEqual(emails.sort())
    expect(await queued()).toEqual([])
  })

  it('is tried again after growing pauses while the mail server refuses', async () => {
    isRefusing = true
    const answer = await invite()
    const pauses = [0, 5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, HOUR_MS]
    for (const [tries, pause] of pauses.entries()) {
      backend.clock.advance(Math.max(0, pause - 1))
      await backend.jobs.sendMails()
      expect((await queued())[0]?.attempts, `a moment before ${pause}`).toBe(pause === 0 ? 1 : tries)
      backend.clock.advance(pause === 0 ? 0 : 1)
      await backend.jobs.sendMails()
      expect((await queued())[0]?.attempts, `after ${pause}`).toBe(tries + 1)
    }
    expect(smtp.mails).toEqual([])
    isRefusing = false
    backend.clock.advance(HOUR_MS)
    await second.jobs.sendMails()
    expect(recipients()).toEqual([answer.body.email])
    expect(await queued()).toEqual([])
  })

  it('is given up after a day, which is logged and written down; the invitation stands', async () => {
    isRefusing = true
    const answer = await invite()
    const begun = backend.clock.now()
    while ((await queued()).length > 0 && backend.clock.now() < begun + 48 * HOUR_MS) {
      await Promise.all([backend.jobs.sendMails(), second.jobs.sendMails()])
      backend.clock.advance(30 * MINUTE_MS)
    }
    expect(backend.clock.now() - begun).toBeGreaterThan(23 * HOUR_MS)
    expect(backend.clock.now() - begun).toBeLessThanOrEqual(25 * HOUR_MS)
    expect(logged).toEqual([{ err: expect.any(Error), about: answer.body.id }])
    expect(await audit(answer)).toMatchObject([
      { actor: { type: 'system' }, target: { type: 'invitation', id: answer.body.id }, ip: null },
    ])
    expect(JSON.stringify([logged, await audit(answer)])).not.toContain(tokenOf(answer))
    expect((await accept(answer)).status).toBe(200)
  })

  it.each<[string, (answer: Answer) => Promise<unknown>]>([
    [
      'taken back',
      async ({ body }) =>
        backend.call('DELETE', `/v1/organizations/${acme.id}/invitations/${body.id}`, {
          as: await backend.member(acme, 'owner'),
        }),
    ],
    ['accepted before that', accept],
  ])('is not sent for an invitation that was %s', async (_what, end) => {
    const answer = await invite()
    expect(await end(answer)).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) })
    expect(await queued()).toEqual([])
    await backend.jobs.sendMails()
    expect(smtp.mails).toEqual([])
  })

  it('is not sent with a link that was renewed, nor for an organization that is gone', async () => {
    const email = newEmail()
    const old = await invite(email)
    const renewed = await invite(email)
    await backend.jobs.sendMails()
    expect(smtp.mails).toHaveLength(1)
    expect(smtp.mails[0]?.text).toContain(tokenOf(renewed))
    expect(smtp.mails[0]?.text).not.toContain(tokenOf(old))

    const shop = await backend.organization('Shop')
    await invite(newEmail(), backend, shop)
    const as = await backend.member(shop, 'owner')
    expect((await backend.call('DELETE', `/v1/organizations/${shop.id}`, { as, body: { name: 'Shop' } })).status).toBe(204)
    expect(await queued()).toEqual([])
  })

  it('is sent by another process, without delay, when one is stopped before it has sent it', async () => {
    const connected = Promise.withResolvers<void>()
    const silent = createServer(() => connected.resolve())
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const environment = { VEDETTE_SMTP_URL: `smtp://127.0.0.1:${port}` }
    const ending = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment })
    const { body } = await invite()
    const sending = ending.jobs.sendMails()
    await connected.promise
    await backend.jobs.sendMails()
    expect(smtp.mails).toEqual([])
    ending.jobs.end()
    await sending
    expect(await queued()).toMatchObject([{ attempts: 0 }])
    await backend.jobs.sendMails()
    expect(recipients()).toEqual([body.email])
    await ending.close()
    silent.close()
  })

  it('is sent by another process a minute after one was killed in the middle', async () => {
    const { body } = await invite()
    // What the dead one leaves behind.
    const until = new Date(backend.clock.now() + MINUTE_MS)
    await backend.pool.db.updateTable('mail_outbox').set({ next_attempt_at: until }).execute()
    backend.clock.advance(MINUTE_MS - 1)
    await backend.jobs.sendMails()
    expect(smtp.mails).toEqual([])
    backend.clock.advance(1)
    await backend.jobs.sendMails()
    expect(recipients()).toEqual([body.email])
  })

  it('that no secret opens any more is given up, and holds up no other', async () => {
    const foreign = await start({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      secret: 'a secret that was rotated away a long time ago',
    })
    const as = await backend.apiKey(acme, 'admin')
    const lost = await invite(newEmail(), foreign, acme, as)
    const { body } = await invite()
    await backend.jobs.sendMails()
    expect(recipients()).toEqual([body.email])
    expect(await queued()).toEqual([])
    expect(logged).toMatchObject([{ about: lost.body.id }])
    expect(await audit(lost)).toHaveLength(1)
    await foreign.close()
  })

  it('is not queued where no mail is set up, and what was queued before is given up after a day', async () => {
    const mute = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, log })
    await invite(newEmail(), mute)
    expect(await queued()).toEqual([])
    const before = await invite()
    await mute.jobs.sendMails()
    backend.clock.advance(25 * HOUR_MS)
    await mute.jobs.deleteExpired()
    expect(await queued()).toHaveLength(1)
    backend.clock.advance(1)
    await mute.jobs.deleteExpired()
    expect(await queued()).toEqual([])
    expect(await audit(before)).toHaveLength(1)
    await mute.close()
  })
})
