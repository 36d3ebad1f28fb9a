import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../test/harness.ts'
import { startTestSmtp, type TestSmtp } from '../../../test/smtp.ts'

let backend: TestBackend
let smtp: TestSmtp
let organization: TestOrganization
let owner: Credentials
beforeAll(async () => {
  smtp = await startTestSmtp()
  const environment = {
    VEDETTE_SMTP_URL: smtp.url,
    VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
    VEDETTE_PUBLIC_URL: 'https://vedette.example.org',
  }
  backend = await startTestBackend({ environment })
})
afterAll(async () => {
  await backend.close()
  await smtp.close()
})
beforeEach(async () => {
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  smtp.mails.length = 0
})

const CHOSEN = 'Buy this now'
const testChannel = async (to: string) => {
  const config = { to, title_template: CHOSEN, text_template: CHOSEN }
  const body = { name: CHOSEN, type: 'email', config }
  return backend.call('POST', '/v1/channels/test', { as: owner, body })
}
const invite = (email: string, { id } = organization, as = owner) =>
  backend.call('POST', `/v1/organizations/${id}/members/invite`, { as, body: { email, role: 'viewer' } })
const mailed = async () => {
  await backend.jobs.sendMails()
  return smtp.mails
}

describe('a mail that a request causes to an address that nobody has confirmed', () => {
  it('has a fixed text where it is a test, with nothing that the caller chose', async () => {
    expect((await testChannel('eve@example.net')).body).toMatchObject({ delivered: true })
    const [mail] = await mailed()
    expect(mail?.to).toEqual(['eve@example.net'])
    expect(mail?.raw).toContain('Subject: Test of an e-mail channel of Vedette')
    expect(mail?.raw).not.toContain(CHOSEN)
  })

  it('is one of three a day, over all ways in which it starts; then the answer is 429 with the time to wait', async () => {
    const to = 'mallory@example.net'
    expect([(await testChannel(to)).status, (await invite(to)).status, (await testChannel(to)).status]).toEqual([200, 201, 200])
    for (const refused of [await testChannel(to), await testChannel(to.toUpperCase())]) {
      expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000)
    }
    expect((await invite(to)).status).toBe(429)
    expect((await backend.call('GET', `/v1/organizations/${organization.id}/invitations`, { as: owner })).body.total).toBe(1)
    const other = await backend.organization()
    expect((await invite(to, other, await backend.member(other, 'owner'))).status).toBe(429)
    expect((await mailed()).map(({ to: [address] }) => address)).toEqual([to, to, to])
  })

  it('is none to a member of the organization whose e-mail is verified: they get what the channel sends', async () => {
    const member = await backend.member(organization, 'member')
    const { email } = (await backend.call('GET', '/v1/auth/me', { as: member })).body
    const verified = { email_verified_at: new Date(backend.clock.now()) }
    await backend.pool.db.updateTable('app_user').set(verified).where('email', '=', email).execute()
    for (let index = 0; index < 4; index += 1) expect((await testChannel(email)).body).toMatchObject({ delivered: true })
    const mails = await mailed()
    expect(mails).toHaveLength(4)
    expect(mails[3]?.raw).toContain(CHOSEN)
  })
})
