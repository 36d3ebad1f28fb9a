import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { READS_OF_ALL, READS_OF_ITEMS, READS_OF_VIEWS } from '../../backend/test/budgets/views.ts'
import { casesOf, isWhole } from '../../backend/test/deal.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { excessWidth, pageDefects, seenDefects } from './browser.ts'
import { filesOf, LATER } from './figures/script.ts'
import { fillOrganization } from './filled.ts'
import { followLink, FOUND, PATHS, ROUTES, withIds } from './routes.ts'
import { openSignedIn, type SignedIn, takePicture, TAKES_PICTURES } from './signed-in.ts'

/** Pages that an address opens without a session. */
const SIGNED_OUT = ['/', '/invitations/accept?token=x', '/password-reset?token=x', '/verify-email?token=x', '/password-reset']

const NARROW = { viewport: { width: 390, height: 844 }, hasTouch: true } satisfies BrowserContextOptions
const WIDE = { width: 1440, height: 900 }
/** Where pages must fit too. The smallest comes last: from there it is back to the width of a phone. */
const BETWEEN = [
  { width: 1920, height: 1080 },
  { width: 1280, height: 800 },
  { width: 768, height: 1024 },
  { width: 720, height: 900 },
  { width: 320, height: 700 },
]

/** Names as they are, as long as they may be and of one word, and from right to left. */
const NAMES = {
  plain: (name: string) => name,
  long: (name: string, maxLength = 100) => name.padEnd(maxLength, 'andmore'),
  'right to left': (name: string, maxLength = 100) => `${name} ${'שם ארוך מאוד של שירות '.repeat(9)}`.slice(0, maxLength).trim(),
}
type Names = keyof typeof NAMES
/** Pictures are for people, and show plain names; what fits with others fits with those. */
const KINDS: readonly Names[] = isWhole
  ? ['plain', 'long', 'right to left']
  : TAKES_PICTURES
    ? ['plain']
    : ['long', 'right to left']

/** Parts that come later, but by themselves. */
const WITH_DATA = [
  'src/components/managed-note.tsx',
  'src/components/chart/plot.ts',
  'src/features/servers/entities/entity-tab.tsx',
  'src/components/documentation-fields.tsx',
  'src/features/monitors/active-hours-fields.tsx',
  'src/features/monitors/steps-editor.tsx',
  'src/features/monitors/composites/editor.tsx',
  'src/features/monitors/composites/panel.tsx',
]

/** One look at one page. */
interface View {
  path: string
  names: Names
  locale: 'en-GB' | 'de-DE'
  colorScheme: 'light' | 'dark'
}

const everyView = (path: string): View[] =>
  KINDS.flatMap((names) =>
    (['en-GB', 'de-DE'] as const).flatMap((locale) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ path, names, locale, colorScheme })),
    ),
  )
/** Each page with one kind of names, in one language and one colour; at night in all. */
const VIEWS = casesOf(PATHS.flatMap(everyView), {
  row: ({ path }) => path,
  kind: ({ names, locale, colorScheme }) => `${names} ${locale} ${colorScheme}`,
  outcome: () => '',
})

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
    'a question before an undo, and what was changed since',
    '/changes/$changeId',
    async (page) => {
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('button', { name: 'Overwrite these changes' }).waitFor()
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

/** The innermost elements that end right of the screen, for the message of a failure. */
const widest = (page: Page): Promise<string> =>
  page.evaluate<string>(`[...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .filter((one) => {
      for (let above = one.parentElement; above && above !== document.body; above = above.parentElement)
        if (getComputedStyle(above).overflowX !== 'visible') return false
      return true
    })
    .filter((one, index, all) => !all.some((other) => other !== one && one.contains(other)))
    .slice(0, 3).map((one) => one.outerHTML.slice(0, 160)).join(' | ')`)

/** The names of rows that lie over the next column, or have hardly room for a word. */
const CROWDED = `[...document.querySelectorAll('[data-rows] > li > :has(a)')]
  .map((cell) => [cell.querySelector('a').textContent, cell.scrollWidth - cell.clientWidth, cell.querySelector('a').clientWidth])
  .filter(([, excess, width]) => excess > 1 || width < 100)`

const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** The defects of a page at its present width. */
async function defectsAt(page: Page, name: string): Promise<string[]> {
  await settled(page)
  const defects = [...(await pageDefects(page)), ...(await seenDefects(page))]
  await takePicture(page, name.replaceAll(/\W/g, '-'))
  return defects.map((defect) => `at ${page.viewportSize()?.width} px: ${defect}`)
}

/** What is too wide for a screen that was just made this wide. */
async function excessAt(page: Page, width: number): Promise<string[]> {
  // Charts follow their frame a moment later, and the size of the screen is known to the page before its layout is.
  const fits = async () => expect([await page.evaluate<number>('innerWidth'), await excessWidth(page)]).toEqual([width, 0])
  return vi.waitFor(fits, { timeout: 3_000, interval: 20 }).then(
    () => [],
    async () => [`${await excessWidth(page)} px wider than ${width} px: ${await widest(page)}`],
  )
}

describe.skipIf(isMissing('chromium'))('the pages of the dashboard', () => {
  let scene: SignedIn
  const ids = {} as Record<Names, Record<string, string>>
  const complaints: string[] = []
  const requested = new Set<string>()
  /** By language and colour. */
  const pages = new Map<string, Page>()
  beforeAll(async () => {
    scene = await openSignedIn({ fill: async ({ clock }) => clock.advance(-120_000) })
    for (const names of KINDS) ids[names] = await fillOrganization(scene, NAMES[names], names.replaceAll(' ', '-'))
  })
  afterAll(() => scene?.close())

  async function open(options: BrowserContextOptions, authorization?: string): Promise<Page> {
    const context = await scene.wide
      .context()
      .browser()
      ?.newContext({ ...NARROW, ...options, reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' })
    if (!context) throw new Error('no browser')
    const token = authorization?.slice('Bearer '.length)
    if (token !== undefined) await context.addInitScript(`sessionStorage.setItem('vedette-token', ${JSON.stringify(token)})`)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on('request', (request) => requested.add(new URL(request.url()).pathname.slice(1)))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    return page
  }

  /** The owner's page of an appearance, at a path. It loads the dashboard once. */
  async function openAt({ locale, colorScheme }: View, path: string): Promise<Page> {
    const name = `${locale} ${colorScheme}`
    const opened = pages.get(name)
    const page = opened ?? (await open({ locale, colorScheme }, scene.owner.authorization))
    pages.set(name, page)
    await (opened ? followLink(page, path) : page.goto(scene.origin + path))
    return page
  }

  /** Of a narrow page: the findings of axe there and on a wide screen, and what is wider than any screen. */
  async function defectsOf(page: Page, name: string): Promise<string[]> {
    const atNarrow = await defectsAt(page, name)
    await page.setViewportSize(WIDE)
    const atWide = [...(await excessAt(page, WIDE.width)), ...(await defectsAt(page, name))]
    const between: string[] = []
    for (const size of BETWEEN) {
      await page.setViewportSize(size)
      between.push(...(await excessAt(page, size.width)))
    }
    await page.setViewportSize(NARROW.viewport)
    return [...atNarrow, ...atWide, ...between]
  }

  it('are all found in the table of routes', () => {
    expect(PATHS.length).toBeGreaterThan(50)
    expect(FOUND.length).toBe(ROUTES.split('createRoute({').length - 1)
  })

  it.each(VIEWS)(
    '$path has no defect at any width with $names names, $locale and $colorScheme',
    { timeout: 60_000 },
    async (view) => {
      const path = withIds(view.path, ids[view.names])
      expect(path).not.toContain('fillOrganization')
      expect(await defectsOf(await openAt(view, path), `${view.names} ${path}`)).toEqual([])
    },
  )

  it('load no checks of a form, and nothing else that a person has to ask for, when they open', () => {
    const [own] = [...filesOf(['src/features/monitors/editor-page.tsx'])]
    expect(requested).toContain(own)
    const loaded = Object.keys(LATER).filter((part) => requested.has([...filesOf([part])][0] ?? ''))
    expect(WITH_DATA).toEqual(expect.arrayContaining(loaded))
  })

  it.each(Object.entries(READS_OF_VIEWS))('%s reads of the API what its budget counts', async (path, expected) => {
    const page = await open({ viewport: WIDE }, scene.owner.authorization)
    const read = new Set<string>()
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      const address = (pathname + search).replaceAll(/_[0-9a-z]{26}/g, '_').replaceAll(/=20\d\d-[^&]+/g, '=instant')
      if (address.startsWith('/v1/')) read.add(address)
    })
    await page.goto(scene.origin + withIds(path, ids[KINDS[0] ?? 'plain']))
    await settled(page)
    const all = [...READS_OF_ALL, ...expected, ...(READS_OF_ITEMS[path] ?? [])]
    await expect.poll(() => [...read].toSorted(), { timeout: 15_000 }).toEqual(all.toSorted())
    await page.context().close()
  })

  it('cause no errors, and are in the language of their browser', async () => {
    for (const [name, page] of pages) expect(name).toContain(`${await page.locator('html').getAttribute('lang')}-`)
    expect(new Set([...pages.keys()].map((name) => name.split(' ')[0]))).toEqual(new Set(['en-GB', 'de-DE']))
    expect(complaints.splice(0)).toEqual([])
  })

  it.each(['/servers', '/monitors'])('leave room for the names of %s on any screen', async (path) => {
    const page = await open({ viewport: WIDE }, scene.owner.authorization)
    await page.goto(scene.origin + path)
    await settled(page)
    for (const width of [768, 1024, 1280, 1408, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(() => page.evaluate<number>('innerWidth')).toBe(width)
      // The size of the screen is known to the page before its layout is.
      await expect.poll(() => page.evaluate<unknown[]>(CROWDED), { message: `at ${width} px` }).toEqual([])
    }
    await page.context().close()
  })

  it('show the whole of a name that ends with an ellipsis when somebody points at it', async () => {
    const names = KINDS.at(-1) ?? 'plain'
    const page = await open({ viewport: { width: 768, height: 900 } }, scene.owner.authorization)
    await page.goto(`${scene.origin}/alerts/channels`)
    await settled(page)
    const cut = page
      .getByRole('main')
      .getByRole('link')
      .filter({ hasText: NAMES[names]('Bereitschaft').slice(0, 12) })
      .first()
    await cut.hover()
    await expect.poll(() => cut.getAttribute('title')).toBe(await cut.textContent())
    await page.context().close()
  })

  it('say at both widths that an address does not exist', async () => {
    const page = await open({}, scene.owner.authorization)
    await page.goto(`${scene.origin}/nowhere/at/all`)
    expect(await defectsOf(page, 'nowhere')).toEqual([])
    await page.context().close()
    expect(complaints.splice(0).filter((text) => !text.includes('status of 404'))).toEqual([])
  })

  it('of the sign-in have no defect at both widths', { timeout: 60_000 }, async () => {
    const page = await open({ locale: 'de-DE', colorScheme: 'dark' })
    for (const path of SIGNED_OUT) {
      await page.goto(scene.origin + path)
      expect(await defectsOf(page, path), path).toEqual([])
    }
    await page.context().close()
    // The link of no invitation.
    expect(complaints.splice(0).filter((text) => !text.includes('status of 404'))).toEqual([])
  })

  it('have no defect where there is nothing yet', async () => {
    const { authorization } = await scene.backend.member(await scene.backend.organization('Empty'), 'owner')
    const page = await open({}, authorization)
    await page.goto(scene.origin)
    expect(await defectsOf(page, 'empty')).toEqual([])
    for (const path of ['/monitors', '/slos']) {
      await followLink(page, path)
      expect(await defectsOf(page, `empty ${path}`), path).toEqual([])
    }
    await page.context().close()
  })

  it.each(DEALT_STATES)('have no defect at the $width width with $state', async ({ path, act, width }) => {
    const page = await scene[width].context().newPage()
    await page.goto(scene.origin + withIds(path, ids[KINDS[0] ?? 'plain']))
    await act(page, scene)
    expect(await pageDefects(page)).toEqual([])
    await page.close()
  })

  it('cause no errors after such steps', () => expect([...complaints, ...scene.complaints]).toEqual([]))
})
