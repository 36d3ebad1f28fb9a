import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { asOwner, createPages, faultsOf, hasFocus, watchRequests } from './editors/editor.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

interface Noun {
  noun: string
  /** Where its list is. */
  list: string
  add: string
  /** The text of the button that creates it. */
  create: string
  /** What comes before the form. */
  begin?: (page: Page) => Promise<void>
  /** What an empty form needs in addition to a name. */
  fill: (page: Page) => Promise<void>
  /** How an editor opens from the row of the list: the link with the name leads to it, or to a page with a link. */
  edit: 'link' | 'page'
  /** The label of what its list shows, where that is not the name. */
  title?: string
}

const NOTHING = () => Promise.resolve()
const chooseMonitor = async (page: Page) => {
  await page.getByLabel('Search monitors').fill('shop-eu')
  await page.getByRole('button', { name: 'shop-eu-1', exact: true }).click()
}

const NOUNS: readonly Noun[] = [
  {
    noun: 'monitor',
    list: '/monitors',
    add: 'Add monitor',
    create: 'Create monitor',
    fill: NOTHING,
    begin: async (page) => {
      const box = page.getByLabel('What do you want to monitor?')
      await box.fill('https://shop.example.com/')
      await box.press('Enter')
    },
    edit: 'page',
  },
  {
    noun: 'alert rule',
    list: '/alerts/rules',
    add: 'Add rule',
    create: 'Create rule',
    fill: NOTHING,
    edit: 'link',
  },
  {
    noun: 'channel',
    list: '/alerts/channels',
    add: 'Add channel',
    create: 'Create channel',
    fill: async (page) => {
      await page.getByLabel('Type').selectOption('ntfy')
      await page.getByLabel('URL').fill('https://ntfy.example.com')
      await page.getByLabel('Topic').fill('night')
    },
    edit: 'link',
  },
  {
    noun: 'escalation policy',
    list: '/alerts/policies',
    add: 'Add escalation policy',
    create: 'Create policy',
    fill: (page) => page.getByLabel('Pager').first().check(),
    edit: 'link',
  },
  {
    noun: 'on-call schedule',
    list: '/alerts/on-call',
    add: 'Add schedule',
    create: 'Create schedule',
    fill: async (page) => {
      await page.getByLabel('Choose a person').selectOption({ index: 1 })
      await page.getByRole('button', { name: 'Add', exact: true }).click()
    },
    edit: 'page',
  },
  {
    noun: 'maintenance window',
    list: '/alerts/maintenance',
    add: 'Add window',
    create: 'Create window',
    fill: NOTHING,
    edit: 'link',
  },
  {
    noun: 'SLO',
    list: '/slos',
    add: 'Add SLO',
    create: 'Create SLO',
    fill: async (page) => {
      await chooseMonitor(page)
      await page.getByLabel('Objective (% of checks)').fill('99')
    },
    edit: 'page',
  },
  {
    noun: 'status page',
    list: '/status-pages',
    add: 'Create status page',
    create: 'Create status page',
    fill: async (page) => {
      await page.getByLabel('Heading of section 1').fill('Services')
      await chooseMonitor(page)
    },
    edit: 'page',
    title: 'Title',
  },
]

describe.skipIf(isMissing('chromium'))('the journey of each noun', () => {
  let scene: SignedIn
  let api: ReturnType<typeof asOwner>
  const pages = createPages(() => scene)
  beforeAll(async () => {
    scene = await openSignedIn()
    api = asOwner(scene)
    await api.make('/v1/monitors', { name: 'shop-eu-1', url: 'https://shop.example.com/' })
    await api.make('/v1/channels', { name: 'Pager', type: 'webhook', config: { url: 'https://hooks.example.com/' } })
  })
  afterAll(() => scene?.close())

  it.each(NOUNS)(
    'a $noun is created, edited, listed and deleted',
    { timeout: 60_000 },
    async ({ noun, list, add, create, begin, fill, edit, title }) => {
      const [name, renamed] = [`A new ${noun}`, `The same ${noun}`]
      // Each width has half of the nouns.
      const page = await (NOUNS.findIndex((each) => each.noun === noun) % 2 === 0 ? pages.wide() : pages.narrow())
      const open = (text: string) => page.getByRole('main').getByRole('link', { name: text, exact: true }).first().click()
      await page.goto(scene.origin + list)
      await open(add)
      await begin?.(page)
      await page.getByLabel('Name', { exact: true }).first().fill(name)
      await fill(page)
      await page.getByRole('button', { name: create }).click()
      await page.getByText(`${name} created`).first().waitFor()
      await page.goto(scene.origin + list)
      await open(name)
      if (edit === 'page') await open('Edit')
      await page.getByLabel('Name', { exact: true }).first().fill(renamed)
      if (title !== undefined) await page.getByLabel(title, { exact: true }).fill(renamed)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Changes saved').first().waitFor()
      await page.goto(scene.origin + list)
      await page.getByRole('main').getByText(renamed, { exact: true }).first().waitFor()
      if (edit === 'page') await open(renamed)
      await page.getByRole('button', { name: `Delete: ${renamed}` }).click()
      const dialog = page.getByRole('dialog')
      if ((await dialog.getByRole('textbox').count()) > 0) await dialog.getByRole('textbox').fill(renamed)
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByText(`${renamed} deleted`).waitFor()
      const listed = page.getByRole('main').getByRole('link', { name: renamed, exact: true })
      await expect.poll(() => listed.count()).toBe(0)
      await page.getByRole('button', { name: 'Undo' }).last().click()
      await page.getByText(`${renamed} restored`).waitFor()
      await page.goto(scene.origin + list)
      await listed.first().waitFor()
    },
  )

  it('an editor names the faults of headers, of the body and of what an assertion reads, and opens the panel that hides them', async () => {
    const page = await pages.narrow()
    await page.goto(`${scene.origin}/monitors/add/http`)
    const sent = watchRequests(page, 'POST')
    await page.getByLabel('URL').fill('https://shop.example.com/')
    await page.getByLabel('Method').selectOption('POST')
    await page.getByText('Request options').click()
    for (const [index, name] of ['', 'X-Team', 'X-Team'].entries()) {
      await page.getByRole('button', { name: 'Add header' }).click()
      await page.getByLabel('Header name').nth(index).fill(name)
      await page.getByLabel('Header value').nth(index).fill(`secret ${index}`)
    }
    await page.getByLabel('Body', { exact: true }).fill('x'.repeat(65_537))
    await page.getByRole('button', { name: 'Add assertion' }).click()
    await page.getByLabel('Type', { exact: true }).selectOption('header')
    await page.getByLabel('Operator').selectOption({ label: 'exists' })
    await page.getByText('Request options').click()
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('4 fields need a change.').waitFor()
    const property = page.getByLabel('Property')
    expect(await property.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => hasFocus(page, 'Property')).toBe(true)
    expect(await faultsOf(page)).toEqual({
      Property: 'Fill this in.',
      'Header name': 'Each header may be set once.',
      Body: 'Enter at most 65,536 characters.',
    })
    expect(await page.getByLabel('Body', { exact: true }).isVisible()).toBe(true)
    expect(sent).toEqual([])
    await property.fill('etag')
    await page.getByLabel('Header name').nth(0).fill('X-First')
    await page.getByLabel('Header name').nth(2).fill('X-Shop')
    await page.getByLabel('Body', { exact: true }).fill('short')
    expect(await faultsOf(page)).toEqual({})
    // What only the API knows about a header stands at its row.
    await page.getByLabel('Header name').nth(1).fill('Connection')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => hasFocus(page, 'Header name', 1)).toBe(true)
    expect((await faultsOf(page))['Header name']).toBe('The header connection is set by the check itself.')
    await page.getByLabel('Header name').nth(1).fill('X-Team')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByRole('heading', { level: 1, name: 'shop.example.com' }).waitFor()
    const { headers, assertions } = await api.read(`/v1/monitors/${page.url().split('/').at(-1)}`)
    expect(headers).toEqual({ 'X-First': 'secret 0', 'X-Team': 'secret 1', 'X-Shop': 'secret 2' })
    expect(assertions).toEqual([{ type: 'header', operator: 'exists', property: 'etag' }])
  })

  it('a status page shows its preview as visitors see it, without scripts', async () => {
    const [{ id: shop }] = (await api.read('/v1/monitors?q=shop-eu-1')).monitors
    const sections = [{ name: 'Services', monitors: [shop], names: { [shop]: 'Web shop' } }]
    const { id } = await api.make('/v1/status-pages', { name: 'Acme', slug: 'acme-preview', title: 'Acme', sections })
    for (const page of await pages.both()) {
      await page.goto(`${scene.origin}/status-pages/${id}`)
      const preview = page.frameLocator('iframe[title="Preview"]')
      await preview.getByRole('heading', { name: 'Web shop' }).waitFor()
      // The style of the page has arrived, and its script does not run.
      expect(await preview.locator('body').evaluate('document.adoptedStyleSheets[0].cssRules.length > 5')).toBe(true)
      expect(await preview.locator('script, style, a[href]').count()).toBe(0)
    }
  })

  it('causes no fault of a script', () => expect(scene.complaints).toEqual([]))
})
