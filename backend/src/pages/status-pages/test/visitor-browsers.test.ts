import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type BrowserSubscription, type PushService, startPushService } from '../../../../test/push-service.ts'
import { pagesOf } from '../../../../test/status-pages.ts'
import { parseId } from '../../../platform/ids.ts'

let backend: TestBackend
let service: PushService
let organization: TestOrganization
let member: Credentials
let pages: ReturnType<typeof pagesOf>
let environment: Record<string, string>
const lines: string[] = []
const write = (facts: object, message: string) => {
  const whole = (_key: string, value: unknown) => (value instanceof Error ? `${value.message} ${value.stack}` : value)
  lines.push(`${message} ${JSON.stringify(facts, whole)}`)
}
beforeAll(async () => {
  service = await startPushService()
  environment = {
    VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
    VEDETTE_PUBLIC_URL: 'https://vedette.example.org',
    VEDETTE_PUSH_HOSTS: `fcm.googleapis.com,${new URL(service.subscribe().endpoint).host}`,
  }
  backend = await startTestBackend({ environment, log: { debug: write, info: write, warn: write, error: write } })
})
afterAll(async () => {
  await backend.close()
  await service.close()
})
beforeEach(async () => {
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
  pages = pagesOf(backend, organization, member)
  service.received.length = 0
  service.answer((response) => void response.writeHead(201).end())
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}, on = backend) =>
  on.call('POST', url, { body: new URLSearchParams(fields).toString(), headers: { ...FORM, ...headers } })
const fieldsOf = ({ endpoint, keys }: BrowserSubscription) => ({ endpoint, ...keys })
const send = (method: string, url: string, body?: unknown, as = member) => backend.call(method, url, { as, body })
const announce = (id: string, own: object = {}) =>
  send('POST', `/v1/status-pages/${id}/posts`, { type: 'incident', title: 'Slow', text: 'We look.', ...own })
const rows = () =>
  backend.pool.db
    .selectFrom('status_subscriber')
    .selectAll()
    .where('organization', '=', organization.number)
    .where('type', '=', 'browser')
    .execute()
const waiting = () =>
  backend.pool.db.selectFrom('subscriber_push').selectAll().where('organization', '=', organization.number).execute()
const listed = async (id: string, as = member) =>
  (await send('GET', `/v1/status-pages/${id}/subscribers`, undefined, as)).body.subscribers
/** Where the forms of an answer lead. */
const pathIn = (body: unknown) => /action="(\/status\/[^"]*\/subscriptions\/[^"]+)"/.exec(String(body))?.[1] ?? ''

/** A browser that is subscribed, and the path of its subscription. */
async function subscribed(slug: string) {
  const subscription = service.subscribe()
  const answer = await post(`/status/${slug}/subscribe/browser`, fieldsOf(subscription))
  expect(answer.status, String(answer.body)).toBe(200)
  service.received.length = 0
  return { ...subscription, path: pathIn(answer.body) }
}
async function titles(of?: string): Promise<unknown[]> {
  await backend.jobs.sendStepPushes()
  return service.received.filter(({ endpoint }) => of === undefined || endpoint === of).map(({ message }) => message['title'])
}

describe('a browser of a visitor', () => {
  it('is subscribed once its push service has taken a first message, and gets each step, encrypted, in one notification [STATUS-94]', async () => {
    const { id, slug, url } = await pages.page()
    const subscription = service.subscribe()
    const answer = await post(`/status/${slug}/subscribe/browser`, fieldsOf(subscription))
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(service.received).toMatchObject([{ endpoint: subscription.endpoint, message: { title: 'Shop status', path: url } }])
    service.received.length = 0
    const { body } = await announce(id)
    await announce(id, { notify: false })
    expect(await titles()).toEqual(['[Shop status] Slow: Investigating'])
    await send('POST', `/v1/status-pages/${id}/posts/${body.id}/updates`, { status: 'resolved', text: 'Done.' })
    expect(await titles()).toEqual(['[Shop status] Slow: Investigating', '[Shop status] Slow: Resolved'])
    expect(service.received.map(({ message }) => message)).toMatchObject([
      { body: 'We look.', tag: body.id, path: url, tone: 'info' },
      { body: 'Done.', tag: body.id, path: url, tone: 'resolved' },
    ])
    expect(new Set(service.received.map(({ headers }) => headers['topic'])).size).toBe(1)
  })

  it('is subscribed once, however often it asks', async () => {
    const { id, slug } = await pages.page()
    const browser = await subscribed(slug)
    const again = await post(`/status/${slug}/subscribe/browser`, fieldsOf(browser))
    expect([again.status, pathIn(again.body) !== '']).toEqual([200, true])
    expect([service.received, (await rows()).length]).toEqual([[], 1])
    await announce(id)
    expect(await titles()).toHaveLength(1)
  })

  it('is not stored where its push service does not accept the first message [STATUS-95]', async () => {
    const { slug } = await pages.page()
    for (const status of [410, 500]) {
      service.answer((response) => void response.writeHead(status).end())
      const answer = await post(`/status/${slug}/subscribe/browser`, fieldsOf(service.subscribe()))
      expect([answer.status, String(answer.body).includes('did not accept')]).toEqual([400, true])
    }
    expect(await rows()).toEqual([])
  })

  it('with an endpoint that is not one of a push service gets nothing, and is not stored [STATUS-96]', async () => {
    const { slug } = await pages.page()
    const { endpoint, keys } = service.subscribe()
    for (const hostile of [
      endpoint.replace('127.0.0.1', 'localhost'),
      endpoint.replace(/:\d+/, ':1'),
      endpoint.replace('://', '://fcm.googleapis.com@'),
      endpoint.replace('https', 'http'),
      'https://',
    ])
      expect((await post(`/status/${slug}/subscribe/browser`, { endpoint: hostile, ...keys })).status, hostile).toBe(400)
    expect([service.received, await rows()]).toEqual([[], []])
  })

  it('gets posts about its components, and those about the whole page [STATUS-97]', async () => {
    const [shop, mail] = [await pages.monitor({ name: 'Shop' }), await pages.monitor({ name: 'Mail' })]
    const { id, slug } = await pages.page({ sections: [{ name: 'All', monitors: [shop.wireId, mail.wireId] }] })
    const { path } = await subscribed(slug)
    const saved = await post(path, { action: 'save', [shop.wireId]: 'on' })
    expect(String(saved.body)).toContain('checked')
    await announce(id, { monitors: [mail.wireId], title: 'Mail' })
    await announce(id, { monitors: [shop.wireId], title: 'Shop' })
    await announce(id, { title: 'All' })
    expect(await titles()).toEqual(['[Shop status] Shop: Investigating', '[Shop status] All: Investigating'])
    expect((await post(path, { action: 'unsubscribe' })).status).toBe(200)
    await announce(id)
    expect([(await titles()).length, await rows()]).toEqual([2, []])
  })

  it('that has unsubscribed (404 or 410) is removed with what waits for it [STATUS-98]', async () => {
    const { id, slug } = await pages.page()
    for (const status of [404, 410]) {
      service.answer((response) => void response.writeHead(201).end())
      await subscribed(slug)
      service.answer((response) => void response.writeHead(status).end())
      await announce(id)
      await announce(id)
      await titles()
      expect([await rows(), await waiting()]).toEqual([[], []])
    }
  })

  it('gets what its push service did not accept later, in order', async () => {
    const { id, slug } = await pages.page()
    await subscribed(slug)
    service.answer((response) => void response.writeHead(503).end())
    const { body } = await announce(id)
    await send('POST', `/v1/status-pages/${id}/posts/${body.id}/updates`, { text: 'More.' })
    expect(await titles()).toHaveLength(1)
    service.answer((response) => void response.writeHead(201).end())
    backend.clock.advance(60_000)
    await titles()
    expect(service.received.map(({ message }) => message['body'])).toEqual(['We look.', 'We look.', 'More.'])
  })

  it('gets what waited when the program ended in the middle of its queue', async () => {
    const { id, slug } = await pages.page()
    const endpoints = [await subscribed(slug), await subscribed(slug), await subscribed(slug)].map(({ endpoint }) => endpoint)
    await announce(id)
    const { databaseUrl, clock } = backend
    const first = await startTestBackend({ databaseUrl, clock, environment })
    // Without an answer: the end of the program cuts them.
    service.answer(() => first.jobs.end())
    await first.jobs.sendStepPushes()
    await first.close()
    expect(await waiting()).toHaveLength(3)
    service.received.length = 0
    service.answer((response) => void response.writeHead(201).end())
    clock.advance(5_000)
    await titles()
    expect(new Set(service.received.map(({ endpoint }) => endpoint))).toEqual(new Set(endpoints))
    expect(await waiting()).toEqual([])
  })

  it('is subscribed only by visitors who see the page [STATUS-99]', async () => {
    const locked = await pages.page({ visibility: 'password', password: 'a shared word' })
    const linked = await pages.page({ visibility: 'link' })
    const fields = fieldsOf(service.subscribe())
    for (const [slug, status] of [
      [locked.slug, 401],
      [linked.slug, 404],
    ] as const) {
      expect((await post(`/status/${slug}/subscribe/browser`, fields)).status).toBe(status)
      expect((await backend.call('GET', `/status/${slug}/push-worker.js`)).status).toBe(status)
    }
    const unlocked = await post(`/status/${locked.slug}/unlock`, { password: 'a shared word' })
    const cookie = String(unlocked.headers['set-cookie']).split(';')[0] ?? ''
    expect((await post(`/status/${locked.slug}/subscribe/browser`, fields, { cookie })).status).toBe(200)
    const { pathname, search } = new URL(linked.url)
    const form = await backend.call('GET', `${pathname}/subscribe${search}`)
    expect(String(form.body)).toContain(`data-worker="${pathname}/push-worker.js${search}"`)
    expect((await post(`${pathname}/subscribe/browser${search}`, fieldsOf(service.subscribe()))).status).toBe(200)
    expect(service.received.map(({ message }) => message['path'])).toEqual([locked.url, linked.url])
    // The address that a notification opens has the key.
    expect((await send('PATCH', `/v1/status-pages/${linked.id}`, { renew_link: true })).status).toBe(200)
    expect([await listed(linked.id), (await listed(locked.id)).length]).toEqual([[], 1])
  })

  it('is subscribed on the domain of the page too, by a worker of that domain [STATUS-100]', async () => {
    const domain = `push${organization.number}.example.com`
    const made = await pages.page({ domain })
    const { id, domain_record: record } = made as typeof made & { domain_record: { name: string; value: string } }
    backend.txtRecords.set(record.name, [record.value])
    expect((await send('POST', `/v1/status-pages/${id}/verify-domain`)).status).toBe(200)
    await pages.settle()
    const headers = { host: domain, 'accept-encoding': 'identity' }
    const form = await backend.call('GET', '/subscribe', { headers })
    expect(String(form.body)).toContain('action="/subscribe/browser"')
    expect(String(form.body)).toContain('data-worker="/push-worker.js"')
    expect((await backend.call('GET', '/push-worker.js', { headers })).headers['content-type']).toMatch(/^text\/javascript/)
    expect((await post('/subscribe/browser', fieldsOf(service.subscribe()), { host: domain })).status).toBe(200)
    expect(service.received.map(({ message }) => message['path'])).toEqual([`https://${domain}/`])
  })

  it('ends with its page, and with the organization', async () => {
    const { id, slug } = await pages.page()
    const other = await pages.page()
    await subscribed(slug)
    await subscribed(other.slug)
    await announce(id)
    await announce(other.id)
    await send('DELETE', `/v1/status-pages/${id}`)
    // It comes back with its page.
    expect([await titles(), (await rows()).length]).toEqual([['[Shop status] Slow: Investigating'], 2])
    await announce(other.id)
    const as = await backend.member(organization, 'owner')
    expect((await send('DELETE', `/v1/organizations/${organization.id}`, { name: organization.name }, as)).status).toBe(204)
    expect([(await titles()).length, await waiting(), await rows()]).toEqual([1, [], []])
  })

  it('is listed and deleted by members, who do not learn its endpoint [STATUS-101]', async () => {
    const { id, slug } = await pages.page()
    const browser = await subscribed(slug)
    const own = await listed(id)
    expect(own).toMatchObject([{ type: 'browser', email: null, url: null, monitors: [] }])
    expect(JSON.stringify(own)).not.toContain(browser.endpoint.slice(-12))
    const other = await backend.member(await backend.organization(), 'owner')
    const path = `/v1/status-pages/${id}/subscribers/${own[0].id}`
    expect((await send('DELETE', path, undefined, other)).status).toBe(404)
    expect((await send('DELETE', path)).status).toBe(204)
    expect((await backend.call('GET', browser.path)).status).toBe(404)
  })

  it('is refused where the page has 20,000 confirmed subscribers [STATUS-102]', async () => {
    const { id, slug } = await pages.page()
    await backend.pool.pg.query(
      `insert into status_subscriber (organization, id, page_id, type, config, monitors, confirmed_at, created_at)
       select $1, gen_random_uuid(), $2, 'webhook', '{}', '{}', $3, $3 from generate_series(1, 20000)`,
      [organization.number, parseId('statusPage', id), new Date(backend.clock.now())],
    )
    const answer = await post(`/status/${slug}/subscribe/browser`, fieldsOf(service.subscribe()))
    expect([answer.status, service.received]).toEqual([409, []])
  })

  it('is stored encrypted, and its endpoint and keys are in no answer and no log [STATUS-103]', async () => {
    const { id, slug } = await pages.page()
    const [known, refused] = [service.subscribe(), service.subscribe()]
    const answers = [await post(`/status/${slug}/subscribe/browser`, fieldsOf(known))]
    service.answer((response) => void response.writeHead(503).end())
    answers.push(await post(`/status/${slug}/subscribe/browser`, fieldsOf(refused)))
    await announce(id)
    await titles()
    service.answer((response) => void response.writeHead(410).end())
    const stored = JSON.stringify(await rows(), (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    )
    backend.clock.advance(60_000)
    await titles()
    expect([answers.map(({ status }) => status), await rows()]).toEqual([[200, 400], []])
    expect(lines.join('\n')).toContain('A subscriber cannot be reached')
    for (const { endpoint, keys } of [known, refused])
      for (const secret of [endpoint.slice(-12), keys.auth, keys.p256dh])
        expect([stored, lines.join('\n'), ...answers.map(({ body }) => String(body))].some((text) => text.includes(secret))).toBe(
          false,
        )
  })
})

describe('the page on which visitors subscribe', () => {
  it('has no script but its own, and offers e-mail only with a mail server [STATUS-104]', async () => {
    const { slug } = await pages.page()
    const { body, headers } = await backend.call('GET', `/status/${slug}/subscribe`, {
      headers: { 'accept-encoding': 'identity' },
    })
    const policy = String(headers['content-security-policy'])
    const script = /<script>(.*?)<\/script>/s.exec(String(body))?.[1] ?? ''
    const digest = createHash('sha256').update(script).digest('base64')
    expect(policy.split(';').filter((part) => /^(?:default|script|worker|connect)-src/.test(part))).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${digest}'`,
      "worker-src 'self'",
      "connect-src 'self'",
    ])
    expect(String(body)).toContain('<form id="b" hidden')
    expect(String(body)).not.toContain('type="email"')
    expect((await post(`/status/${slug}/subscribe`, { email: 'ada@example.com' })).status).toBe(405)
  })

  it('limits what one address asks for, browsers as well [STATUS-105]', async () => {
    const { slug } = await pages.page()
    const { databaseUrl, clock } = backend
    const limited = await startTestBackend({ databaseUrl, clock, environment: { ...environment, VEDETTE_RATE_LIMITS: 'auth=3' } })
    await limited.vedette.copies.run()
    const statuses: number[] = []
    for (let count = 0; count < 5; count += 1)
      statuses.push((await post(`/status/${slug}/subscribe/browser`, fieldsOf(service.subscribe()), {}, limited)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    await limited.close()
  })

  it('waits for four push services of a page at once', async () => {
    const { slug } = await pages.page()
    const held: { writeHead(status: number): { end(): void } }[] = []
    service.answer((response) => void held.push(response))
    const answers = Array.from({ length: 4 }, () => post(`/status/${slug}/subscribe/browser`, fieldsOf(service.subscribe())))
    await expect.poll(() => held.length).toBe(4)
    expect((await post(`/status/${slug}/subscribe/browser`, fieldsOf(service.subscribe()))).status).toBe(429)
    for (const response of held) response.writeHead(201).end()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('offers browsers only where VEDETTE_PUSH_HOSTS names hosts, and stops pushes to others [STATUS-106]', async () => {
    const { id, slug } = await pages.page()
    await subscribed(slug)
    await announce(id)
    const { databaseUrl, clock } = backend
    const none = await startTestBackend({ databaseUrl, clock, environment: { ...environment, VEDETTE_PUSH_HOSTS: 'none' } })
    await none.vedette.copies.run()
    expect(String((await none.call('GET', `/status/${slug}/subscribe`)).body)).not.toContain('id="b"')
    expect((await post(`/status/${slug}/subscribe/browser`, fieldsOf(service.subscribe()), {}, none)).status).toBe(400)
    await none.jobs.sendStepPushes()
    await none.close()
    expect([service.received, await rows(), await waiting()]).toEqual([[], [], []])
  })
})
