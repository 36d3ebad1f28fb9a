import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { pagesOf } from '../../../../test/status-pages.ts'

const ATTEMPTS = 4
let backend: TestBackend
let organization: TestOrganization
let member: Credentials
let pages: ReturnType<typeof pagesOf>
beforeAll(async () => {
  backend = await startTestBackend({ environment: { VEDETTE_RATE_LIMITS: `auth=${ATTEMPTS}` } })
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
  pages = pagesOf(backend, organization, member)
  // The limits count by the minute.
  backend.clock.advance(60_000)
})

const PATHS = [
  '',
  '/',
  '/embed',
  '/feed.atom',
  '/feed.rss',
  '/maintenance.ics',
  '/api/v2/summary.json',
  '/api/v2/incidents.json',
  '/other',
]

async function privatePage(own: object) {
  const monitor = await pages.monitor({ name: 'Private shop' })
  await pages.checked(monitor, 'ud')
  const sections = [{ name: 'Private section', monitors: [monitor.wireId], show: ['uptime', 'response', 'regions'] }]
  const page = await pages.page({ sections, description: 'Private description', ...own })
  const post = { type: 'incident', title: 'Private incident', text: 'Private update', monitors: [monitor.wireId] }
  expect((await backend.call('POST', `/v1/status-pages/${page.id}/posts`, { as: member, body: post })).status).toBe(201)
  // A run reads a few pages.
  backend.clock.advance(300_000)
  while ((await backend.vedette.copies.run()) === 0);
  return page
}

const change = async (id: string, body: object) => {
  await backend.call('PATCH', `/v1/status-pages/${id}`, { as: member, body })
  await pages.settle()
}

describe('a page with a password', () => {
  const own = { visibility: 'password', password: 'open sesame' }
  const unlock = (slug: string, password: string, ip = '192.0.2.1') =>
    backend.call('POST', `/status/${slug}/unlock`, {
      body: `password=${encodeURIComponent(password)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      ip,
    })
  const cookieOf = async (slug: string, password = own.password) =>
    String((await unlock(slug, password)).headers['set-cookie']).split(';')[0] as string

  it('has no content at any of its addresses, by any method and for any known version [STATUS-80]', async () => {
    const { slug } = await privatePage(own)
    const cookie = await cookieOf(slug)
    const { headers: open } = await pages.visit(`/status/${slug}`, { cookie })
    for (const path of PATHS)
      for (const method of ['GET', 'HEAD']) {
        const headers = { 'if-none-match': `${open['etag'] as string}, *` }
        const locked = await backend.call(method, `/status/${slug}${path}`, { headers })
        expect([path, method, locked.status]).toEqual([path, method, 401])
        expect(String(locked.body)).not.toMatch(/Private/)
        expect(locked.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
        for (const name of ['etag', 'access-control-allow-origin', 'set-cookie']) expect(locked.headers[name]).toBeUndefined()
      }
  })

  it('answers feeds and documents with its cookie, for that reader alone [STATUS-81]', async () => {
    const { slug } = await privatePage(own)
    const cookie = await cookieOf(slug)
    for (const path of ['', '/feed.atom', '/api/v2/summary.json']) {
      const { status, headers, body } = await pages.visit(`/status/${slug}${path}`, { cookie, 'accept-encoding': 'identity' })
      expect([path, status, JSON.stringify(body)]).toEqual([path, 200, expect.stringContaining('Private')])
      expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Accept-Encoding, Cookie' })
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('refuses the cookie of another page, a changed one, and one from before the password changed [STATUS-82]', async () => {
    const [first, second] = [await privatePage(own), await privatePage(own)]
    const cookie = await cookieOf(first.slug)
    const visit = async (slug: string, sent: string) => (await pages.visit(`/status/${slug}`, { cookie: sent })).status
    expect(await visit(first.slug, `a=b; ${cookie}`)).toBe(200)
    expect(await visit(second.slug, cookie)).toBe(401)
    for (const wrong of [`${cookie}x`, cookie.slice(0, -1), 'vedette_page=', 'vedette_page', `x${cookie}`])
      expect([wrong, await visit(first.slug, wrong)]).toEqual([wrong, 401])
    await change(first.id, { password: 'another sesame' })
    expect(await visit(first.slug, cookie)).toBe(401)
    expect((await unlock(first.slug, own.password)).status).toBe(401)
  })

  it('takes a few passwords a minute from an address, also when they come at once [STATUS-83]', async () => {
    const { slug } = await privatePage(own)
    const guesses = await Promise.all(Array.from({ length: 3 * ATTEMPTS }, (_, index) => unlock(slug, `guess number ${index}`)))
    const statuses = guesses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(ATTEMPTS)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2 * ATTEMPTS)
    // The right one as well: the answer must not differ.
    expect((await unlock(slug, own.password)).status).toBe(429)
  })

  it('takes 100 passwords a minute from all addresses together, without closing other pages [STATUS-84]', async () => {
    const [first, second] = [await privatePage(own), await privatePage(own)]
    const guess = (index: number) => unlock(first.slug, 'a wrong one', `192.0.2.${10 + Math.floor(index / ATTEMPTS)}`)
    const statuses = await Promise.all(Array.from({ length: 99 }, (_, index) => guess(index)))
    expect(statuses.filter(({ status }) => status !== 401)).toEqual([])
    // A visitor who knows it is not kept out by those who guess.
    expect((await unlock(first.slug, own.password, '192.0.2.99')).status).toBe(303)
    expect((await unlock(first.slug, own.password, '192.0.2.98')).status).toBe(429)
    expect((await unlock(second.slug, own.password, '192.0.2.98')).status).toBe(303)
  })

  it('refuses what is no password form [STATUS-85]', async () => {
    const { slug } = await privatePage(own)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (body: string) => backend.call('POST', `/status/${slug}/unlock`, { body, headers })
    for (const body of ['', 'other=1', `password=${'x'.repeat(200)}`])
      expect([body.length, (await send(body)).status]).toEqual([body.length, 400])
    expect((await send(`password=${'x'.repeat(20_000)}`)).status).toBe(413)
  })
})

describe('a page with a link', () => {
  it('is unknown at all of its addresses without its key, with a wrong one and with the previous one [STATUS-86]', async () => {
    const { id, slug, url } = await privatePage({ visibility: 'link' })
    const { search } = new URL(url)
    const unknown = await pages.visit('/status/nothing-here')
    const refused = async (query: string) => {
      for (const path of PATHS) {
        const { status, body, headers } = await pages.visit(`/status/${slug}${path}${query}`)
        expect([path, query, status, body]).toEqual([path, query, 404, unknown.body])
        expect(headers['cache-control']).toBe('no-store')
      }
    }
    for (const query of ['', '?key=', '?key=wrong', `${search}x`, search.slice(0, -1), `?KEY=${search.slice(5)}`])
      await refused(query)
    const feed = await pages.visit(`/status/${slug}/feed.atom${search}`)
    expect([feed.status, feed.headers['cache-control'], feed.headers['x-robots-tag']]).toEqual([
      200,
      'private, no-cache',
      'noindex',
    ])
    expect(feed.body).toContain(`#pst_`)
    expect(String(feed.body)).toContain(search)
    const { etag } = feed.headers
    expect((await pages.visit(`/status/${slug}/feed.atom`, { 'if-none-match': etag as string })).status).toBe(404)
    await change(id, { renew_link: true })
    await refused(search)
  })

  it('has a key of its own, which opens no other page [STATUS-87]', async () => {
    const [first, second] = [await privatePage({ visibility: 'link' }), await privatePage({ visibility: 'link' })]
    expect((await pages.visit(`/status/${second.slug}${new URL(first.url).search}`)).status).toBe(404)
  })
})
