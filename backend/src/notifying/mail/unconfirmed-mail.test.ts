import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAlertFixture } from '../../../test/alert-fixture.ts'
import { type Credentials, PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../test/harness.ts'
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
    VEDETTE_NOTIFICATION_GROUP_SECONDS: '0',
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
const linkIn = (text: string | undefined) =>
  /https:\/\/vedette\.example\.org(\/mail-addresses\/confirm\?token=[\w-]+)/.exec(text ?? '')?.[1] ?? ''
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

describe('a notification to an address that nobody has confirmed', () => {
  const to = 'Trent@Example.net'
  const channel = async (id: string) => (await backend.call('GET', `/v1/channels/${id}`, { as: owner })).body

  it('has its text and a link that confirms; beyond three a day it waits, the channel says why, and it is sent once confirmed', async () => {
    const alerts = await createAlertFixture(backend, organization, owner)
    const { id } = await alerts.channel('email', { to })
    expect((await channel(id)).address_confirmed).toBe(false)
    for (let index = 0; index < 4; index += 1) await alerts.open({ summary: `Shop ${index} is down` })
    await alerts.deliver()
    const [first, ...others] = await mailed()
    expect(first?.text).toContain('is down')
    expect(others).toHaveLength(2)
    expect(await alerts.waiting()).toHaveLength(1)
    expect((await channel(id)).last_error).toMatchObject({
      code: 'refused',
      message:
        `${to}, or the organization, has got too many mails today. ` +
        'Nobody has confirmed the address: open the link in a mail that it has got.',
    })

    const link = linkIn(first?.text)
    const page = await backend.call('GET', link)
    expect(page.status).toBe(200)
    expect((await channel(id)).address_confirmed).toBe(false)
    expect((await backend.call('POST', link)).status).toBe(200)
    expect((await channel(id)).address_confirmed).toBe(true)
    backend.clock.advance(60_000)
    await alerts.deliver()
    expect(await alerts.waiting()).toEqual([])
    const mails = await mailed()
    expect(mails).toHaveLength(4)
    expect(linkIn(mails[3]?.text)).toBe('')
    expect((await channel(id)).last_error).toBeNull()
  })

  it('is confirmed by no other link, nor for another organization, nor after the channel sends elsewhere', async () => {
    const alerts = await createAlertFixture(backend, organization, owner)
    const { id } = await alerts.channel('email', { to: 'sybil@example.net' })
    await backend.call('POST', `/v1/channels/${id}/test`, { as: owner })
    const link = linkIn((await mailed())[0]?.text)
    for (const wrong of [`${link.slice(0, -2)}xx`, link.replace(/token=.*/, ''), link.replace(/token=.*/, 'token=x')])
      expect((await backend.call('POST', wrong)).status).toBe(404)
    const other = await backend.organization()
    const foreign = await backend.member(other, 'owner')
    const body = { name: 'mail', type: 'email', config: { to: 'sybil@example.net' } }
    const { id: theirs } = (await backend.call('POST', '/v1/channels', { as: foreign, body })).body
    expect((await backend.call('POST', link)).status).toBe(200)
    expect((await channel(id)).address_confirmed).toBe(true)
    expect((await backend.call('GET', `/v1/channels/${theirs}`, { as: foreign })).body.address_confirmed).toBe(false)
    const moved = { config: { to: 'walter@example.net' } }
    const patched = await backend.call('PATCH', `/v1/channels/${id}`, { as: owner, body: moved })
    expect(patched.body.address_confirmed).toBe(false)
    expect((await backend.call('POST', link)).status).toBe(404)
  })
})

describe('the page that confirms an address', () => {
  it('is in the language of the organization, and of the browser where the link is not valid', async () => {
    await backend.call('PATCH', `/v1/organizations/${organization.id}`, { as: owner, body: { language: 'de' } })
    const alerts = await createAlertFixture(backend, organization, owner)
    await alerts.channel('email', { to: 'judy@example.net' })
    await alerts.open()
    await alerts.deliver()
    const link = linkIn((await mailed())[0]?.text)
    expect((await backend.call('GET', link)).body).toMatch(/<html lang="de">.*Benachrichtigungen an judy@example\.net senden/)
    expect((await backend.call('POST', link)).body).toContain('Die Adresse ist bestätigt')
    const headers = { 'accept-language': 'de' }
    expect((await backend.call('GET', `${link}x`, { headers })).body).toMatch(/<html lang="de">.*Dieser Link gilt nicht/)
    expect((await backend.call('GET', `${link}x`)).body).toMatch(/<html lang="en">.*This link is not valid/)
  })
})

describe('a mail about an account whose address a request chose', () => {
  it('counts like the others: the change of an e-mail, and the reset of a password', async () => {
    const change = (email: string) => backend.call('POST', '/v1/auth/email', { as: owner, body: { email, password: PASSWORD } })
    const email = 'peggy@example.net'
    expect([(await change(email)).status, (await invite(email)).status, (await change(email)).status]).toEqual([200, 201, 200])
    const refused = await change(email)
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])

    const own = (await backend.call('GET', '/v1/auth/me', { as: owner })).body.email
    smtp.mails.length = 0
    for (let index = 0; index < 5; index += 1) {
      await backend.call('POST', '/v1/auth/password-reset', { body: { email: own } })
      await backend.jobs.sendResets()
      backend.clock.advance(61_000)
    }
    expect(smtp.mails.filter(({ raw }) => raw.includes('/password-reset#token='))).toHaveLength(3)
  })
})
