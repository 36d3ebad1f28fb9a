import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const MINUTE = 60_000

describe.skipIf(isMissing('chromium'))('the page in German', () => {
  let scene: SignedIn
  const paths: Record<string, string> = {}
  beforeAll(async () => {
    scene = await openSignedIn({
      browserOptions: { locale: 'de-DE', timezoneId: 'Europe/Berlin' },
      fill: async (backend) => {
        backend.clock.advance(-2 * MINUTE)
      },
    })
    const { backend, organization, owner } = scene
    const create = async (path: string, body: object): Promise<string> => {
      const answer = await backend.call('POST', path, { as: owner, body })
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      return answer.body.id
    }
    const server = await backend.server(organization)
    const sample = { at: new Date(backend.clock.now()).toISOString(), cpu: { percent: 12.5 }, memory: { percent: 71.25 } }
    const batch = { batch_id: crypto.randomUUID(), sent_at: sample.at, agent_version: '0.1.0', samples: [sample] }
    await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: batch })
    const monitor = await create('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/', tags: ['prod'] })
    const channel = await create('/v1/channels', {
      name: 'Bereitschaft',
      type: 'webhook',
      config: { url: 'https://hooks.example.com/' },
    })
    const window = await create('/v1/maintenance-windows', {
      name: 'Updates',
      target: { type: 'monitor', id: null, tag: null },
      starts_at: new Date(backend.clock.now() + 60 * MINUTE).toISOString(),
      ends_at: new Date(backend.clock.now() + 120 * MINUTE).toISOString(),
      time_zone: 'Europe/Berlin',
    })
    const { body } = await backend.call('GET', '/v1/alert-rules', { as: owner })
    const rule = body.alert_rules[0].id
    const idIn = async (table: string) => (await backend.pool.pg.query(`select id from ${table} limit 1`)).rows[0].id
    const incident = await openTestIncident(backend, organization, {
      atMs: backend.clock.now() - 9 * MINUTE,
      ruleId: await idIn('alert_rule'),
      target: { type: 'monitor', id: await idIn('monitor'), name: 'Shop' },
    })
    const statusPage = await create('/v1/status-pages', {
      name: 'Öffentlich',
      slug: 'oeffentlich',
      title: 'Status',
      language: 'de',
      domain: 'status.example.com',
      visibility: 'link',
      sections: [{ name: 'Dienste', monitors: [monitor], names: { [monitor]: 'Laden' } }],
      templates: [{ name: 'Ausfall', title: 'Ausfall', text: 'Wir untersuchen es.' }],
    })
    await create(`/v1/status-pages/${statusPage}/subscribers`, { type: 'webhook', url: 'https://hooks.example.com/status' })
    const post = await create(`/v1/status-pages/${statusPage}/posts`, {
      type: 'incident',
      title: 'Ausfall',
      text: 'Wir untersuchen es.',
      monitors: [monitor],
    })
    const slo = await create('/v1/slos', { name: 'Laden', target: { id: monitor }, objective: 99.9, channel_ids: [channel] })
    const { members } = (await backend.call('GET', `/v1/organizations/${organization.id}/members`, { as: owner })).body
    const layer = { user_ids: [members[0].id], starts_at: new Date(backend.clock.now() + 60 * MINUTE).toISOString() }
    const schedule = await create('/v1/schedules', { name: 'Nachts', time_zone: 'Europe/Berlin', layers: [layer] })
    const policy = await create('/v1/escalation-policies', { name: 'Laden', steps: [{ schedule_ids: [schedule] }] })
    Object.assign(paths, {
      server: `/servers/${server.id}`,
      monitor: `/monitors/${monitor}`,
      'monitor-edit': `/monitors/${monitor}/edit`,
      incident: `/incidents/${incident}`,
      rule: `/alerts/rules/${rule}`,
      channel: `/alerts/channels/${channel}`,
      window: `/alerts/maintenance/${window}`,
      policy: `/alerts/policies/${policy}`,
      schedule: `/alerts/on-call/${schedule}`,
      'schedule-edit': `/alerts/on-call/${schedule}/edit`,
      'status-page': `/status-pages/${statusPage}`,
      'status-page-edit': `/status-pages/${statusPage}/edit`,
      subscribers: `/status-pages/${statusPage}/subscribers`,
      'post-add': `/status-pages/${statusPage}/posts/add?incident=${incident}`,
      post: `/status-pages/${statusPage}/posts/${post}`,
      slo: `/slos/${slo}`,
      'slo-edit': `/slos/${slo}/edit`,
    })
  }, 60_000)
  afterAll(() => scene?.close())

  /** Waits for the page, and looks for defects. */
  const check = async (page: Page, name: string) => {
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    await takePicture(page, `de-${name}`)
    expect(await pageDefects(page), name).toEqual([])
  }

  const OWN = [
    'server',
    'monitor',
    'monitor-edit',
    'incident',
    'rule',
    'channel',
    'window',
    'policy',
    'schedule',
    'schedule-edit',
    'status-page',
    'status-page-edit',
    'subscribers',
    'post-add',
    'post',
    'slo',
    'slo-edit',
  ]
  const PATHS = [
    '/',
    '/servers',
    '/servers/add',
    '/monitors',
    '/monitors/add',
    '/monitors/deleted',
    '/incidents',
    ...['rules', 'channels', 'policies', 'on-call', 'maintenance'].flatMap((section) => [
      `/alerts/${section}`,
      `/alerts/${section}/add`,
    ]),
    ...['profile', 'security', 'organization', 'members', 'keys', 'audit', 'security-log'].map(
      (section) => `/settings/${section}`,
    ),
    '/status-pages',
    '/status-pages/add',
    '/slos',
    '/slos/add',
    '/reports',
    '/replay',
    '/nowhere',
    ...OWN,
  ]
  it.each(PATHS)('shows %s without a defect at both widths', { timeout: 60_000 }, async (path) => {
    for (const page of [scene.wide, scene.narrow]) {
      await page.goto(`${scene.origin}${paths[path] ?? path}`)
      await check(page, path.replaceAll('/', '-'))
      expect(await page.locator('html').getAttribute('lang')).toBe('de')
    }
  })

  it('leaves a margin next to the words of the navigation at the narrow width', async () => {
    const { narrow: page, origin } = scene
    const size = page.viewportSize() ?? { width: 390, height: 844 }
    await page.goto(`${origin}/settings/profile`)
    await page.getByLabel('Sprache').waitFor()
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 700 })
      const edges = await page.evaluate(`[...document.querySelectorAll('nav.fixed a')].flatMap((link) => {
        if (!link.checkVisibility()) return []
        const range = document.createRange()
        range.selectNodeContents(link)
        const { left, right } = range.getBoundingClientRect()
        return Math.floor(Math.min(left, innerWidth - right))
      })`)
      expect(edges).toHaveLength(8)
      expect(Math.min(...(edges as number[])), `${width} px`).toBeGreaterThanOrEqual(2)
    }
    await page.setViewportSize(size)
  })

  it('shows dates, numbers and times as German writes them', async () => {
    const { wide: page, origin } = scene
    await page.goto(`${origin}/servers`)
    await expect.poll(() => page.getByRole('main').textContent()).toContain('12,5 %')
    await page.getByRole('link', { name: 'Vorfälle' }).first().click()
    await expect.poll(() => page.getByRole('main').textContent()).toMatch(/vor \d+ min/)
  })

  it('keeps the language that the preferences choose, and loads it alone', { timeout: 60_000 }, async () => {
    const { narrow: page, origin } = scene
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    const languages = () => loaded.flatMap((path) => /\/(en|de)-[^/]+\.js$/.exec(path)?.[1] ?? [])
    await page.goto(`${origin}/settings/profile`)
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByText('Stored in this browser.').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    expect(languages()).toEqual(['de', 'en'])
    await page.goto(`${origin}/monitors`)
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
    await page.goto(`${origin}/settings/profile`)
    await page.getByLabel('Language').selectOption('browser')
    await page.getByText('In diesem Browser gespeichert.').waitFor()
  })

  it('signs in without a defect at both widths', { timeout: 60_000 }, async () => {
    for (const page of [scene.wide, scene.narrow]) {
      await page.addInitScript("sessionStorage.removeItem('vedette-token')")
      for (const path of ['/', '/invitations/accept?token=x', '/password-reset?token=x', '/verify-email?token=x']) {
        await page.goto(`${scene.origin}${path}`)
        await check(page, `sign-in${path.replaceAll(/\W/g, '-')}`)
      }
      await page.goto(scene.origin)
      await expect.poll(() => page.getByRole('button', { name: 'Anmelden' }).count()).toBe(1)
    }
  })

  it('causes no errors of the browser', () => {
    // The page that does not exist, once in each window.
    const isNotFound = (text: string) => text.includes('status of 404')
    expect(scene.complaints.filter((text) => !isNotFound(text))).toEqual([])
    expect(scene.complaints.filter(isNotFound)).toHaveLength(2)
  })
})
