import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf } from '../../backend/test/deal.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { excessWidth, pageDefects } from './browser.ts'
import { fillOrganization } from './filled.ts'
import { followLink, FOUND, PATHS, ROUTES, withIds } from './routes.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

/** Pages that an address opens without a session. */
const SIGNED_OUT = ['/', '/invitations/accept?token=x', '/password-reset?token=x', '/verify-email?token=x', '/password-reset']

const WIDTHS = {
  wide: { viewport: { width: 1440, height: 900 } },
  narrow: { viewport: { width: 390, height: 844 }, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>

/** One look at one page. */
interface View {
  path: string
  width: keyof typeof WIDTHS
  locale: 'en-GB' | 'de-DE'
  colorScheme: 'light' | 'dark'
}

const everyView = (path: string): View[] =>
  (['wide', 'narrow'] as const).flatMap((width) =>
    (['en-GB', 'de-DE'] as const).flatMap((locale) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ path, width, locale, colorScheme })),
    ),
  )
/** Each page at both widths, each time in one language and one colour; at night in all. */
const VIEWS = casesOf(PATHS.flatMap(everyView), {
  row: ({ path }) => path,
  kind: ({ locale, colorScheme }) => `${locale} ${colorScheme}`,
  outcome: ({ width }) => width,
})
const SMALLEST = { width: 320, height: 700 }

/** What a page shows after some steps only, in English at both widths. */
const STATES: readonly (readonly [state: string, path: string, act: (page: Page, scene: SignedIn) => Promise<unknown>])[] = [
  [
    'faults at the fields of a form',
    '/monitors/add/http',
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

/** Each state at one width; at night at both. */
const DEALT_STATES = casesOf(
  STATES.flatMap(([state, path, act]) => (['wide', 'narrow'] as const).map((width) => ({ state, path, act, width }))),
  { row: ({ state }) => state, kind: ({ width }) => width, outcome: () => '' },
)

describe.skipIf(isMissing('chromium'))('the pages of the dashboard', () => {
  let scene: SignedIn
  let ids: Record<string, string> = {}
  const complaints: string[] = []
  /** By width, language and colour. */
  const pages = new Map<string, Page>()
  beforeAll(async () => {
    scene = await openSignedIn({ fill: async ({ clock }) => clock.advance(-120_000) })
    ids = await fillOrganization(scene)
  })
  afterAll(() => scene?.close())

  async function open(options: BrowserContextOptions, authorization?: string): Promise<Page> {
    const context = await scene.wide
      .context()
      .browser()
      ?.newContext({ ...options, reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' })
    if (!context) throw new Error('no browser')
    const token = authorization?.slice('Bearer '.length)
    if (token !== undefined) await context.addInitScript(`sessionStorage.setItem('vedette-token', ${JSON.stringify(token)})`)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    return page
  }

  /** The owner's page of an appearance, at a path. It loads the dashboard once. */
  async function openAt({ width, locale, colorScheme }: View, path: string): Promise<Page> {
    const name = `${width} ${locale} ${colorScheme}`
    const opened = pages.get(name)
    const page = opened ?? (await open({ ...WIDTHS[width], locale, colorScheme }, scene.owner.authorization))
    pages.set(name, page)
    await (opened ? followLink(page, path) : page.goto(scene.origin + path))
    return page
  }

  /** What is wider than the screen, and the findings of axe. */
  async function defectsOf(page: Page, name: string): Promise<string[]> {
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    const defects = await pageDefects(page)
    const size = page.viewportSize()
    await takePicture(page, name.replaceAll(/\W/g, '-'))
    if (!size || size.width > 600) return defects
    await page.setViewportSize(SMALLEST)
    // Charts follow their frame a moment later.
    await expect.poll(() => excessWidth(page), { message: `${name} at ${SMALLEST.width} px` }).toBe(0)
    await page.setViewportSize(size)
    return defects
  }

  /** Of a narrow page. Nothing of these pages but their style depends on the width. */
  async function defectsAtBothWidths(page: Page, name: string): Promise<string[]> {
    const narrow = await defectsOf(page, name)
    await page.setViewportSize(WIDTHS.wide.viewport)
    const wide = await defectsOf(page, name)
    await page.setViewportSize(WIDTHS.narrow.viewport)
    return [...narrow, ...wide]
  }

  it('are all found in the table of routes', () => {
    expect(PATHS.length).toBeGreaterThan(50)
    expect(FOUND.length).toBe(ROUTES.split('createRoute({').length - 1)
  })

  it.each(VIEWS)('$path has no defect at the $width width, $locale and $colorScheme', { timeout: 60_000 }, async (view) => {
    const path = withIds(view.path, ids)
    expect(path).not.toContain('fillOrganization')
    expect(await defectsOf(await openAt(view, path), path)).toEqual([])
  })

  it('cause no errors, and are in the language of their browser', async () => {
    for (const [name, page] of pages) expect(name).toContain(` ${await page.locator('html').getAttribute('lang')}-`)
    expect(new Set([...pages.keys()].map((name) => name.split(' ')[1]))).toEqual(new Set(['en-GB', 'de-DE']))
    expect(complaints.splice(0)).toEqual([])
  })

  it('say at both widths that an address does not exist', async () => {
    const page = await open(WIDTHS.narrow, scene.owner.authorization)
    await page.goto(`${scene.origin}/nowhere/at/all`)
    expect(await defectsAtBothWidths(page, 'nowhere')).toEqual([])
    await page.context().close()
    expect(complaints.splice(0).filter((text) => !text.includes('status of 404'))).toEqual([])
  })

  it('of the sign-in have no defect at both widths', { timeout: 60_000 }, async () => {
    const page = await open({ ...WIDTHS.narrow, locale: 'de-DE', colorScheme: 'dark' })
    for (const path of SIGNED_OUT) {
      await page.goto(scene.origin + path)
      expect(await defectsAtBothWidths(page, path), path).toEqual([])
    }
    await page.context().close()
    // The link of no invitation.
    expect(complaints.splice(0).filter((text) => !text.includes('status of 404'))).toEqual([])
  })

  it('have no defect where there is nothing yet', async () => {
    const { authorization } = await scene.backend.member(await scene.backend.organization('Empty'), 'owner')
    const page = await open(WIDTHS.narrow, authorization)
    await page.goto(scene.origin)
    expect(await defectsAtBothWidths(page, 'empty')).toEqual([])
    for (const path of ['/monitors', '/slos']) {
      await followLink(page, path)
      expect(await defectsAtBothWidths(page, `empty ${path}`), path).toEqual([])
    }
    await page.context().close()
  })

  it.each(DEALT_STATES)('have no defect at the $width width with $state', async ({ path, act, width }) => {
    const page = await scene[width].context().newPage()
    await page.goto(scene.origin + withIds(path, ids))
    await act(page, scene)
    expect(await pageDefects(page)).toEqual([])
    await page.close()
  })

  it('cause no errors after such steps', () => expect([...complaints, ...scene.complaints]).toEqual([]))
})
