import { MAX_LOGO_BYTES } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { pagesOf } from '../../../../test/status-pages.ts'

const uriOf = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`
const pngOf = (size: number) => Buffer.concat([Buffer.from('iVBORw0KGgo=', 'base64'), Buffer.alloc(size - 8)])

let backend: TestBackend
let organization: TestOrganization
let member: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
})

const send = (method: string, url: string, body?: unknown, as = member) => backend.call(method, url, { as, body })
let slugs = 0
const make = (own: object = {}) =>
  send('POST', '/v1/status-pages', { name: 'Shop', slug: `shop-${(slugs += 1)}`, title: 'Shop status', ...own })
const pathsOf = (body: { error: { details: { path: string }[] } }) => body.error.details.map(({ path }) => path)

describe('status pages', () => {
  it('are created with defaults, shown, listed, updated and deleted [STATUS-35]', async () => {
    const { status, body, headers } = await make()
    expect([status, headers['location']]).toEqual([201, `/v1/status-pages/${body.id}`])
    expect(body).toMatchObject({
      theme: 'auto',
      time_zone: 'UTC',
      language: 'en',
      sections: [],
      visibility: 'public',
      published: false,
      indexed: true,
      domain: null,
      domain_status: null,
      url: `http://127.0.0.1:8080/status/${body.slug}`,
    })
    expect((await send('GET', `/v1/status-pages/${body.id}`)).body).toEqual(body)
    expect((await send('GET', '/v1/status-pages')).body).toMatchObject({ status_pages: [body], total: 1 })
    const changed = await send('PATCH', `/v1/status-pages/${body.id}`, { title: 'Other', accent: '#aa0000' })
    expect(changed.body).toEqual({ ...body, title: 'Other', accent: '#aa0000', updated_at: changed.body.updated_at })
    expect((await send('DELETE', `/v1/status-pages/${body.id}`)).status).toBe(204)
    expect((await send('GET', `/v1/status-pages/${body.id}`)).status).toBe(404)
    expect((await make({ slug: body.slug })).status).toBe(201)
  })

  it('are changed by members and read by viewers [STATUS-36]', async () => {
    const { body } = await make()
    const viewer = await backend.member(organization, 'viewer')
    expect((await send('GET', `/v1/status-pages/${body.id}`, undefined, viewer)).status).toBe(200)
    expect((await send('PATCH', `/v1/status-pages/${body.id}`, { title: 'x' }, viewer)).status).toBe(403)
    const outsider = await backend.member(await backend.organization(), 'owner')
    expect((await send('GET', `/v1/status-pages/${body.id}`, undefined, outsider)).status).toBe(404)
    expect((await send('DELETE', `/v1/status-pages/${body.id}`, undefined, outsider)).status).toBe(404)
  })

  it.each([
    ['slug', { slug: 'With Space' }],
    ['time_zone', { time_zone: 'Mars/Olympus' }],
    ['accent', { accent: 'red' }],
    ['domain', { domain: 'Status.Example.com' }],
    ['logo', { logo: 'https://example.com/logo.png' }],
    ['logo', { logo: 'data:image/svg+xml;base64,AAAA' }],
    ['logo', { logo: uriOf('image/png', Buffer.from('<svg onload="alert(1)"/>')) }],
    ['logo', { logo: uriOf('image/svg+xml', Buffer.from('<svg onload="alert(1)"/>')) }],
    ['password', { visibility: 'password' }],
    ['password', { visibility: 'password', password: 'short' }],
    ['sections.0', { sections: [{ name: 'All' }] }],
    ['sections.0', { sections: [{ name: 'All', tag: 'web', monitors: [] }] }],
    ['sections.0.monitors.0', { sections: [{ name: 'All', monitors: ['mon_nothing'] }] }],
    ['sections.0.show.0', { sections: [{ name: 'All', tag: 'web', show: ['secrets'] }] }],
  ])('name the invalid field: %s in %j', async (path, own) => {
    const { status, body } = await make(own)
    expect([status, pathsOf(body)]).toEqual([400, [path]])
  })

  it('have a logo of up to 200 kB, which has an address of its own and is left out of lists', async () => {
    const logo = uriOf('image/png', pngOf(MAX_LOGO_BYTES))
    const tooLarge = await make({ logo: uriOf('image/png', pngOf(MAX_LOGO_BYTES + 1)) })
    expect([tooLarge.status, pathsOf(tooLarge.body)]).toEqual([400, ['logo']])
    const { status, body } = await make({ logo, published: true })
    expect([status, body.logo === logo]).toEqual([201, true])
    const { status_pages: listed } = (await send('GET', '/v1/status-pages')).body
    expect(listed.find(({ id }: { id: string }) => id === body.id).logo).toBeNull()
    backend.clock.advance(5_000)
    await backend.vedette.copies.run()
    const inject = (url: string) => backend.vedette.app.inject({ url, headers: { 'accept-encoding': 'br' } })
    const page = await inject(`/status/${body.slug}`)
    expect(page.rawPayload.length).toBeLessThan(10_000)
    const image = await inject(`/status/${body.slug}/logo`)
    expect([image.statusCode, image.rawPayload.equals(pngOf(MAX_LOGO_BYTES))]).toEqual([200, true])
    expect(image.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
    const { html } = (await send('GET', `/v1/status-pages/${body.id}/preview`)).body
    expect(html).toContain(logo)
  })

  it('show no monitor of another organization and none twice [STATUS-37]', async () => {
    const other = await backend.organization()
    const foreign = await pagesOf(backend, other, {}).monitor()
    const own = await pagesOf(backend, organization, {}).monitor()
    const inSections = (...monitors: string[]) => ({ sections: monitors.map((id) => ({ name: 'All', monitors: [id] })) })
    expect(pathsOf((await make(inSections(foreign.wireId))).body)).toEqual(['sections.0.monitors.0'])
    expect(pathsOf((await make(inSections(own.wireId, own.wireId))).body)).toEqual(['sections'])
    expect((await make(inSections(own.wireId))).status).toBe(201)
  })

  it('have a slug of their own in the whole installation [STATUS-38]', async () => {
    const { body } = await make()
    const outsider = await backend.member(await backend.organization(), 'owner')
    const taken = { name: 'Mine', slug: body.slug, title: 'Mine' }
    expect((await send('POST', '/v1/status-pages', taken, outsider)).status).toBe(409)
    const { body: second } = await make()
    const { status, body: refused } = await send('PATCH', `/v1/status-pages/${second.id}`, { slug: body.slug })
    expect([status, refused.error.code]).toEqual([409, 'conflict'])
    expect((await send('GET', `/v1/status-pages/${second.id}`)).body.slug).toBe(second.slug)
  })

  it('never return the password [STATUS-39]', async () => {
    const { body } = await make({ visibility: 'password', password: 'a shared secret' })
    expect(body).not.toHaveProperty('password')
    expect(JSON.stringify(body)).not.toContain('argon2')
    const { body: changed } = await send('PATCH', `/v1/status-pages/${body.id}`, { password: 'another secret' })
    expect(JSON.stringify(changed)).not.toContain('argon2')
    const audit = await send('GET', '/v1/audit-events', undefined, await backend.member(organization, 'owner'))
    expect(audit.body.audit_events[0].details).toEqual({ name: 'Shop', changed: ['password'] })
  })

  it('have an address with a key that can be renewed, and a record that proves their domain [STATUS-40]', async () => {
    const { body } = await make({ visibility: 'link', domain: 'status.example.com' })
    expect(body.url).toMatch(/\/status\/shop-\d+\?key=[\w-]{32}$/)
    expect(body).toMatchObject({
      domain_status: 'pending',
      domain_record: { name: '_vedette.status.example.com', value: expect.stringMatching(/^vedette-page=[\w-]{32}$/) },
    })
    const renewed = await send('PATCH', `/v1/status-pages/${body.id}`, { renew_link: true })
    expect(renewed.body.url).not.toBe(body.url)
  })

  it('are previewed with what is typed, without being stored', async () => {
    const monitor = await pagesOf(backend, organization, {}).monitor({ name: 'shop-eu-1' })
    const foreign = await pagesOf(backend, await backend.organization(), {}).monitor({ name: 'of others' })
    const { body: stored } = await make({ published: true, title: 'Stored title' })
    const post = { type: 'incident', title: 'Orders fail', text: 'We look into it.' }
    await send('POST', `/v1/status-pages/${stored.id}/posts`, post)
    const sections = [{ name: 'Typed', monitors: [monitor.wireId, foreign.wireId], names: { [monitor.wireId]: 'Web shop' } }]
    const draft = { id: stored.id, title: 'Typed title', language: 'de', sections }
    const { status, body } = await send('POST', '/v1/status-pages/preview', draft)
    expect(status).toBe(200)
    for (const text of ['Typed title', 'Typed', 'Web shop', 'Orders fail', 'Aktuelle Störungen'])
      expect(body.html).toContain(text)
    expect(body.html).not.toContain('of others')
    expect((await send('GET', `/v1/status-pages/${stored.id}`)).body.title).toBe('Stored title')
    const outsider = await backend.member(await backend.organization(), 'owner')
    const other = await send('POST', '/v1/status-pages/preview', { id: stored.id, title: 'Mine' }, outsider)
    expect([other.status, pathsOf(other.body)]).toEqual([400, ['id']])
    const faulty = await send('POST', '/v1/status-pages/preview', { title: 'Mine', time_zone: 'Mars/Olympus' })
    expect([faulty.status, pathsOf(faulty.body)]).toEqual([400, ['time_zone']])
  })
})
