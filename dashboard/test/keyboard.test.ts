import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../backend/test/alert-fixture.ts'
import { registration } from '../../backend/test/harness.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { asOwner, createPages, hasFocus } from './editors/editor.ts'
import { plantOutages, type PlantedOutages } from './planted-outages.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('by the keyboard', () => {
  let scene: SignedIn
  let api: ReturnType<typeof asOwner>
  let planted: PlantedOutages
  let serverId: string
  const pages = createPages(() => scene)
  beforeAll(async () => {
    scene = await openSignedIn({ browserOptions: { timezoneId: 'UTC' }, environment: LOCAL_TARGETS })
    api = asOwner(scene)
    planted = await plantOutages(scene)
    const as = await scene.backend.apiKey(scene.organization, 'agent')
    const body = registration('alpha', { hostname: 'alpha' })
    serverId = (await scene.backend.call('POST', '/v1/agent/register', { as, body })).body.server_id
    for (const name of ['monitor 05', 'monitor 08']) await api.make('/v1/monitors', { name, url: 'https://example.com/' })
  })
  afterAll(() => scene?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const openPage = async (page: Page, path = '/', name = 'Overview') => {
    await page.goto(scene.origin + path)
    await heading(page, name)
  }
  const search = (page: Page) => page.getByLabel('Search servers, monitors, incidents and pages')
  const figuresOf = async (page: Page) =>
    (await page.getByRole('group', { name: 'Totals', exact: true }).getByRole('row').allInnerTexts()).map((row) =>
      row.split('\t').map((cell) => cell.replaceAll(/\s+/g, ' ').trim()),
    )

  it('the link to the content is the first that Tab reaches', async () => {
    const page = await pages.wide()
    await page.goto(scene.origin)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true)
  })

  it('the search of all opens what the arrow keys chose, and what a finger taps', async () => {
    const [wide, narrow] = [await pages.wide(), await pages.narrow()]
    await openPage(wide)
    await wide.keyboard.press('Control+k')
    await search(wide).waitFor()
    const selected = wide.locator('[role=option][aria-selected=true]')
    const names = await wide.getByRole('option').allTextContents()
    for (const [key, index] of [
      ['ArrowUp', names.length - 1],
      ['ArrowDown', 0],
      ['ArrowDown', 1],
    ] as const) {
      await wide.keyboard.press(key)
      await expect.poll(() => selected.allTextContents()).toEqual([names[index]])
      expect(await search(wide).getAttribute('aria-activedescendant')).toBe(await selected.getAttribute('id'))
    }
    await wide.keyboard.press('Enter')
    await heading(wide, names[1] ?? '')
    await openPage(narrow)
    await narrow.getByRole('button', { name: /Search everything/ }).tap()
    await search(narrow).fill('audit')
    await narrow.getByRole('option', { name: 'Audit log' }).tap()
    await expect.poll(() => new URL(narrow.url()).pathname).toBe('/settings/audit')
  })

  it('lists are searched by Ctrl K from every page, by keys alone', async () => {
    const page = await pages.wide()
    const { origin } = scene
    await page.goto(`${origin}/settings`)
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('monitor 08')
    const option = page.getByRole('option', { name: /^monitor 08/ })
    await option.waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.title()).toContain('monitor 08')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('pause monitor 08')
    await page.getByRole('option', { name: 'Pause monitor 08' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Monitor paused').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('silence alpha')
    await page.getByRole('option', { name: 'Silence alpha for an hour' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('alpha is silent until').waitFor()
    const [window] = (await api.read('/v1/maintenance-windows')).maintenance_windows
    expect(window.target).toMatchObject({ type: 'server', id: serverId })
    expect(Date.parse(window.ends_at) - Date.parse(window.starts_at)).toBe(3_600_000)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('add mon')
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Add monitor'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(`${origin}/monitors/add`)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').getByRole('combobox').waitFor({ state: 'detached' })
    const narrow = await pages.narrow()
    await narrow.goto(origin)
    await narrow.getByRole('button', { name: 'Search everything (Ctrl K)' }).click()
    await narrow.getByRole('dialog').getByRole('combobox').fill('monitor 05')
    await narrow.getByRole('option', { name: /^monitor 05/ }).click()
    await expect.poll(() => narrow.title()).toContain('monitor 05')
  })

  it('what is typed before the palette is loaded is searched for, and is no shortcut', async () => {
    const page = await pages.wide()
    let load = () => {}
    const held = new Promise<void>((resolve) => (load = resolve))
    await page.route('**/command-palette*', async (route) => {
      await held
      await route.continue()
    })
    await openPage(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('gm? monitor')
    load()
    await search(page).waitFor()
    await page.keyboard.type(' 08')
    expect(await search(page).inputValue()).toBe('gm? monitor 08')
    expect(new URL(page.url()).pathname).toBe('/')
    await page.unroute('**/command-palette*')
  })

  it('rows are reached by j and k, and opened by Enter', async () => {
    const page = await pages.wide()
    await openPage(page, '/monitors?sort=name&q=monitor', 'Monitors')
    await page.getByRole('link', { name: 'monitor 08' }).waitFor()
    const focused = () => page.evaluate('document.activeElement.textContent')
    for (const [key, name] of [
      ['k', 'monitor 08'],
      ['k', 'monitor 05'],
      ['k', 'monitor 05'],
      ['j', 'monitor 08'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(focused).toBe(name)
    }
    await page.keyboard.press('Enter')
    await heading(page, 'monitor 08')
  })

  it('tags are added and removed by the keyboard alone', async () => {
    const page = await pages.wide()
    await page.goto(`${scene.origin}/servers/${serverId}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Edit name and tags' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit name and tags' })
    await dialog.getByLabel('Display name').waitFor()
    // The first control of the dialog is its close button.
    await dialog.getByLabel('Display name').focus()
    await page.keyboard.press('Tab')
    for (const tag of ['one', 'two', 'three']) {
      await page.keyboard.type(tag)
      await page.keyboard.press(tag === 'two' ? ',' : 'Enter')
    }
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog.getByText('two', { exact: true }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('Changes saved').first().waitFor()
    expect((await api.read(`/v1/servers/${serverId}`)).tags).toEqual(['one'])
  })

  it('a replay is run with the keyboard alone, from the page of a rule', { timeout: 60_000 }, async () => {
    const page = await pages.wide()
    await page.goto(`${scene.origin}/alerts/rules/${planted.ruleId}`)
    await page.getByRole('link', { name: 'Replay with changes' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('Alert rule').inputValue()).toBe(planted.ruleId)
    await page.getByRole('button', { name: 'Quiet time' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => hasFocus(page, 'Member')).toBe(true)
    await page.getByRole('button', { name: 'Remove change' }).last().focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Alert rule')
    await page.getByRole('button', { name: 'Remove Set 1' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Add changes')
    await page.keyboard.press('Enter')
    await expect.poll(() => hasFocus(page, 'Alert rule')).toBe(true)
    await page.keyboard.type('Shop')
    await page.getByLabel('Enabled').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Run replay' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Result')
    expect((await figuresOf(page))[1]).toEqual(['Incidents', '4', '−3 1'])
  })

  it('no script fails', () => expect(scene.complaints).toEqual([]))
})
