import { gunzipSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { pagesOf } from '../../../../test/status-pages.ts'
import { newId } from '../../../platform/ids.ts'
import { readDownDays } from '../reading/store.ts'
import { LIGHT_COLOURS } from '../render/style.ts'

let backend: TestBackend
let organization: TestOrganization
let member: Credentials
let pages: ReturnType<typeof pagesOf>
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
  pages = pagesOf(backend, organization, member)
})

describe('a published page', () => {
  it('shows the status, the uptime of 90 days in two decimals, response times and regions [STATUS-56]', async () => {
    const [up, down] = [await pages.monitor({ name: 'Shop' }), await pages.monitor({ name: 'Mail' })]
    await pages.checked(up, `${'u'.repeat(30)}d${'u'.repeat(30)}`, 120)
    await pages.checked(down, 'uud')
    const show = ['uptime', 'response', 'regions']
    const sections = [{ name: 'Public services', monitors: [up.wireId, down.wireId], names: { [down.wireId]: 'E-mail' }, show }]
    const { slug } = await pages.page({ sections, description: 'Run by <b>us</b>' })
    const html = await pages.textOf(`/status/${slug}`)
    const stats = await backend.call('GET', `/v1/monitors/${up.wireId}/stats?period=30d`, { as: member })
    expect(stats.body.uptime_percent).toBe(98.3606)
    expect(html).toContain('98.36 % uptime')
    expect(html).not.toContain('98.3606')
    for (const text of [
      'Partial outage',
      'Public services',
      'Shop',
      'E-mail',
      '120 ms on average',
      'local: operational',
      'local: down',
    ])
      expect(html).toContain(text)
    expect(html).toContain('Run by &lt;b&gt;us&lt;/b&gt;')
    expect(html).not.toContain('Mail<')
  })

  it('says how long a monitor was down on a day, by its changes of status', async () => {
    const monitor = await pages.monitor({ name: 'Shop' })
    await pages.checked(monitor, `${'u'.repeat(30)}d${'u'.repeat(30)}`)
    const now = backend.clock.now()
    const change = (minutes: number, from: 'up' | 'down', to: 'up' | 'down') =>
      backend.pool.db
        .insertInto('monitor_transition')
        .values({
          organization: organization.number,
          monitor: monitor.number,
          at: new Date(now - minutes * 60_000),
          id: newId(),
          from_status: from,
          to_status: to,
          reason: '',
        })
        .execute()
    await change(95, 'up', 'down')
    await change(30, 'down', 'up')
    const { slug } = await pages.page({ sections: [{ name: 'All', monitors: [monitor.wireId] }] })
    expect(await pages.textOf(`/status/${slug}`)).toContain('98.36 % uptime, down for 1 hour 5 minutes')
    const german = await pages.page({ language: 'de', sections: [{ name: 'All', monitors: [monitor.wireId] }] })
    expect(await pages.textOf(`/status/${german.slug}`)).toContain('98,36 % verfügbar, ausgefallen für 1 Stunde 5 Minuten')
    const firstDay = Math.floor(now / 86_400_000) - 89
    const days = await readDownDays(backend.pool.db, organization.number, [monitor.number], firstDay * 86_400_000, now)
    expect(days).toEqual([{ monitor: monitor.number, day: firstDay + 89, seconds: 3_900 }])
    // The first change of the bars was the end of an outage: it was down since before they begin.
    await backend.pool.db.deleteFrom('monitor_transition').where('monitor', '=', monitor.number).execute()
    await change(30, 'down', 'up')
    const since = await readDownDays(backend.pool.db, organization.number, [monitor.number], firstDay * 86_400_000, now)
    expect(since).toHaveLength(90)
    expect(new Set(since.slice(0, 89).map(({ seconds }) => seconds))).toEqual(new Set([86_400]))
  })

  it('fills itself by a tag, in the order of names [STATUS-57]', async () => {
    for (const name of ['Bravo', 'Alpha']) await pages.checked(await pages.monitor({ name, tags: ['web'] }), 'u')
    await pages.monitor({ name: 'Hidden', tags: ['internal'] })
    const { slug } = await pages.page({ sections: [{ name: 'Web', tag: 'web' }] })
    const html = await pages.textOf(`/status/${slug}`)
    expect(html.indexOf('Alpha')).toBeLessThan(html.indexOf('Bravo'))
    expect(html).toContain('All systems operational')
    expect(html).not.toContain('Hidden')
    await pages.checked(await pages.monitor({ name: 'Charlie', tags: ['web'] }), 'u')
    backend.clock.advance(15_000)
    await pages.settle()
    expect(await pages.textOf(`/status/${slug}`)).toContain('Charlie')
  })

  it('says that nobody knows where no check counts, and shows maintenance in place of an outage [STATUS-58]', async () => {
    const monitor = await pages.monitor({ name: 'Shop' })
    const { slug } = await pages.page({ sections: [{ name: 'All', monitors: [monitor.wireId], show: ['regions'] }] })
    const unknown = await pages.textOf(`/status/${slug}`)
    expect(unknown).toContain('No current checks')
    expect(unknown).toContain('inconclusive')
    await pages.checked(monitor, 'd')
    const window = {
      name: 'secret name of the window',
      target: { type: 'monitor', id: monitor.wireId },
      starts_at: new Date(backend.clock.now() - 1_000).toISOString(),
      ends_at: new Date(backend.clock.now() + 3_600_000).toISOString(),
    }
    expect((await backend.call('POST', '/v1/maintenance-windows', { as: member, body: window })).status).toBe(201)
    backend.clock.advance(15_000)
    await pages.settle()
    const maintained = await pages.textOf(`/status/${slug}`)
    expect(maintained).toContain('Under maintenance')
    expect(maintained).not.toContain('outage')
    expect(maintained).not.toContain('secret name')
  })

  it.each([
    ['en', 'minor', 'Degraded service', 'Minor impact'],
    ['en', 'critical', 'Major outage', 'Critical impact'],
    ['de', 'minor', 'Eingeschränkter Betrieb', 'Geringe Auswirkung'],
    ['de', 'critical', 'Größerer Ausfall', 'Kritische Auswirkung'],
  ])(
    'in %s says the %s impact of an announced incident in every form until it is resolved',
    async (language, impact, overall, words) => {
      const monitor = await pages.monitor()
      await pages.checked(monitor, 'u')
      const { id, slug } = await pages.page({ language, sections: [{ name: 'All', monitors: [monitor.wireId] }] })
      const at = (path: string) => pages.textOf(`/status/${slug}${path}`)
      const says = async (indicator: string, text: string, colour: string) => {
        // A copy that was visited is read again after 15 s.
        await at('')
        backend.clock.advance(15_000)
        await pages.settle()
        const html = await at('')
        expect(html).toContain(`role="status">${text}</p>`)
        expect(html).toContain(`<title>${text} · `)
        expect(html).toContain(encodeURIComponent(colour))
        expect(await at('/embed')).toContain(text)
        expect((await pages.visit(`/status/${slug}/api/v2/status.json`)).body.status).toEqual({ indicator, description: text })
      }
      const posts = `/v1/status-pages/${id}/posts`
      const body = { type: 'incident', title: 'Orders fail', text: 'We look.', impact }
      const post = (await backend.call('POST', posts, { as: member, body })).body
      await says(impact, overall, { minor: LIGHT_COLOURS.g, critical: LIGHT_COLOURS.d }[impact] as string)
      for (const feed of ['/feed.atom', '/feed.rss']) expect(await at(feed)).toContain(words)
      const update = { text: 'Done.', status: 'resolved' }
      await backend.call('POST', `${posts}/${post.id}/updates`, { as: member, body: update })
      const calm = { en: 'All systems operational', de: 'Alle Systeme in Betrieb' }[language] as string
      await says('none', calm, LIGHT_COLOURS.u)
    },
  )

  it('is compressed, cached and answered with 304 [STATUS-59]', async () => {
    const { slug } = await pages.page()
    const plain = await pages.visit(`/status/${slug}`, { 'accept-encoding': 'identity' })
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=15, stale-while-revalidate=600',
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept-Encoding',
    })
    const { app } = backend.vedette
    const raw = async (encoding: string) =>
      (await app.inject({ url: `/status/${slug}`, headers: { 'accept-encoding': encoding } })).rawPayload
    expect(gunzipSync(await raw('gzip')).toString()).toBe(plain.body)
    expect(brotliDecompressSync(await raw('br')).toString()).toBe(plain.body)
    const again = await pages.visit(`/status/${slug}`, { 'if-none-match': plain.headers['etag'] as string })
    expect([again.status, again.body]).toEqual([304, undefined])
    expect((await backend.call('HEAD', `/status/${slug}`)).headers['etag']).toBe(plain.headers['etag'])
  })

  it('allows its own style and script alone, and a frame for the embedded form alone [STATUS-60]', async () => {
    const { slug } = await pages.page({ theme: 'dark', accent: '#ff8800' })
    const policy = String((await pages.visit(`/status/${slug}`)).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe-inline')
    const embedded = await pages.visit(`/status/${slug}/embed`)
    expect(embedded.headers['content-security-policy']).toContain('frame-ancestors *')
    expect(embedded.headers['set-cookie']).toBeUndefined()
  })

  it('is withdrawn, deleted and unknown in the same way [STATUS-61]', async () => {
    const { id, slug } = await pages.page()
    expect((await pages.visit(`/status/${slug}`)).status).toBe(200)
    await backend.call('PATCH', `/v1/status-pages/${id}`, { as: member, body: { published: false } })
    await pages.settle()
    const withdrawn = await pages.visit(`/status/${slug}`)
    const unknown = await pages.visit('/status/nothing-here')
    expect([withdrawn.status, withdrawn.body]).toEqual([404, unknown.body])
    const { body } = await backend.call('GET', `/v1/status-pages/${id}/preview`, { as: member })
    expect(body.html).toContain('Shop status')
  })

  it('has a history by month of a year, and nothing else below it [STATUS-62]', async () => {
    const { slug } = await pages.page({ time_zone: 'Europe/Berlin', language: 'de' })
    const month = new Date(backend.clock.now()).toISOString().slice(0, 7)
    expect(await pages.textOf(`/status/${slug}/history/${month}`)).toContain('Keine Störungen')
    for (const path of ['history/2020-01', 'history/2099-01', 'history/2026-13', 'other', 'constructor'])
      expect([path, (await pages.visit(`/status/${slug}/${path}`)).status]).toEqual([path, 404])
  })
})

describe('a page with a password', () => {
  const unlock = (slug: string, password: string) =>
    backend.call('POST', `/status/${slug}/unlock`, {
      body: `password=${encodeURIComponent(password)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  it('shows nothing before the password, and everything after it until the password changes [STATUS-63]', async () => {
    const monitor = await pages.monitor({ name: 'Private shop' })
    const sections = [{ name: 'Inside', monitors: [monitor.wireId] }]
    const own = { visibility: 'password', password: 'open sesame', sections }
    const { id, slug } = await pages.page(own)
    const locked = await pages.visit(`/status/${slug}`)
    expect(locked.status).toBe(401)
    expect(locked.headers['cache-control']).toBe('no-store')
    expect(locked.body).not.toContain('Private shop')
    expect((await unlock(slug, 'wrong one')).status).toBe(401)
    const opened = await unlock(slug, 'open sesame')
    expect([opened.status, opened.headers['location']]).toEqual([303, `/status/${slug}`])
    const set = String(opened.headers['set-cookie'])
    expect(set).toMatch(new RegExp(`Path=/status/${slug}; .*HttpOnly; SameSite=Lax`))
    const cookie = set.split(';')[0] as string
    const shown = await pages.visit(`/status/${slug}`, { cookie, 'accept-encoding': 'identity' })
    expect(shown.body).toContain('Private shop')
    expect(shown.headers['cache-control']).toBe('private, no-cache')
    const other = await pages.page(own)
    expect((await pages.visit(`/status/${other.slug}`, { cookie })).status).toBe(401)
    await backend.call('PATCH', `/v1/status-pages/${id}`, { as: member, body: { password: 'another sesame' } })
    await pages.settle()
    expect((await pages.visit(`/status/${slug}`, { cookie })).status).toBe(401)
  })
})

describe('a page with a link', () => {
  it('is found by its key alone, and the old key ends with a new one [STATUS-64]', async () => {
    const { id, slug, url } = await pages.page({ visibility: 'link' })
    const { search } = new URL(url)
    expect((await pages.visit(`/status/${slug}`)).status).toBe(404)
    expect((await pages.visit(`/status/${slug}?key=wrong`)).status).toBe(404)
    const shown = await pages.textOf(`/status/${slug}${search}`)
    expect(shown).toContain(`/status/${slug}/history/`)
    expect(shown).toContain(search)
    await backend.call('PATCH', `/v1/status-pages/${id}`, { as: member, body: { renew_link: true } })
    await pages.settle()
    expect((await pages.visit(`/status/${slug}${search}`)).status).toBe(404)
  })
})
