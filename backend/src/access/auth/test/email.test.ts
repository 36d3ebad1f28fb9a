import { HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accountMails, verificationToken } from '../../../../test/account-mail.ts'
import { PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import { actionsIn, ascending, person, REFUSED, refusals } from './person.ts'

const ENVIRONMENT = { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9', VEDETTE_PUBLIC_URL: 'https://status.example.org' }
let counter = 0
const newEmail = () => `new${(counter += 1)}@example.com`

describe('the e-mail of an account, with a mail server', () => {
  let backend: TestBackend
  let second: TestBackend
  let organization: TestOrganization
  let smtp: TestSmtp
  beforeAll(async () => {
    smtp = await startTestSmtp({})
    const environment = { ...ENVIRONMENT, VEDETTE_SMTP_URL: smtp.url }
    backend = await startTestBackend({ environment })
    second = await startTestBackend({ environment, databaseUrl: backend.databaseUrl, clock: backend.clock })
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
    await smtp.close()
  })
  beforeEach(async () => {
    organization = await backend.organization()
    smtp.mails.splice(0)
  })

  const change = (as: object, email: string, password = PASSWORD, on = backend) =>
    on.call('POST', '/v1/auth/email', { as, body: { email, password } })
  const verify = (token: string, on = backend) => on.call('POST', '/v1/auth/email/verify', { body: { token } })
  const me = async (as: object) => (await backend.call('GET', '/v1/auth/me', { as })).body

  it('changes when the link in the mail to the new e-mail is opened; the old one gets a notice', async () => {
    const user = await person(backend, organization)
    const email = newEmail()
    const answer = await change(user.as, email.toUpperCase())
    expect([answer.status, answer.body.email, answer.body.pending_email]).toEqual([200, user.email, email])
    expect((await user.login()).status).toBe(200)
    await backend.jobs.sendMails()
    expect(smtp.mails.flatMap(({ to }) => to).sort()).toEqual([email, user.email].sort())
    const link = smtp.mails.find(({ to }) => to.includes(email))?.text ?? ''
    const token = /^https:\/\/status\.example\.org\/verify-email#token=([\w-]{43})$/m.exec(link)?.[1] ?? ''
    expect(smtp.mails.find(({ to }) => to.includes(user.email))?.text).not.toContain(token)
    const verified = await verify(token, second)
    expect([verified.status, verified.body]).toEqual([200, { email }])
    expect(await me(user.as)).toMatchObject({ email, email_verified: true, pending_email: null })
    expect((await user.login()).status).toBe(401)
    expect((await user.login({ email })).status).toBe(200)
    expect((await accountMails(backend, user.userId)).map(({ to, text }) => [to, text.includes(email)])).toEqual([
      [user.email, true],
    ])
    expect((await verify(token)).status).toBe(404)
    const changed = (await actionsIn(backend, organization)).find(({ action }) => action === 'user.email_changed')
    expect(changed?.details).toEqual({ from: user.email, to: email })
  })

  it('stays as it is for a wrong password, and the attempt is in the security log', async () => {
    const user = await person(backend, organization)
    expect((await change(user.as, newEmail(), 'a wrong password')).status).toBe(401)
    expect(await accountMails(backend, user.userId)).toEqual([])
    const as = await backend.member(organization, 'owner')
    const { body } = await backend.call('GET', '/v1/security-events?type=password.wrong', { as })
    expect(body.total).toBe(1)
  })

  it('answers alike for an e-mail that another account has; its link is a conflict', async () => {
    const [user, other] = [await person(backend, organization), await person(backend, organization)]
    const free = await change(user.as, newEmail())
    const taken = await change(user.as, other.email)
    expect(taken.status).toBe(200)
    expect(Object.keys(taken.body)).toEqual(Object.keys(free.body))
    const answer = await verify(await verificationToken(backend, user.userId))
    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict'])
    expect((await me(user.as)).email).toBe(user.email)
    expect((await other.login()).status).toBe(200)
  })

  it('is verified by a link on request, once', async () => {
    const user = await person(backend, organization)
    const request = () => backend.call('POST', '/v1/auth/email/verification', { as: user.as })
    expect((await me(user.as)).email_verified).toBe(false)
    expect((await request()).status).toBe(202)
    const token = await verificationToken(backend, user.userId)
    expect((await Promise.all([verify(token), verify(token, second)])).map(({ status }) => status).sort(ascending)).toEqual([
      200, 404,
    ])
    expect((await me(user.as)).email_verified).toBe(true)
    expect((await request()).status).toBe(409)
    const { body } = await backend.call('GET', `/v1/organizations/${organization.id}/members`, { as: user.as })
    expect(body.members).toContainEqual(expect.objectContaining({ email: user.email, email_verified: true }))
  })

  it('has links that live for 24 hours, and only the newest', async () => {
    const user = await person(backend, organization)
    await change(user.as, newEmail())
    const first = await verificationToken(backend, user.userId)
    await change(user.as, newEmail())
    const newest = await verificationToken(backend, user.userId)
    expect((await verify(first)).status).toBe(404)
    backend.clock.advance(24 * HOUR_MS)
    expect((await verify(newest)).status).toBe(404)
    backend.clock.advance(-1)
    expect((await verify(newest)).status).toBe(200)
    backend.clock.advance(-24 * HOUR_MS + 1)
  })

  it('is not changed by a link from before a new password', async () => {
    const user = await person(backend, organization)
    await change(user.as, newEmail())
    const token = await verificationToken(backend, user.userId)
    const body = { current_password: PASSWORD, new_password: 'another long and rare passphrase' }
    expect((await backend.call('POST', '/v1/auth/password', { as: user.as, body })).status).toBe(200)
    expect((await verify(token)).status).toBe(404)
  })

  it('is of a person only', async () => {
    for (const [path, body] of [
      ['/v1/auth/email', { email: newEmail(), password: PASSWORD }],
      ['/v1/auth/email/verification', undefined],
    ] as const)
      expect(await refusals(backend, organization, 'POST', path, body)).toEqual(REFUSED)
  })
})

describe('the e-mail of an account, without a mail server', () => {
  let backend: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
  })
  afterAll(() => backend.close())

  it('changes at once and is unverified; one of another account is a conflict', async () => {
    const [user, other] = [await person(backend, organization), await person(backend, organization)]
    const change = (email: string) => backend.call('POST', '/v1/auth/email', { as: user.as, body: { email, password: PASSWORD } })
    const email = newEmail()
    expect((await change(email)).body).toMatchObject({ email, email_verified: false, pending_email: null })
    expect((await user.login({ email })).status).toBe(200)
    expect((await change(other.email)).status).toBe(409)
    expect((await backend.call('POST', '/v1/auth/email/verification', { as: user.as })).status).toBe(409)
  })
})
