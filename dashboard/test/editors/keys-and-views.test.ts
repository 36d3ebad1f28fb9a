import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registration } from '../../../backend/test/harness.ts'
import type { Route } from '../dom/requests.ts'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner } from './editor.ts'

describe('keys, views and preferences', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene()
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
      const page = scene.open()
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

    it('asks before typed changes are left', async () => {
      const page = scene.open()
      await openPage(page, '/monitors/add/http', 'Add monitor')
      await page.getByLabel('URL').fill('https://half.example.com/')
      await page.keyboard.press('Control+k')
      await search(page).fill('alpha')
      await page.getByRole('option', { name: /^alpha/ }).click()
      await page.getByRole('button', { name: 'Keep editing' }).click()
      expect(await page.getByLabel('URL').inputValue()).toBe('https://half.example.com/')
    })

    it('offers a viewer nothing to add, and no settings that are closed', async () => {
      const page = await scene.openAs('viewer')
      await openPage(page)
      await page.keyboard.press('Control+k')
      for (const typed of ['add', 'api keys', 'audit']) {
        await search(page).fill(typed)
        await expect.poll(() => page.getByText('0 results').count()).toBe(1)
      }
    })
  })

  describe('the keyboard shortcuts', () => {
    it('lead to each page, and are listed', async () => {
      const page = scene.open()
      await openPage(page)
      await page.keyboard.press('?')
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await help.waitFor()
      const rows = await help.locator('dl > div').allTextContents()
      // The page below stays while the help is open.
      for (const key of ['g', 's']) await page.keyboard.press(key)
      expect(new URL(page.url()).pathname).toBe('/')
      await page.keyboard.press('Escape')
      await help.waitFor({ state: 'detached' })
      const found = rows.flatMap((row) => [/^Go to (?<name>.+)g(?<key>\S)$/.exec(row)?.groups ?? []].flat())
      expect(found).toHaveLength(11)
      for (const { name = '', key = '' } of found) {
        const press = async () => {
          for (const each of ['g', key]) await page.keyboard.press(each)
          return (await page.locator('main h1').first().textContent())?.toLowerCase()
        }
        await expect.poll(press).toBe(name)
      }
    })

    it('are letters while one types, and / goes to the search of the list', async () => {
      const page = scene.open()
      await openPage(page, '/monitors', 'Monitors')
      await page.getByLabel('Search monitors').waitFor()
      // The page listens once its effects have run, a moment after it shows its fields.
      const press = async () => {
        const isThere = await hasFocus(page, 'Search monitors')
        if (!isThere) await page.keyboard.press('/')
        return isThere
      }
      await expect.poll(press).toBe(true)
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

    it('are shown in another browser, in their own list only, until they are removed', async () => {
      const [from, page] = [scene.open(), scene.open()]
      await openPage(from, '/monitors?status=down&sort=-name&tag=shop&page=2', 'Monitors')
      await save(from, 'At night')
      expect(await views()).toContainEqual({ list: 'monitors', name: 'At night', query: 'status=down&sort=-name&tag=shop' })
      await openPage(page, '/servers', 'Servers')
      await openMenu(page)
      await page.getByRole('menuitem', { name: 'Save this view' }).waitFor()
      expect(await page.getByText('At night').count()).toBe(0)
      await openPage(page, '/monitors', 'Monitors')
      await openMenu(page)
      await page.getByRole('menuitem', { name: 'At night' }).first().click()
      await expect.poll(() => new URL(page.url()).search).toBe('?status=down&sort=-name&tag=shop')
      await openMenu(page)
      await page.getByRole('menuitem', { name: 'Remove At night' }).click()
      await expect.poll(async () => (await views()).map(({ name }: { name: string }) => name)).not.toContain('At night')
    })

    it('have one name each in a list: the last one stays', async () => {
      const page = scene.open()
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
      const page = scene.open()
      await openPage(page, '/monitors?tag=shop', 'Monitors')
      await openMenu(page)
      await page.getByRole('menuitem', { name: 'Save this view' }).click()
      const dialog = page.getByRole('dialog')
      const submit = dialog.getByRole('button', { name: 'Save' })
      expect(await submit.isDisabled()).toBe(true)
      await dialog.getByLabel('Name').fill('\u200B')
      await submit.click()
      await expect.poll(async () => Object.keys(await faultsOf(page))).toEqual(['Name'])
      await dialog.getByLabel('Name').fill('night')
      await page.route('**/membership', (route) => route.abort(), { times: 1 })
      await submit.click()
      await dialog.getByText('Vedette is not reachable.').waitFor()
      expect(await dialog.getByLabel('Name').inputValue()).toBe('night')
      await submit.click()
      await dialog.waitFor({ state: 'detached' })
      expect(await views()).toContainEqual({ list: 'monitors', name: 'night', query: 'tag=shop' })
    })
  })

  describe('the preferences', () => {
    it('show all times in the chosen zone, also after a reload', async () => {
      const page = scene.open()
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
  })

  describe('the security log', () => {
    it('has pages and a filter, both in the address', async () => {
      for (let index = 0; index < 55; index += 1) {
        const { id } = await api.make('/v1/api-keys', { name: `key ${index}`, scopes: ['read'] })
        if (index < 3) await scene.backend.call('DELETE', `/v1/api-keys/${id}`, { as: scene.owner })
      }
      const page = scene.open()
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
      await page.goBack()
      await expect.poll(() => rows.count()).toBe(first.security_events.length)
    })

    it('is closed to members', async () => {
      const page = await scene.openAs('member')
      await page.goto(`${scene.origin}/settings/security-log`)
      await page.getByText('Your role does not have access to this page.').waitFor()
      expect(await page.getByRole('main').getByRole('listitem').count()).toBe(0)
    })
  })

  it('report no fault of a script', () => expect(scene.complaints).toEqual([]))
})
