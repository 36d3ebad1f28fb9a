import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../../backend/test/harness.ts'
import { openTestIncident } from '../../backend/test/incident.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { asOwner, createPages, openAs } from './editors/editor.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('in several tabs and browsers', () => {
  let scene: SignedIn
  let api: ReturnType<typeof asOwner>
  const pages = createPages(() => scene)
  beforeAll(async () => {
    // An event reaches all pages of a backend.
    scene = await openSignedIn({ environment: {} })
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const openPage = async (page: Page, path = '/', name = 'Overview') => {
    await page.goto(scene.origin + path)
    await heading(page, name)
  }
  const isSignedIn = (page: Page) => page.getByRole('navigation', { name: 'Main' }).waitFor()
  /** The e-mail of a new member. */
  const newPerson = async (): Promise<string> => {
    const as = await scene.backend.member(scene.organization, 'member')
    return (await scene.backend.call('GET', '/v1/me', { as })).body.email
  }
  /** In a browser of its own. */
  async function openSignedOut(path = '/'): Promise<Page> {
    const context = await scene.wide.context().browser()?.newContext({ reducedMotion: 'reduce' })
    if (!context) throw new Error('no browser')
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(scene.origin + path)
    return page
  }
  const signIn = async (page: Page, email: string) => {
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await isSignedIn(page)
  }
  const openEditor = async (page: Page, id: string) => {
    await page.goto(`${scene.origin}/monitors/${id}/edit`)
    await page.getByLabel('Interval').waitFor()
  }
  const saveMonitor = async (page: Page) => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Recent checks' }).waitFor()
  }
  const background = (page: Page) => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const views = async () => (await api.read('/v1/me')).organizations[0].saved_views
  const openMenu = (page: Page) => page.getByRole('button', { name: 'Views' }).click()
  const save = async (page: Page, name: string) => {
    await openMenu(page)
    await page.getByRole('menuitem', { name: 'Save this view' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).dblclick()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  it('a session ends in all tabs at once', async () => {
    const page = await openSignedOut()
    await signIn(page, await newPerson())
    const other = await page.context().newPage()
    await other.goto(`${scene.origin}/monitors`)
    await isSignedIn(other)
    await page.getByRole('button', { name: 'Account and preferences' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await other.getByText('You signed out in another tab.').waitFor()
    expect(await other.evaluate(`sessionStorage.getItem('vedette-token')`)).toBeNull()
    await page.context().close()
  })

  it('a session that is ended elsewhere says so at its next step', async () => {
    const email = await newPerson()
    const page = await openSignedOut('/settings/security')
    await signIn(page, email)
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
    const other = await openSignedOut('/monitors')
    await signIn(other, email)
    await page.reload()
    const rows = page.getByRole('listitem').filter({ hasText: 'Last used' })
    await expect.poll(() => rows.count()).toBeGreaterThan(1)
    expect(await rows.filter({ hasText: 'This session' }).getByRole('button').count()).toBe(0)
    for (let left = await page.getByRole('button', { name: 'End session' }).count(); left > 0; left -= 1) {
      await page.getByRole('button', { name: 'End session' }).first().click()
      await expect.poll(() => page.getByRole('button', { name: 'End session' }).count()).toBe(left - 1)
    }
    await other.reload()
    await other.getByText('Your session has ended. Sign in again.').waitFor()
    // The session at hand goes on.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Servers' }).click()
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor()
    for (const each of [page, other]) await each.context().close()
  })

  it('editors keep what another tab changed, and ask where both changed the same', async () => {
    const monitor = { name: 'Shop', url: 'https://shop.example.com/', headers: { 'X-Team': 'shop' } }
    const { id } = await api.make('/v1/monitors', monitor)
    const [one, other] = [await pages.wide(), await pages.wide()]
    await Promise.all([one, other].map((page) => openEditor(page, id)))
    await one.getByLabel('Interval').fill('120')
    await saveMonitor(one)
    await other.getByLabel('Name').first().fill('Shop, renamed')
    await saveMonitor(other)
    expect(await api.read(`/v1/monitors/${id}`)).toMatchObject({
      name: 'Shop, renamed',
      interval: 120,
      headers: { 'X-Team': 'shop' },
    })

    await Promise.all([one, other].map((page) => openEditor(page, id)))
    await one.getByLabel('Interval').fill('5 min')
    await one.getByLabel('Timeout').fill('20')
    await saveMonitor(one)
    await other.getByLabel('Interval').fill('600')
    await other.getByRole('button', { name: 'Save' }).click()
    const notice = other.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' })
    await notice.waitFor()
    await expect.poll(() => notice.textContent()).toMatch(/Interval.*Yours: 600.*Theirs: 300/)
    expect(await other.getByLabel('Timeout').inputValue()).toBe('20 s')
    expect((await api.read(`/v1/monitors/${id}`)).interval).toBe(300)
    await notice.getByRole('button', { name: 'Take theirs' }).click()
    expect(await other.getByLabel('Interval').inputValue()).toBe('5 min')
    await other.getByLabel('Interval').fill('600')
    await saveMonitor(other)
    expect(await api.read(`/v1/monitors/${id}`)).toMatchObject({ interval: 600, timeout: 20 })
  })

  it('saved views of two browsers that are open at once are all kept', async () => {
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

  it('the theme changes in all tabs of the browser, and follows the system again', async () => {
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
    await openPage(other, '/settings/profile', 'Settings')
    expect(await other.getByRole('button', { name: 'Dark' }).getAttribute('aria-pressed')).toBe('true')
    await other.getByRole('button', { name: 'System' }).click()
    await page.bringToFront()
    await expect.poll(() => background(page)).toBe(light)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => background(page)).not.toBe(light)
  })

  it('theme and language stay over a reload', async () => {
    const page = await openAs(scene, 'member')
    await openPage(page, '/settings/profile', 'Settings')
    await page.getByRole('button', { name: 'Dark' }).click()
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await page.reload()
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('de')
    await page.context().close()
  })

  it('the language stays on the sign-in page, and on an address that does not exist', async () => {
    const page = await openAs(scene, 'viewer', 390)
    await openPage(page, '/settings/profile', 'Settings')
    await page.getByLabel('Language').selectOption('de')
    await heading(page, 'Einstellungen')
    await page.goto(`${scene.origin}/nowhere`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.title()).not.toMatch(/not found/i)
    await page.getByRole('button', { name: /Konto/ }).click()
    await page.getByRole('menuitem', { name: 'Abmelden' }).click()
    await page.getByRole('button', { name: 'Anmelden' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('de')
    await page.context().close()
  })

  it('an incident shows what another person did without a reload', async () => {
    const { backend } = scene
    const page = await pages.narrow()
    const id = await openTestIncident(backend, scene.organization, { summary: 'Seen by two', atMs: backend.clock.now() - 60_000 })
    await page.goto(`${scene.origin}/incidents/${id}`)
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor()
    const colleague = await backend.member(scene.organization, 'member')
    await backend.call('POST', `/v1/incidents/${id}/acknowledge`, { as: colleague, body: { comment: 'I have it' } })
    await backend.vedette.pollEvents()
    await page.getByText('I have it').waitFor()
    await page.getByText('Acknowledged by').waitFor()
    expect(await page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0)
  })

  it('the editor of a server keeps the name that somebody else gives while one changes the tags, also where the page shows it below', async () => {
    const page = await pages.wide()
    const { id } = await scene.backend.server(scene.organization)
    await page.clock.install()
    await page.goto(`${scene.origin}/servers/${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Edit name and tags' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit name and tags' })
    await dialog.getByLabel('Tags').fill('web,')
    await api.change(`/v1/servers/${id}`, { display_name: 'Named elsewhere' })
    // The page reads the server again.
    await expect
      .poll(async () => {
        await page.clock.runFor(20_000)
        return page.locator('main h1').textContent()
      })
      .toBe('Named elsewhere')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await api.read(`/v1/servers/${id}`)).tags).toEqual(['web'])
    expect((await api.read(`/v1/servers/${id}`)).display_name).toBe('Named elsewhere')
  })
})
