import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { SETTINGS_SECTIONS } from '../src/app/settings-sections.ts'
import { TAB_KINDS } from '../src/features/servers/entities/tabs.ts'
import { messages } from '../src/messages/index.ts'
import { excessWidth, pageDefects } from './browser.ts'
import { fillOrganization } from './filled.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const ROUTES = readFileSync(join(import.meta.dirname, '../src/app/router.tsx'), 'utf8')
/** The parts of a page that its address names. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  '/alerts/{-$section}': Object.keys(messages.alerts.sections),
  '/settings/{-$section}': SETTINGS_SECTIONS.map(({ id }) => id),
  '/servers/$serverId/$tab': ['processes', ...Object.keys(TAB_KINDS)],
}
/** Every route of the dashboard. A new one is found here by itself; a new kind of id needs a line in `fillOrganization`. */
const FOUND = [...ROUTES.matchAll(/createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: '([^']+)'/g)]
const PATHS = FOUND.map(([, parent, path = '']) => (parent === 'root' ? path : `/servers/$serverId/${path}`)).flatMap(
  (path) => SECTIONS[path]?.map((section) => path.replace(/\{-\$section\}|\$tab/, section)) ?? [path],
)
/** Pages that an address opens without a session. */
const SIGNED_OUT = ['/', '/invitations/accept?token=x', '/password-reset?token=x', '/verify-email?token=x', '/password-reset']

/** In English and light at the width of a screen, in German and dark at that of a phone. */
const APPEARANCES: Readonly<Record<'wide' | 'narrow', BrowserContextOptions>> = {
  wide: { locale: 'en-GB', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  narrow: { locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 844 }, hasTouch: true },
}
const SMALLEST = { width: 320, height: 700 }

/** What a page shows after some steps only, in English at both widths. */
const STATES: readonly (readonly [state: string, path: string, act: (page: Page, scene: SignedIn) => Promise<unknown>])[] = [
  [
    'faults at the fields of a form',
    '/monitors/add',
    async (page) => {
      await page.getByRole('button', { name: 'Create monitor' }).click()
      await page.getByText(/needs? a change/).waitFor()
    },
  ],
  [
    'a change of somebody else',
    '/monitors/$monitorId/edit',
    async (page, { backend, owner }) => {
      await page.getByLabel('Interval').waitFor()
      const [, id] = /monitors\/(\w+)/.exec(page.url()) ?? []
      const interval = page.viewportSize()?.width === 390 ? 240 : 120
      await backend.call('PATCH', `/v1/monitors/${id}`, { as: owner, body: { interval } })
      await page.getByLabel('Interval').fill('10 min')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' }).waitFor()
    },
  ],
  [
    'a question before a deletion',
    '/monitors/$monitorId',
    async (page) => {
      await page.getByRole('button', { name: /^Delete/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  ],
  [
    'a secret that is shown once',
    '/settings/keys',
    async (page) => {
      await page.getByRole('button', { name: 'Create key' }).first().click()
      await page.getByRole('dialog').getByLabel('Name').fill('shown')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      await page.getByText(/^vdt_key_\w+$/).waitFor()
    },
  ],
  [
    'the search of all',
    '/monitors',
    async (page) => {
      await page.getByRole('button', { name: /Search everything/ }).click()
      await page.getByRole('dialog').getByRole('combobox').fill('add mon')
      await page.getByRole('option', { name: 'Add monitor' }).waitFor()
    },
  ],
  [
    'the keyboard shortcuts',
    '/monitors',
    async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    },
  ],
  [
    'the set-up of a second factor',
    '/settings/security',
    async (page) => {
      await page.getByRole('button', { name: 'Set up' }).click()
      await page.getByRole('img', { name: 'QR code of the secret' }).waitFor()
    },
  ],
]

describe.skipIf(isMissing('chromium'))('the pages of the dashboard', () => {
  let scene: SignedIn
  let ids: Record<string, string> = {}
  const pages: Page[] = []
  const complaints: string[] = []
  beforeAll(async () => {
    scene = await openSignedIn({ fill: async ({ clock }) => clock.advance(-120_000) })
    ids = await fillOrganization(scene)
    for (const appearance of Object.values(APPEARANCES)) pages.push(await open(appearance, scene.owner.authorization))
  })
  afterAll(() => scene?.close())

  async function open(appearance: BrowserContextOptions, authorization?: string): Promise<Page> {
    const context = await scene.wide
      .context()
      .browser()
      ?.newContext({ ...appearance, reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' })
    if (!context) throw new Error('no browser')
    const token = authorization?.slice('Bearer '.length)
    if (token !== undefined) await context.addInitScript(`sessionStorage.setItem('vedette-token', ${JSON.stringify(token)})`)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.location().url.endsWith('/install.sh')) complaints.push(message.text())
    })
    return page
  }

  /** What is wider than the screen, and the findings of axe. */
  async function defectsOf(page: Page, path: string): Promise<string[]> {
    await page.goto(scene.origin + path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    const defects = await pageDefects(page)
    const size = page.viewportSize()
    await takePicture(page, path.replaceAll(/\W/g, '-'))
    if (!size || size.width > 600) return defects
    await page.setViewportSize(SMALLEST)
    // Charts follow their frame a moment later.
    await expect.poll(() => excessWidth(page), { message: `${path} at ${SMALLEST.width} px` }).toBe(0)
    await page.setViewportSize(size)
    return defects
  }

  it('are all found in the table of routes', () => {
    expect(PATHS.length).toBeGreaterThan(50)
    expect(FOUND.length).toBe(ROUTES.split('createRoute({').length - 1)
  })

  it.each(PATHS)('%s has no defect at both widths', { timeout: 60_000 }, async (path) => {
    const address = path.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name] ?? `no ${name} in fillOrganization`)
    expect(address).not.toContain('fillOrganization')
    for (const page of pages) expect(await defectsOf(page, address)).toEqual([])
  })

  it('say at both widths that an address does not exist', async () => {
    for (const page of pages) expect(await defectsOf(page, '/nowhere/at/all')).toEqual([])
    expect(complaints.splice(0).filter((text) => !text.includes('status of 404'))).toEqual([])
  })

  it.each(SIGNED_OUT)('of the sign-in have no defect at %s', async (path) => {
    for (const appearance of Object.values(APPEARANCES)) {
      const page = await open(appearance)
      expect(await defectsOf(page, path)).toEqual([])
      await page.context().close()
    }
  })

  it('have no defect where there is nothing yet', async () => {
    const { authorization } = await scene.backend.member(await scene.backend.organization('Empty'), 'owner')
    for (const appearance of Object.values(APPEARANCES)) {
      const page = await open(appearance, authorization)
      for (const path of ['/', '/monitors', '/slos']) expect(await defectsOf(page, path)).toEqual([])
      await page.context().close()
    }
  })

  it.each(STATES)('have no defect at both widths with %s', async (_state, path, act) => {
    for (const viewer of [scene.wide, scene.narrow]) {
      const page = await viewer.context().newPage()
      await page.goto(scene.origin + path.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name] ?? ''))
      await act(page, scene)
      expect(await pageDefects(page)).toEqual([])
      await page.close()
    }
  })

  it('are in the language of their browser, and cause no errors', async () => {
    const languages = await Promise.all(pages.map((page) => page.locator('html').getAttribute('lang')))
    expect([languages, complaints]).toEqual([['en', 'de'], []])
  })
})
