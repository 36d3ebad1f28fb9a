import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { pagesOf } from '../../../../test/status-pages.ts'
import { encodeId, newId } from '../../../platform/ids.ts'

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

async function shown(show: string[], own: object = {}) {
  const monitor = await pages.monitor({ name: 'internal name' })
  await pages.checked(monitor, `${'u'.repeat(40)}d${'u'.repeat(30)}`, 120)
  const page = await pages.page({ sections: [{ name: 'All', monitors: [monitor.wireId], show }], ...own })
  return { id: monitor.wireId, page }
}

describe('a badge', () => {
  it('shows the status, the uptime with the digits of the stats, and the mean response time [STATUS-01]', async () => {
    const { id } = await shown(['uptime', 'response'])
    expect(await pages.textOf(`/badge/${id}/status.svg`)).toContain('aria-label="Status: Operational"')
    for (const period of ['24h', '7d', '30d']) {
      const { body } = await backend.call('GET', `/v1/monitors/${id}/stats?period=${period}`, { as: member })
      const text = await pages.textOf(`/badge/${id}/uptime.svg?period=${period}`)
      expect(text).toContain(`aria-label="Uptime ${period}: ${body.uptime_percent} %"`)
      expect(body.uptime_percent).toBeLessThan(100)
    }
    expect(await pages.textOf(`/badge/${id}/uptime.svg?period=90d`)).toContain('Uptime 90d: 98.5915 %')
    for (const period of ['24h', '7d', '30d', '90d'])
      expect(await pages.textOf(`/badge/${id}/response.svg?period=${period}`)).toContain(`Response ${period}: 120 ms`)
    for (const path of [`/api/badge/${id}/uptime/24`, `/api/v1/endpoints/${id}/uptimes/24h/badge.svg`])
      expect(await pages.textOf(path)).toBe(await pages.textOf(`/badge/${id}/uptime.svg`))
  })

  it('has a label of its own, as text [STATUS-02]', async () => {
    const { id } = await shown(['uptime'])
    const label = encodeURIComponent('<script>&"')
    const svg = await pages.textOf(`/badge/${id}/status.svg?label=${label}`)
    expect(svg).toContain('&lt;script&gt;&amp;&quot;: Operational')
    expect(svg).not.toContain('<script>')
    expect(svg).not.toContain('internal name')
    expect((await pages.textOf(`/badge/${id}/status.svg?label=${'x'.repeat(5_000)}`)).length).toBeLessThan(1_500)
  })

  it('is cached as the page, answered with 304, and readable by other origins [STATUS-03]', async () => {
    const { id } = await shown(['uptime'])
    const { headers } = await pages.visit(`/badge/${id}/status.svg`)
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=15, stale-while-revalidate=600',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'content-security-policy': "default-src 'none'",
    })
    expect(headers['set-cookie']).toBeUndefined()
    const again = await pages.visit(`/badge/${id}/status.svg`, { 'if-none-match': headers['etag'] as string })
    expect(again.status).toBe(304)
  })

  it('is not there for what no published public page shows, and looks like one of an unknown monitor [STATUS-04]', async () => {
    const unknown = await pages.visit(`/badge/${encodeId('monitor', newId())}/status.svg`)
    expect(unknown.status).toBe(404)
    const unpublished = await pages.monitor()
    const hidden = await Promise.all([
      shown(['uptime', 'response'], { published: false }),
      shown(['uptime', 'response'], { visibility: 'link' }),
      shown(['uptime', 'response'], { visibility: 'password', password: 'open sesame' }),
    ])
    for (const id of [unpublished.wireId, ...hidden.map((one) => one.id), 'nothing'])
      for (const kind of ['status', 'uptime', 'response']) {
        const { status, body } = await pages.visit(`/badge/${id}/${kind}.svg`)
        expect([kind, status, body]).toEqual([kind, 404, unknown.body])
      }
  })

  it('shows no figure that the section does not show, and ends with the page [STATUS-05]', async () => {
    const { id, page } = await shown([])
    expect((await pages.visit(`/badge/${id}/status.svg`)).status).toBe(200)
    for (const kind of ['uptime', 'response']) expect((await pages.visit(`/badge/${id}/${kind}.svg`)).status).toBe(404)
    await backend.call('PATCH', `/v1/status-pages/${page.id}`, { as: member, body: { published: false } })
    backend.clock.advance(60_000)
    await pages.settle()
    expect((await pages.visit(`/badge/${id}/status.svg`)).status).toBe(404)
  })
})
