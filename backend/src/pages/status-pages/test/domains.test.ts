import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { pagesOf } from '../../../../test/status-pages.ts'
import { startTxtServer } from '../../../../test/txt-server.ts'

let backend: TestBackend
let organization: TestOrganization
let member: Credentials
let pages: ReturnType<typeof pagesOf>
beforeAll(async () => {
  backend = await startTestBackend({ environment: { VEDETTE_PUBLIC_URL: 'https://vedette.example.com' } })
})
afterAll(() => backend.close())
beforeEach(async () => {
  backend.txtRecords.clear()
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
  pages = pagesOf(backend, organization, member)
})

let domains = 0
const newDomain = () => `status${(domains += 1)}.example.com`
interface Page {
  id: string
  slug: string
  url: string
  domain_status: string
  domain_record: { name: string; value: string }
}
const make = async (own: object, from = pages) => (await from.page(own)) as unknown as Page
const read = async ({ id }: Page, as = member): Promise<Page> =>
  (await backend.call('GET', `/v1/status-pages/${id}`, { as })).body
const verify = ({ id }: Page, as = member) => backend.call('POST', `/v1/status-pages/${id}/verify-domain`, { as })
const publish = ({ domain_record: { name, value } }: Page) => backend.txtRecords.set(name, [value])
const DAY_MS = 86_400_000

/** As the job does each minute. */
async function pass(ms: number): Promise<void> {
  backend.clock.advance(ms)
  await backend.jobs.checkPageDomains()
}

describe('the domain of a page', () => {
  it('is proven by its TXT record within a minute, and is the address of the page from then on [STATUS-14]', async () => {
    const domain = newDomain()
    const page = await make({ domain })
    await pass(60_000)
    expect(await read(page)).toMatchObject({ domain_status: 'pending', url: `https://vedette.example.com/status/${page.slug}` })
    publish(page)
    await pass(60_000)
    expect(await read(page)).toMatchObject({ domain_status: 'verified', url: `https://${domain}/` })
  })

  it('is verified at once when asked for, which says what was found instead [STATUS-15]', async () => {
    const domain = newDomain()
    const page = await make({ domain })
    const missing = await verify(page)
    expect([missing.status, missing.body.error.message]).toEqual([
      409,
      expect.stringContaining(`There is no TXT record at _vedette.${domain}.`),
    ])
    backend.txtRecords.set(`_vedette.${domain}`, ['something\u0007 else'])
    expect((await verify(page)).body.error.message).toContain('has another value: "something? else"')
    publish(page)
    const verified = await verify(page)
    expect([verified.status, verified.body.domain_status]).toEqual([200, 'verified'])
    const { body: events } = await backend.call('GET', '/v1/audit-events', { as: await backend.member(organization, 'owner') })
    expect(events.audit_events[0]).toMatchObject({ action: 'status_page.domain_verified', details: { domain } })
    expect((await verify(await make({}))).status).toBe(409)
  })

  it('loses its proof when the record is gone for 7 days, and not before [STATUS-16]', async () => {
    const page = await make({ domain: newDomain() })
    publish(page)
    await verify(page)
    backend.txtRecords.clear()
    for (let day = 0; day < 7; day += 1) await pass(DAY_MS)
    // Its session has ended meanwhile.
    const statusNow = async () => (await read(page, await backend.member(organization, 'member'))).domain_status
    expect(await statusNow()).toBe('verified')
    await pass(DAY_MS)
    expect(await statusNow()).toBe('pending')
  })

  it('loses its proof at once with another domain [STATUS-17]', async () => {
    const page = await make({ domain: newDomain() })
    publish(page)
    await verify(page)
    const { body } = await backend.call('PATCH', `/v1/status-pages/${page.id}`, { as: member, body: { domain: newDomain() } })
    expect(body.domain_status).toBe('pending')
    expect((await verify(page)).status).toBe(409)
  })

  it('stays with the organization whose record is there, and goes to the other one when that record is gone [STATUS-18]', async () => {
    const domain = newDomain()
    const first = await make({ domain })
    publish(first)
    await verify(first)
    const other = await backend.organization()
    const outsider = await backend.member(other, 'member')
    const second = await make({ domain }, pagesOf(backend, other, outsider))
    // The record of the first page proves nothing for the second.
    expect(second.domain_record.value).not.toBe(first.domain_record.value)
    expect((await verify(second, outsider)).status).toBe(409)
    backend.txtRecords.set(first.domain_record.name, [first.domain_record.value, second.domain_record.value])
    const taken = await verify(second, outsider)
    expect([taken.status, taken.body.error.message]).toEqual([409, expect.stringContaining('Another status page')])
    expect((await read(first)).domain_status).toBe('verified')
    publish(second)
    expect((await verify(second, outsider)).status).toBe(200)
    expect((await read(first)).domain_status).toBe('pending')
  })

  it('is verified by members of its organization alone [STATUS-19]', async () => {
    const page = await make({ domain: newDomain() })
    expect((await verify(page, await backend.member(organization, 'viewer'))).status).toBe(403)
    expect((await verify(page, await backend.member(await backend.organization(), 'owner'))).status).toBe(404)
  })

  it('is not the host of the installation [STATUS-20]', async () => {
    const body = { name: 'x', slug: 'own-host', title: 'x', domain: 'vedette.example.com' }
    expect((await backend.call('POST', '/v1/status-pages', { as: member, body })).body.error.details).toEqual([
      { path: 'domain', message: 'must not be the host of Vedette itself' },
    ])
  })
})

describe('a request for the own domain of a page', () => {
  interface Raw {
    status: number | undefined
    body: string
  }
  let port: number
  let domain: string
  let page: Page
  beforeEach(async () => {
    port = await backend.listen()
    domain = newDomain()
    page = await make({ domain, title: 'Own domain' })
    publish(page)
    await verify(page)
    backend.clock.advance(60_000)
    await pages.settle()
  })

  const get = (path: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<Raw>((resolve, reject) => {
      const request = httpRequest({ port, host: '127.0.0.1', path, method, headers }, (response) => {
        void text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
      })
      request.on('error', reject).end()
    })
  /** The status line of a request as these bytes. */
  const raw = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
      void text(socket).then((all) => resolve(all), reject)
    })

  it('reaches the page by any form of the name, and by nothing else [STATUS-21]', async () => {
    const forms = [domain, domain.toUpperCase(), `${domain}.`, `${domain}:8443`, `${domain}.:8443`]
    for (const host of forms)
      expect([host, (await get('/', { host })).body]).toEqual([host, expect.stringContaining('Own domain')])
    const others = [
      `x.${domain}`,
      `${domain}.evil.example`,
      `evil-${domain}`,
      '[::1]',
      '::1',
      '[::1]:80',
      `${domain}@evil.example`,
      '',
    ]
    for (const host of others)
      expect([host, (await get('/', { host })).body]).toEqual([host, expect.not.stringContaining('Own domain')])
    expect((await get('/', { host: '127.0.0.1', 'x-forwarded-host': domain, forwarded: `host=${domain}` })).body).not.toContain(
      'Own domain',
    )
  })

  it('has links without the slug, and machine-readable forms with the domain [STATUS-22]', async () => {
    const { body } = await get('/', { host: domain })
    expect(body).toContain('href="/feed.atom"')
    expect(body).not.toContain(`/status/${page.slug}`)
    const summary = JSON.parse((await get('/api/v2/summary.json', { host: domain })).body)
    expect(summary.page.url).toBe(`https://${domain}`)
  })

  it('reaches nothing else of the installation [STATUS-23]', async () => {
    const paths = [
      '/v1/setup',
      '/v1/status-pages',
      '/ping/5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278',
      '/healthz',
      '/readyz',
      '/metrics',
    ]
    paths.push(
      '/openapi.json',
      '/status/other',
      `/status/${page.slug}`,
      '/../v1/setup',
      '//v1/setup',
      '/%2e%2e/v1/setup',
      '/index.html',
    )
    paths.push('/badge/x/status.svg', '/v1/setup?x=1#y', '/.well-known/security.txt')
    for (const path of paths) expect([path, (await get(path, { host: domain })).status]).toEqual([path, 404])
    // There is something to read below every page.
    expect((await get('/v1/auth/login', { host: domain }, 'POST')).status).toBe(405)
  })

  it('in absolute form or with two hosts reaches no page [STATUS-24]', async () => {
    const absolute = await raw(`GET http://vedette.example.com/v1/setup HTTP/1.1\r\nHost: ${domain}\r\nConnection: close\r\n\r\n`)
    expect(absolute).toMatch(/^HTTP\/1\.1 404 /)
    const foreign = await raw(`GET http://${domain}/ HTTP/1.1\r\nHost: vedette.example.com\r\nConnection: close\r\n\r\n`)
    expect(foreign).not.toContain('Own domain')
    const two = await raw(`GET / HTTP/1.1\r\nHost: vedette.example.com\r\nHost: ${domain}\r\nConnection: close\r\n\r\n`)
    expect(two).not.toContain('Own domain')
  })

  it('ends with the page, and with the domain [STATUS-25]', async () => {
    const change = async (body: object) => {
      await backend.call('PATCH', `/v1/status-pages/${page.id}`, { as: member, body })
      backend.clock.advance(60_000)
      await pages.settle()
    }
    await change({ published: false })
    expect((await get('/', { host: domain })).body).not.toContain('Own domain')
    await change({ published: true })
    expect((await get('/', { host: domain })).body).toContain('Own domain')
    await change({ domain: null })
    expect((await get('/', { host: domain })).body).not.toContain('Own domain')
    expect((await get(`/status/${page.slug}`, { host: domain })).body).toContain('Own domain')
  })
})

describe('the domain check of a proxy', () => {
  const check = (query: string) => backend.call('GET', `/status-domain-check${query}`)

  it('is answered 200 for proven domains of published pages alone [STATUS-26]', async () => {
    const domain = newDomain()
    const page = await make({ domain })
    expect((await check(`?domain=${domain}`)).status).toBe(404)
    publish(page)
    await verify(page)
    await pages.settle()
    expect((await check(`?domain=${domain.toUpperCase()}`)).status).toBe(200)
    for (const query of ['', '?domain=', `?domain=www.${domain}`, `?domain=${domain}.example.org`, '?domain=vedette.example.com'])
      expect([query, (await check(query)).status]).toEqual([query, 404])
    await backend.call('PATCH', `/v1/status-pages/${page.id}`, { as: member, body: { published: false } })
    backend.clock.advance(60_000)
    await pages.settle()
    expect((await check(`?domain=${domain}`)).status).toBe(404)
  })
})

describe('a proof by a name server', () => {
  it('is found, missing and refused through the route as the server answers [STATUS-27]', async () => {
    const records = new Map<string, string[][] | number>()
    const dns = await startTxtServer(records)
    const live = await startTestBackend({ txtServer: dns.address })
    try {
      const own = await live.organization()
      const as = await live.member(own, 'member')
      const page = await make({ domain: 'status.example.com' }, pagesOf(live, own, as))
      const check = () => live.call('POST', `/v1/status-pages/${page.id}/verify-domain`, { as })
      const record = (await live.call('GET', `/v1/status-pages/${page.id}`, { as })).body.domain_record
      expect((await check()).body.error.message).toContain('There is no TXT record at _vedette.status.example.com.')
      records.set(record.name, 5)
      expect((await check()).status).toBe(409)
      records.set(record.name, [['something else'], [record.value.slice(0, 20), record.value.slice(20)]])
      expect((await check()).body).toMatchObject({ domain_status: 'verified', url: 'https://status.example.com/' })
    } finally {
      await live.close()
      dns.close()
    }
  })
})
