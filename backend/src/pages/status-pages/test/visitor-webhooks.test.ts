import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type PushService, startPushService } from '../../../../test/push-service.ts'
import { pagesOf } from '../../../../test/status-pages.ts'
import { parseId } from '../../../platform/ids.ts'

let backend: TestBackend
let service: PushService
let organization: TestOrganization
let member: Credentials
let pages: ReturnType<typeof pagesOf>
const environment = { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8', VEDETTE_PUBLIC_URL: 'https://vedette.example.org' }
beforeAll(async () => {
  service = await startPushService()
  backend = await startTestBackend({ environment, visitorTargets: '127.0.0.0/8' })
})
afterAll(async () => {
  await backend.close()
  await service.close()
})
beforeEach(async () => {
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
  pages = pagesOf(backend, organization, member)
  service.hooked.length = 0
  service.answer((response) => void response.writeHead(204).end())
})

const post = (url: string, fields: Record<string, string>, on = backend) =>
  on.call('POST', url, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
const give = (slug: string, url = service.hook, on = backend) => post(`/status/${slug}/subscribe/webhook`, { url }, on)
const send = (method: string, url: string, body?: unknown) => backend.call(method, url, { as: member, body })
const announce = (id: string) =>
  send('POST', `/v1/status-pages/${id}/posts`, { type: 'incident', title: 'Slow', text: 'We look.' })
const rows = () =>
  backend.pool.db.selectFrom('status_subscriber').selectAll().where('organization', '=', organization.number).execute()
const bodies = () => service.hooked.map(({ body }) => JSON.parse(body))
const pathOf = (link: string) => new URL(link).pathname + new URL(link).search

describe('a webhook of a visitor', () => {
  it('gets a signed link alone until that is opened and confirmed, and then posts like those of members [STATUS-107]', async () => {
    const { id, slug } = await pages.page()
    const answer = await give(slug)
    expect([answer.status, String(answer.body)]).toEqual([200, expect.stringContaining('We have sent a link')])
    await announce(id)
    await backend.jobs.sendStepWebhooks()
    expect(bodies()).toMatchObject([{ type: 'status_page.subscription', data: { page: { title: 'Shop status' } } }])
    const { subscription_url: link, secret } = bodies()[0].data
    // The answer does not have what only the receiver may know.
    expect([link.split('/').at(-1), secret].some((own) => String(answer.body).includes(own))).toBe(false)
    expect(String((await backend.call('GET', pathOf(link))).body)).toContain('Confirm')
    await announce(id)
    await backend.jobs.sendStepWebhooks()
    expect(service.hooked).toHaveLength(1)
    expect((await post(pathOf(link), { action: 'confirm' })).status).toBe(200)
    await send('POST', `/v1/status-pages/${id}/subscribers`, { type: 'webhook', url: service.hook })
    await announce(id)
    await backend.jobs.sendStepWebhooks()
    const [, ...posts] = service.hooked
    for (const { headers, body } of service.hooked.filter(({ body }) => body.includes('subscription_url'))) {
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers as Record<string, string>
      expect(new Webhook(secret).sign(id ?? '', new Date(Number(at) * 1000), body)).toBe(signature)
    }
    const [ofVisitor, ofMember] = posts
      .map(({ body }) => JSON.parse(body))
      .toSorted((one) => (one.data.subscription_url ? -1 : 1))
    expect(ofVisitor).toEqual({ ...ofMember, data: { ...ofMember.data, subscription_url: expect.any(String) } })
    expect((await post(pathOf(ofVisitor.data.subscription_url), { action: 'unsubscribe' })).status).toBe(200)
    await announce(id)
    await backend.jobs.sendStepWebhooks()
    expect(service.hooked).toHaveLength(4)
  })

  it('that accepts a link gets no other for 24 hours, and ends then without a confirmation [STATUS-108]', async () => {
    const { slug } = await pages.page()
    const answers = [await give(slug), await give(slug)]
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
    expect(service.hooked).toHaveLength(1)
    backend.clock.advance(24 * 3_600_000 + 1)
    await backend.jobs.deleteExpired()
    expect(await rows()).toEqual([])
    await give(slug)
    expect(service.hooked).toHaveLength(2)
    service.answer((response) => void response.writeHead(500).end())
    await give(slug, `${service.hook}/2`)
    expect((await rows()).length).toBe(1)
  })

  it('is reached at public addresses alone, whatever the settings allow to members [STATUS-109]', async () => {
    const { id, slug } = await pages.page()
    await give(slug)
    await post(pathOf(bodies()[0].data.subscription_url), { action: 'confirm' })
    await announce(id)
    const { databaseUrl, clock } = backend
    const strict = await startTestBackend({ databaseUrl, clock, environment })
    await strict.vedette.copies.run()
    await strict.jobs.sendStepWebhooks()
    expect((await give(slug, `${service.hook}/2`, strict)).status).toBe(200)
    await strict.close()
    expect([service.hooked.length, (await rows()).length]).toEqual([1, 1])
  })

  it.each(['http://example.com/', 'ftp://example.com/', 'https://user:password@example.com/', 'https://', 'example.com'])(
    'must have an HTTPS address without a user: %s is refused [STATUS-110]',
    async (url) => {
      const { slug } = await pages.page()
      expect([(await give(slug, url)).status, await rows()]).toEqual([400, []])
    },
  )

  it('is refused where 100 of a page are not confirmed [STATUS-111]', async () => {
    const { id, slug } = await pages.page()
    await backend.pool.pg.query(
      `insert into status_subscriber (organization, id, page_id, type, config, monitors, created_at)
       select $1, gen_random_uuid(), $2, 'webhook', '{}', '{}', $3 from generate_series(1, 100)`,
      [organization.number, parseId('statusPage', id), new Date(backend.clock.now())],
    )
    expect([(await give(slug)).status, service.hooked]).toEqual([409, []])
  })

  it('ends where the link of its page is renewed, which its messages have [STATUS-112]', async () => {
    const { id, url } = await pages.page({ visibility: 'link' })
    const { pathname, search } = new URL(url)
    expect((await post(`${pathname}/subscribe/webhook`, { url: service.hook })).status).toBe(404)
    expect((await post(`${pathname}/subscribe/webhook${search}`, { url: service.hook })).status).toBe(200)
    await send('POST', `/v1/status-pages/${id}/subscribers`, { type: 'webhook', url: service.hook })
    await send('PATCH', `/v1/status-pages/${id}`, { renew_link: true })
    expect((await rows()).map(({ address_hash: hash }) => hash)).toEqual([null])
  })
})
