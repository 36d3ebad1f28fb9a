import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { fillOrganization } from './filled.ts'
import { asOwner } from './editors/editor.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('a list on a wide screen', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn({ environment: {} })
    await fillOrganization(scene)
    const api = asOwner(scene)
    const make = (name: string) => api.make('/v1/monitors', { name, url: 'https://example.com/', tags: ['office'] })
    await make('Till')
    await make('Wiki')
    await scene.backend.server(scene.organization)
    const stored = async (query: string): Promise<string> => (await scene.backend.pool.pg.query(query)).rows[0].id
    const ruleId = await stored('select id from alert_rule order by id limit 1')
    const target = { type: 'monitor', id: await stored("select id from monitor where name = 'Wiki'"), name: 'Wiki' } as const
    const at = { ruleId, severity: 'critical', atMs: scene.backend.clock.now() - 60_000 } as const
    await openTestIncident(scene.backend, scene.organization, { summary: 'Wiki is down', target, ...at })
  })
  afterAll(() => scene?.close())

  const aside = (page: Page) => page.getByRole('region', { name: 'Details', exact: true })
  const nameAside = (page: Page) => aside(page).getByRole('heading', { level: 1 }).textContent()
  const rows = (page: Page) => page.locator('main [data-rows] > li')

  it.each(['monitors', 'servers', 'incidents'])(
    'shows a row of %s next to it by j, k and the mouse, which the address keeps',
    async (list) => {
      const { wide: page, origin } = scene
      await page.goto(`${origin}/${list}`)
      await rows(page).first().waitFor()
      const names = await page.evaluate<string[]>(
        "[...document.querySelectorAll('main [data-rows] > li')].map((row) => row.querySelector('a').textContent)",
      )
      expect(names.length).toBeGreaterThan(1)
      await page.keyboard.press('j')
      await expect.poll(() => nameAside(page)).toBe(names[0])
      await page.keyboard.press('j')
      await expect.poll(() => nameAside(page)).toBe(names[1])
      await expect.poll(() => page.title()).toContain(names[1])
      await takePicture(page, `aside-${list}`)
      await page.keyboard.press('k')
      await expect.poll(() => nameAside(page)).toBe(names[0])
      const first = page.url()
      expect(new URL(first).searchParams.get('open')).toMatch(/^(mon|srv|inc)_/)
      await rows(page)
        .nth(1)
        .click({ position: { x: 200, y: 20 } })
      await expect.poll(() => nameAside(page)).toBe(names[1])
      const second = page.url()
      await page.reload()
      await expect.poll(() => nameAside(page)).toBe(names[1])
      // What is open leads to its page, and back to the list with it.
      await rows(page)
        .nth(1)
        .click({ position: { x: 200, y: 20 } })
      await expect.poll(() => new URL(page.url()).pathname).toMatch(new RegExp(`^/${list}/\\w+$`))
      await page.goBack()
      await expect.poll(() => page.url()).toBe(second)
      await expect.poll(() => nameAside(page)).toBe(names[1])
      await aside(page).getByRole('button', { name: 'Close', exact: true }).click()
      await expect.poll(() => aside(page).count()).toBe(0)
      await page.goBack()
      await page.goBack()
      await expect.poll(() => page.url()).toBe(`${origin}/${list}`)
      expect(await aside(page).count()).toBe(0)
      // Nothing is open: a click leads to the page.
      await rows(page)
        .nth(1)
        .click({ position: { x: 200, y: 20 } })
      await expect.poll(() => new URL(page.url()).pathname).toMatch(new RegExp(`^/${list}/\\w+$`))
      expect(scene.complaints).toEqual([])
    },
  )

  it('keeps the filters and the whole width where the window is narrow', async () => {
    const { narrow, origin } = scene
    await narrow.goto(`${origin}/monitors?tag=office&open=mon_01h455vb4pex5vsknk084sn02q`)
    await rows(narrow).first().waitFor()
    expect(await rows(narrow).count()).toBe(2)
    expect(await aside(narrow).count()).toBe(0)
    await rows(narrow).first().tap()
    await expect.poll(() => new URL(narrow.url()).pathname).toMatch(/^\/monitors\/mon_/)
    expect(scene.complaints).toEqual([])
  })
})
