import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registration } from '../../../backend/test/harness.ts'
import { isMissing } from '../../../scripts/test-tools.ts'
import { pageDefects } from '../browser.ts'
import { openSignedIn, type SignedIn, takePicture } from '../signed-in.ts'
import { asOwner, createPages, faultsOf, openAs } from './editor.ts'

describe.skipIf(isMissing('chromium'))('keys, views and preferences', () => {
  let scene: SignedIn
  let api: ReturnType<typeof asOwner>
  const pages = createPages(() => scene)
  beforeAll(async () => {
    scene = await openSignedIn()
    api = asOwner(scene)
    const as = await scene.backend.apiKey(scene.organization, 'agent')
    for (const hostname of ['alpha', 'beta'])
      await scene.backend.call('POST', '/v1/agent/register', { as, body: registration(hostname, { hostname }) })
    await api.make('/v1/monitors', { name: 'Checkout', url: 'https://shop.example.com/', tags: ['shop'] })
  })
  afterAll(() => scene?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const openPage = async (page: Page, path = '/', name = 'Overview') => {
    await page.goto(scene.origin + path)
    await heading(page, name)
  }

  describe('the search of all', () => {
    const search = (page: Page) => page.getByLabel('Search servers, monitors, incidents and pages')

    it('opens what was typed last, however late the answer comes', async () => {
      const page = await pages.wide()
      await openPage(page)
      await page.keyboard.press('Control+k')
      await search(page).fill('alpha')
      await page.getByRole('option', { name: /^alpha/ }).waitFor()
      const held: Route[] = []
      await page.route('**/v1/servers?*q=beta*', (route) => void held.push(route))
      await search(page).fill('beta')
      await expect.poll(() => held.length).toBe(1)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      for (const route of held) await route.continue()
      await heading(page, 'beta')
    })

    it('opens what the arrow keys chose, and what a finger taps', async () => {
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

    it('asks before typed changes are left', async () => {
      const page = await pages.wide()
      await openPage(page, '/monitors/add', 'Add monitor')
      await page.getByLabel('URL').fill('https://half.example.com/')
      await page.keyboard.press('Control+k')
      await search(page).fill('alpha')
      await page.getByRole('option', { name: /^alpha/ }).click()
      await page.getByRole('button', { name: 'Keep editing' }).click()
      expect(await page.getByLabel('URL').inputValue()).toBe('https://half.example.com/')
    })

    it('offers a viewer nothing to add, and no settings that are closed', async () => {
      const page = await openAs(scene, 'viewer')
      await openPage(page)
      await page.keyboard.press('Control+k')
      for (const typed of ['add', 'api keys', 'audit']) {
        await search(page).fill(typed)
        await expect.poll(() => page.getByText('0 results').count()).toBe(1)
      }
      await page.context().close()
    })
  })

  describe('the keyboard shortcuts', () => {
    it('lead to each page, and are listed', async () => {
      const page = await pages.wide()
      await openPage(page)
      await page.keyboard.press('?')
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      const rows = await help.locator('dl > div').allTextContents()
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'shortcuts')
      // The page below stays while the help is open.
      for (const key of ['g', 's']) await page.keyboard.press(key)
      expect(new URL(page.url()).pathname).toBe('/')
      await page.keyboard.press('Escape')
      await help.waitFor({ state: 'detached' })
      const found = rows.flatMap((row) => [/^Go to (?<name>.+)g(?<key>\S)$/.exec(row)?.groups ?? []].flat())
      expect(found).toHaveLength(9)
      for (const { name = '', key = '' } of found) {
        const press = async () => {
          for (const each of ['g', key]) await page.keyboard.press(each)
          return (await page.locator('main h1').first().textContent())?.toLowerCase()
        }
        await expect.poll(press).toBe(name)
      }
    })

    it('are letters while one types, and / goes to the search of the list', async () => {
      const page = await pages.wide()
      await openPage(page, '/monitors', 'Monitors')
      await page.keyboard.press('/')
      await page.keyboard.type('g s?/')
      expect(await page.getByLabel('Search monitors').inputValue()).toBe('g s?/')
      expect(new URL(page.url()).pathname).toBe('/monitors')
      expect(await page.getByRole('dialog').count()).toBe(0)
    })
  })

  describe('saved views', () => {
    const views = async () => (await api.read('/v1/me')).organizations[0].saved_views
    const openMenu = (page: Page) => page.getByRole('button', { name: 'Views' }).click()
    const save = async (page: Page, name: string) => {
      await openMenu(page)
      await page.getByRole('menuitem', { name: 'Save this view' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill(name)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).dblclick()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }

    it('of two browsers that are open at once are all kept', async () => {
      const [wide, narrow] = [await pages.wide(), await pages.narrow()]
      await openPage(wide, '/monitors?status=down', 'Monitors')
      await openPage(narrow, '/servers?status=offline', 'Servers')
      await save(wide, 'one')
      await save(narrow, 'two')
      const view = (list: string, name: string, query: string) => ({ list, name, query })
      expect(await views()).toEqual([view('monitors', 'one', 'status=down'), view('servers', 'two', 'status=offline')])
      await openMenu(wide)
      await wide.getByRole('menuitem', { name: 'Remove one' }).click()
      await expect.poll(views).toEqual([view('servers', 'two', 'status=offline')])
    })

    it('have one name each in a list: the last one stays', async () => {
      const page = await pages.wide()
      for (const status of ['down', 'up']) {
        await openPage(page, `/monitors?status=${status}`, 'Monitors')
        await save(page, ' mine ')
      }
      const mine = (await views()).filter(({ name }: { name: string }) => name === 'mine')
      expect(mine).toEqual([{ list: 'monitors', name: 'mine', query: 'status=up' }])
      await openPage(page, '/monitors', 'Monitors')
      await openMenu(page)
      // Without a filter there is nothing to save.
      expect(await page.getByRole('menuitem', { name: 'Save this view' }).getAttribute('aria-disabled')).toBe('true')
      for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key)
      await expect.poll(() => new URL(page.url()).search).toBe('?status=up')
    })

    it('without a name that one can see are refused next to the field, and a failure loses nothing', async () => {
      const page = await pages.narrow()
      await openPage(page, '/monitors?tag=shop', 'Monitors')
      await openMenu(page)
      await page.getByRole('menuitem', { name: 'Save this view' }).click()
      const dialog = page.getByRole('dialog')
      const submit = dialog.getByRole('button', { name: 'Save' })
      expect(await submit.isDisabled()).toBe(true)
      await dialog.getByLabel('Name').fill('\u200B')
      await submit.click()
      await expect.poll(async () => Object.keys(await faultsOf(page))).toEqual(['Name'])
      expect(await pageDefects(page)).toEqual([])
      await dialog.getByLabel('Name').fill('night')
      await page.route('**/membership', (route) => route.abort('connectionrefused'), { times: 1 })
      await submit.click()
      await dialog.getByText('Vedette is not reachable.').waitFor()
      expect(await dialog.getByLabel('Name').inputValue()).toBe('night')
      await submit.click()
      await dialog.waitFor({ state: 'detached' })
      expect(await views()).toContainEqual({ list: 'monitors', name: 'night', query: 'tag=shop' })
    })
  })

  describe('the preferences', () => {
    const background = (page: Page) => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')

    it('change the theme in all tabs of the browser, and follow the system again', async () => {
      const page = await pages.wide()
      const other = await pages.wide()
      await openPage(page)
      await openPage(other, '/monitors', 'Monitors')
      const light = await background(page)
      await page.getByRole('button', { name: 'Account and preferences' }).click()
      await page.getByRole('menuitemradio', { name: 'Dark' }).click()
      await expect.poll(() => background(other)).not.toBe(light)
      // Chromium paints the tab in front alone.
      await page.bringToFront()
      await expect.poll(() => background(page)).toBe(await background(other))
      await other.bringToFront()
      expect(await pageDefects(other)).toEqual([])
      await openPage(other, '/settings/profile', 'Settings')
      expect(await other.getByRole('button', { name: 'Dark' }).getAttribute('aria-pressed')).toBe('true')
      await other.getByRole('button', { name: 'System' }).click()
      await page.bringToFront()
      await expect.poll(() => background(page)).toBe(light)
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(() => background(page)).not.toBe(light)
    })

    it('show all times in the chosen zone, also after a reload', async () => {
      const page = await pages.narrow()
      await openPage(page, '/settings/profile', 'Settings')
      await page.getByLabel('Time zone').selectOption('Pacific/Auckland')
      await page.reload()
      await heading(page, 'Settings')
      expect(await page.getByLabel('Time zone').inputValue()).toBe('Pacific/Auckland')
      await page.goto(`${scene.origin}/settings/audit`)
      const { at } = (await api.read('/v1/audit-events?limit=1')).audit_events[0]
      const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Pacific/Auckland' })
      await page
        .getByRole('main')
        .getByText(clock.format(new Date(at)))
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'Account and preferences' }).click()
      await page
        .getByText(/Pacific\/Auckland/)
        .filter({ visible: true })
        .first()
        .waitFor()
    })

    it('keep the language on the sign-in page, and on an address that does not exist', async () => {
      const page = await openAs(scene, 'viewer', 390)
      await openPage(page, '/settings/profile', 'Settings')
      await page.getByLabel('Language').selectOption('de')
      await heading(page, 'Einstellungen')
      await page.goto(`${scene.origin}/nowhere`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.title()).not.toMatch(/not found/i)
      expect(await pageDefects(page)).toEqual([])
      await page.getByRole('button', { name: /Konto/ }).click()
      await page.getByRole('menuitem', { name: 'Abmelden' }).click()
      await page.getByRole('button', { name: 'Anmelden' }).waitFor()
      expect(await page.evaluate('document.documentElement.lang')).toBe('de')
      await page.context().close()
    })
  })

  describe('the security log', () => {
    it('has pages and a filter, both in the address', async () => {
      for (let index = 0; index < 55; index += 1) {
        const { id } = await api.make('/v1/api-keys', { name: `key ${index}`, scopes: ['read'] })
        if (index < 3) await scene.backend.call('DELETE', `/v1/api-keys/${id}`, { as: scene.owner })
      }
      const page = await pages.narrow()
      await openPage(page, '/settings/security-log', 'Settings')
      const rows = page.getByRole('main').getByRole('listitem')
      await expect.poll(() => rows.count()).toBe(50)
      await page.getByRole('button', { name: 'Next' }).tap()
      await expect.poll(() => new URL(page.url()).searchParams.get('page')).toBe('2')
      const first = await api.read('/v1/security-events?limit=50&page=2')
      await expect.poll(() => rows.count()).toBe(first.security_events.length)
      const { security_events: revoked, total } = await api.read('/v1/security-events?type=api_key.revoked')
      await page.getByLabel('Type').selectOption('api_key.revoked')
      await expect.poll(() => rows.count()).toBe(total)
      expect(revoked).toHaveLength(3)
      // A filter begins at the first page.
      expect(new URL(page.url()).search).toBe('?action=api_key.revoked')
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'security-log')
      await page.goBack()
      await expect.poll(() => rows.count()).toBe(first.security_events.length)
    })

    it('is closed to members', async () => {
      const page = await openAs(scene, 'member')
      await page.goto(`${scene.origin}/settings/security-log`)
      await page.getByText('Your role does not have access to this page.').waitFor()
      expect(await page.getByRole('main').getByRole('listitem').count()).toBe(0)
      await page.context().close()
    })
  })

  it('report no fault of a script', () => expect(scene.complaints).toEqual([]))
})
