import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../backend/test/alert-fixture.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { fillOrganization } from './filled.ts'
import { plantOutages } from './planted-outages.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('the page in German', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn({ browserOptions: { locale: 'de-DE', timezoneId: 'Europe/Berlin' }, environment: LOCAL_TARGETS })
    await fillOrganization(scene)
  })
  afterAll(() => scene?.close())

  it('leaves a margin next to the words of the navigation at the narrow width', async () => {
    const { narrow: page, origin } = scene
    const size = page.viewportSize() ?? { width: 390, height: 844 }
    await page.goto(`${origin}/settings/profile`)
    await page.getByLabel('Sprache').waitFor()
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 700 })
      const edges = () =>
        page.evaluate<number[]>(`[...document.querySelectorAll('nav.fixed a')].flatMap((link) => {
        if (!link.checkVisibility()) return []
        const range = document.createRange()
        range.selectNodeContents(link)
        const { left, right } = range.getBoundingClientRect()
        return Math.floor(Math.min(left, innerWidth - right))
      })`)
      expect(await edges()).toHaveLength(8)
      // The size of the screen is known to the page before its layout is.
      await expect.poll(async () => Math.min(...(await edges())), { message: `${width} px` }).toBeGreaterThanOrEqual(2)
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

  it('has room for the result of a replay, in light and dark', { timeout: 60_000 }, async () => {
    const planted = await plantOutages(scene)
    for (const [viewer, width, colorScheme] of [
      [scene.wide, 1440, 'dark'],
      [scene.narrow, 320, 'light'],
    ] as const) {
      const page = await viewer.context().newPage()
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${scene.origin}/replay?rule=${planted.ruleId}`)
      await page.getByLabel('Schweregrad').selectOption({ index: 0 })
      await page.getByRole('button', { name: 'Ruhezeit' }).click()
      await page.getByLabel('Mitglied').selectOption({ index: 1 })
      await page.getByRole('button', { name: 'Probelauf starten' }).click()
      await page.getByRole('heading', { name: 'Was Variante 1 ändert' }).waitFor()
      expect(await pageDefects(page)).toEqual([])
      await page.close()
    }
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

  it('causes no errors of the browser', () => expect(scene.complaints).toEqual([]))
})
