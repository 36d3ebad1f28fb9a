import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import { startReceiver, type Receiver } from '../../../../test/receiver.ts'
import { parseId } from '../../../platform/ids.ts'
import { pagesOf } from '../../../../test/status-pages.ts'

let backend: TestBackend
let smtp: TestSmtp
let receiver: Receiver
let organization: TestOrganization
let member: Credentials
let pages: ReturnType<typeof pagesOf>
let ip = 0
beforeAll(async () => {
  smtp = await startTestSmtp()
  receiver = await startReceiver()
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
  await receiver.close()
})
beforeEach(async () => {
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
  pages = pagesOf(backend, organization, member)
  // A mail that an earlier test left comes with those of this one, in any order.
  await backend.jobs.sendMails()
  smtp.mails.length = 0
  // Each test begins with a whole budget of mails to unconfirmed addresses.
  await backend.pool.db.deleteFrom('unconfirmed_mail').execute()
  ip += 1
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (url: string, fields: Record<string, string> = {}, headers: Record<string, string> = FORM) =>
  backend.call('POST', url, { body: new URLSearchParams(fields).toString(), headers, ip: `192.0.2.${ip}` })
const get = (url: string) => backend.call('GET', url, { headers: { 'accept-encoding': 'identity' } })
const pathOf = (link: string) => new URL(link).pathname + new URL(link).search
const linkOf = (text: string) => /https:\/\/\S+\/subscriptions\/\S+/.exec(text)?.[0] ?? ''
const announce = (id: string, own: object = {}) =>
  backend.call('POST', `/v1/status-pages/${id}/posts`, {
    as: member,
    body: { type: 'incident', title: 'Slow', text: 'We look.', ...own },
  })
const send = (method: string, url: string, body?: unknown, as = member) => backend.call(method, url, { as, body })

/** Subscribes and returns the path in the mail. */
async function subscribed(slug: string, email: string): Promise<string> {
  expect((await post(`/status/${slug}/subscribe`, { email })).status).toBe(200)
  await backend.jobs.sendMails()
  return pathOf(linkOf(smtp.mails.at(-1)?.text ?? ''))
}
async function confirmed(slug: string, email: string): Promise<string> {
  const path = await subscribed(slug, email)
  expect((await post(path, { action: 'confirm' })).status).toBe(200)
  smtp.mails.length = 0
  return path
}
const recipients = async () => {
  await backend.jobs.sendStepMails()
  return smtp.mails.flatMap(({ to }) => to).toSorted()
}

describe('a subscription by e-mail', () => {
  it('is confirmed by a POST, gets each step once, and ends with one click [STATUS-65]', async () => {
    const { id, slug } = await pages.page()
    const form = await get(`/status/${slug}/subscribe`)
    expect([form.status, form.headers['cache-control'], form.headers['referrer-policy']]).toEqual([
      200,
      'no-store',
      'no-referrer',
    ])
    const path = await subscribed(slug, 'Ada@example.com')
    expect(smtp.mails.map(({ to }) => to)).toEqual([['ada@example.com']])
    // A program that opens the link confirms nothing.
    expect(String((await get(path)).body)).toContain('Confirm')
    await announce(id)
    expect(await recipients()).toEqual(['ada@example.com'])
    smtp.mails.length = 0
    expect(String((await post(path, { action: 'confirm' })).body)).toContain('Your subscription')
    const { body } = await announce(id, { title: 'Slow <b>shop</b>', text: 'We look.\nSoon more.' })
    await announce(id, { notify: false })
    expect(await recipients()).toEqual(['ada@example.com'])
    expect(await recipients()).toEqual(['ada@example.com'])
    const [mail] = smtp.mails
    expect(mail?.raw).toContain('Subject: [Shop status] Slow <b>shop</b>: Investigating')
    expect(mail?.text).toContain('Soon more.')
    expect(mail?.text).toContain(`https://vedette.example.org/status/${slug}`)
    await send('POST', `/v1/status-pages/${id}/posts/${body.id}/updates`, { status: 'resolved', text: 'Done.' })
    expect(await recipients()).toHaveLength(2)
    const header = mail?.raw.replaceAll(/\r\n\s+/g, ' ') ?? ''
    expect(header).toContain('Auto-Submitted: auto-generated')
    expect(header).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    const click = /List-Unsubscribe: <([^>]+)>/.exec(header)?.[1] ?? ''
    expect(String((await get(pathOf(click))).body)).toContain('Unsubscribe')
    await announce(id)
    expect(await recipients()).toHaveLength(3)
    const boundary = { 'content-type': 'multipart/form-data; boundary=x' }
    expect((await post(pathOf(click), { 'List-Unsubscribe': 'One-Click' }, boundary)).status).toBe(200)
    await announce(id)
    expect(await recipients()).toHaveLength(3)
    expect((await get(path)).status).toBe(404)
  })

  it('gets posts about its components, and those about the whole page [STATUS-66]', async () => {
    const [shop, mail] = [await pages.monitor({ name: 'Shop' }), await pages.monitor({ name: 'Mail' })]
    const { id, slug } = await pages.page({ sections: [{ name: 'All', monitors: [shop.wireId, mail.wireId] }] })
    const path = await confirmed(slug, 'ada@example.com')
    await confirmed(slug, 'bob@example.com')
    expect(String((await get(path)).body)).toContain('Shop')
    const saved = await post(path, { action: 'save', [shop.wireId]: 'on', mon_foreign: 'on' })
    expect(String(saved.body)).toContain('checked')
    await announce(id, { monitors: [mail.wireId] })
    expect(await recipients()).toEqual(['bob@example.com'])
    await announce(id, { monitors: [shop.wireId] })
    await announce(id)
    expect(await recipients()).toEqual([
      'ada@example.com',
      'ada@example.com',
      'bob@example.com',
      'bob@example.com',
      'bob@example.com',
    ])
  })

  it('hears only of components that are on the page', async () => {
    const [shop, inner] = [await pages.monitor({ name: 'Shop' }), await pages.monitor({ name: 'payroll-db-internal' })]
    const section = { name: 'All', monitors: [shop.wireId, inner.wireId] }
    const { id, slug } = await pages.page({ sections: [section] })
    await confirmed(slug, 'ada@example.com')
    await announce(id, { monitors: [shop.wireId, inner.wireId] })
    // Before its mail is sent.
    await send('PATCH', `/v1/status-pages/${id}`, { sections: [{ ...section, monitors: [shop.wireId] }] })
    await recipients()
    const { raw = '' } = smtp.mails.at(-1) ?? {}
    expect([raw.includes('Shop'), raw.includes('payroll')]).toEqual([true, false])
  })

  it('ends where the link of its page is renewed: its mails have the key', async () => {
    const { id, slug } = await pages.page()
    const path = await confirmed(slug, 'ada@example.com')
    const webhook = { type: 'webhook', url: 'https://hooks.example.com/status' }
    expect((await send('POST', `/v1/status-pages/${id}/subscribers`, webhook)).status).toBe(201)
    await send('PATCH', `/v1/status-pages/${id}`, { title: 'Another title' })
    expect((await get(path)).status).toBe(200)
    await send('PATCH', `/v1/status-pages/${id}`, { renew_link: true })
    const { subscribers } = (await send('GET', `/v1/status-pages/${id}/subscribers`)).body
    expect(subscribers.map(({ type }: { type: string }) => type)).toEqual(['webhook'])
    await announce(id)
    expect(await recipients()).toEqual([])
  })

  it('opens from the copy of its page, and can be ended while the page is not published [STATUS-67]', async () => {
    const { id, slug } = await pages.page()
    const path = await confirmed(slug, 'ada@example.com')
    await backend.pool.db.updateTable('status_page').set({ title: 'Not announced' }).where('slug', '=', slug).execute()
    expect(String((await get(path)).body)).toContain('Shop status')
    await send('PATCH', `/v1/status-pages/${id}`, { published: false })
    backend.clock.advance(60_000)
    await pages.settle()
    expect((await get(`/status/${slug}`)).status).toBe(404)
    expect(String((await get(path)).body)).toContain('Not announced')
    expect((await post(path, { action: 'unsubscribe' })).status).toBe(200)
    expect((await get(path)).status).toBe(404)
  })

  it('is answered alike for known and unknown addresses, and mailed a bounded number of times [STATUS-68]', async () => {
    const { slug } = await pages.page()
    await confirmed(slug, 'ada@example.com')
    backend.clock.advance(600_000)
    const answers = [
      await post(`/status/${slug}/subscribe`, { email: 'ada@example.com' }),
      await post(`/status/${slug}/subscribe`, { email: 'new@example.com' }),
    ]
    expect(answers.map(({ status, body }) => [status, body])[0]).toEqual(answers.map(({ status, body }) => [status, body])[1])
    await backend.jobs.sendMails()
    expect(smtp.mails.map(({ to }) => to[0])).toEqual(['ada@example.com', 'new@example.com'])
    smtp.mails.length = 0
    for (let count = 0; count < 30; count += 1) {
      ip += 1
      expect((await post(`/status/${slug}/subscribe`, { email: 'flood@example.com' })).status).toBe(200)
    }
    await backend.jobs.sendMails()
    expect(smtp.mails).toHaveLength(1)
  })

  it.each(['', 'ada', 'ada@example', 'ada@example.com\r\nBcc: eve@example.com', 'a@b.cc,d@e.ff', '<a@b.cc>'])(
    'is refused for %j',
    async (email) => {
      const { slug } = await pages.page()
      expect((await post(`/status/${slug}/subscribe`, { email })).status).toBe(400)
    },
  )

  it('is limited by the address of the client [STATUS-69]', async () => {
    const limited = await startTestBackend({ environment: { VEDETTE_SMTP_URL: smtp.url, VEDETTE_RATE_LIMITS: 'auth=3' } })
    const other = await limited.organization()
    const { slug } = await pagesOf(limited, other, await limited.member(other, 'member')).page()
    const statuses: number[] = []
    for (let count = 0; count < 5; count += 1) {
      const body = `email=person${count}%40example.com`
      statuses.push((await limited.call('POST', `/status/${slug}/subscribe`, { body, headers: FORM })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    await limited.close()
  })

  it('has one recipient and the headers of Vedette, whatever a post or the page contains [STATUS-70]', async () => {
    const { id, slug } = await pages.page({ title: 'Shop\r\nBcc: eve@example.com' })
    await confirmed(slug, 'ada@example.com')
    await announce(id, {
      title: 'Slow\r\nBcc: eve@example.com',
      text: '<script>alert(1)</script>\r\n.\r\nMAIL FROM:<eve@example.com>',
    })
    expect(await recipients()).toEqual(['ada@example.com'])
    const [mail] = smtp.mails
    expect(mail?.raw).not.toMatch(/^Bcc:/m)
    expect(mail?.raw).toContain('<p>&lt;script&gt;')
  })

  it('is deleted where it was not confirmed in 24 hours [STATUS-71]', async () => {
    const { slug, id } = await pages.page()
    await subscribed(slug, 'ada@example.com')
    backend.clock.advance(24 * 3_600_000 + 1)
    await backend.jobs.deleteExpired()
    const rows = await backend.pool.db
      .selectFrom('status_subscriber')
      .select('id')
      .where('page_id', '=', parseId('statusPage', id) as string)
      .execute()
    expect(rows).toEqual([])
  })

  it('is taken only from visitors who see the page [STATUS-72]', async () => {
    const locked = await pages.page({ visibility: 'password', password: 'a shared word' })
    expect((await post(`/status/${locked.slug}/subscribe`, { email: 'ada@example.com' })).status).toBe(401)
    const linked = await pages.page({ visibility: 'link' })
    expect((await post(`/status/${linked.slug}/subscribe`, { email: 'ada@example.com' })).status).toBe(404)
    expect((await post(pathOf(linked.url).replace('?', '/subscribe?'), { email: 'ada@example.com' })).status).toBe(200)
  })

  it('is reached only by a token that this installation made [STATUS-73]', async () => {
    const { slug } = await pages.page()
    const path = await confirmed(slug, 'ada@example.com')
    expect((await get(`${path.slice(0, -4)}AAAA`)).status).toBe(404)
    expect((await post(`${path.slice(0, -4)}AAAA`, { action: 'unsubscribe' })).status).toBe(404)
    expect((await get(path)).status).toBe(200)
  })

  it('ends with the page [STATUS-74]', async () => {
    const { id, slug } = await pages.page()
    await confirmed(slug, 'ada@example.com')
    await announce(id)
    await send('DELETE', `/v1/status-pages/${id}`)
    expect(await recipients()).toEqual([])
    const { db, pg } = backend.pool
    const stored = db.selectFrom('status_subscriber').select('id').where('organization', '=', organization.number)
    // It comes back with its page.
    expect(await stored.execute()).toHaveLength(1)
    await pg.query(`update status_page set deleted_at = deleted_at - interval '30 days 1 second'`)
    await backend.jobs.deleteExpired()
    expect(await stored.execute()).toEqual([])
  })
})

describe('subscribers that members add', () => {
  it('are sent signed requests and messages of chats, and the secret is shown once [STATUS-75]', async () => {
    const { id } = await pages.page()
    const made = await send('POST', `/v1/status-pages/${id}/subscribers`, { type: 'webhook', url: receiver.url })
    await send('POST', `/v1/status-pages/${id}/subscribers`, { type: 'slack', url: `${receiver.url}/slack` })
    await send('POST', `/v1/status-pages/${id}/subscribers`, { type: 'teams', url: `${receiver.url}/teams` })
    expect(made.body.secret).toMatch(/^whsec_/)
    const list = (await send('GET', `/v1/status-pages/${id}/subscribers`)).body.subscribers
    expect(JSON.stringify(list)).not.toContain('whsec_')
    await announce(id, { title: 'Slow' })
    await backend.jobs.sendStepWebhooks()
    const signed = receiver.received.find(({ headers }) => headers['webhook-id'] !== undefined)
    const sent = new Webhook(made.body.secret)
    const {
      'webhook-id': webhookId,
      'webhook-signature': signature,
      'webhook-timestamp': timestamp,
    } = (signed?.headers ?? {}) as Record<string, string>
    expect(sent.sign(webhookId as string, new Date(Number(timestamp) * 1000), signed?.body ?? '')).toBe(signature)
    expect(JSON.parse(signed?.body ?? '{}')).toMatchObject({
      type: 'status_page.post',
      data: { post: { title: 'Slow', status: 'investigating' } },
    })
    expect(receiver.received).toHaveLength(3)
  })

  it('must have an address that can be sent to [STATUS-76]', async () => {
    const { id } = await pages.page()
    for (const type of ['webhook', 'slack', 'teams']) {
      const { status, body } = await send('POST', `/v1/status-pages/${id}/subscribers`, { type, url: 'ftp://example.com/' })
      expect([status, body.error.details]).toEqual([400, [{ path: 'url', message: expect.stringContaining('http') }]])
    }
  })

  it('read the words of the page in chats, in its language, and nothing of Vedette [STATUS-77]', async () => {
    const { id, slug } = await pages.page({ language: 'de', title: 'Ladenstatus' })
    for (const type of ['slack', 'teams'])
      await send('POST', `/v1/status-pages/${id}/subscribers`, { type, url: `${receiver.url}/${type}` })
    await announce(id)
    receiver.received.length = 0
    await backend.jobs.sendStepWebhooks()
    const bodies = receiver.received.map(({ body }) => body)
    expect(bodies).toHaveLength(2)
    for (const body of bodies) {
      expect(body).toContain('Ladenstatus')
      expect(body).toContain('Statusseite öffnen')
      expect(body).toContain(`/status/${slug}`)
      expect(body).not.toContain('Vedette')
    }
  })

  it('are masked for who may not change the page [STATUS-78]', async () => {
    const { id, slug } = await pages.page()
    await confirmed(slug, 'ada@example.com')
    await send('POST', `/v1/status-pages/${id}/subscribers`, {
      type: 'slack',
      url: 'https://hooks.slack.com/services/T0/B0/secret',
    })
    const viewer = await backend.member(organization, 'viewer')
    const { body } = await send('GET', `/v1/status-pages/${id}/subscribers`, undefined, viewer)
    expect(body.total).toBe(2)
    expect(JSON.stringify(body)).not.toMatch(/ada@|hooks\.slack/)
    const own = (await send('GET', `/v1/status-pages/${id}/subscribers`)).body.subscribers
    expect(own.map(({ email }: { email: string }) => email)).toContain('ada@example.com')
    for (const subscriber of own)
      expect((await send('DELETE', `/v1/status-pages/${id}/subscribers/${subscriber.id}`)).status).toBe(204)
    expect(parseId('subscriber', own[0].id)).toBeDefined()
  })

  it('must have a URL, and monitors of the page [STATUS-79]', async () => {
    const { id } = await pages.page()
    const wrong = [
      { type: 'webhook', url: 'ftp://example.com' },
      { type: 'email', url: 'https://example.com' },
      { type: 'slack', url: 'https://example.com', monitors: ['mon_nothing'] },
    ]
    for (const body of wrong) expect((await send('POST', `/v1/status-pages/${id}/subscribers`, body)).status).toBe(400)
  })
})
