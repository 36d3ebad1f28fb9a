import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registration } from '../../../backend/test/harness.ts'
import { openTestIncident } from '../../../backend/test/incident.ts'
import { openScene, type Scene } from '../dom/scene.ts'
import { asOwner } from './editor.ts'

describe('finding the way', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
    const key = await scene.backend.apiKey(scene.organization, 'agent')
    await scene.backend.call('POST', '/v1/agent/register', { as: key, body: registration('machine', { hostname: 'db-primary' }) })
    await api.make('/v1/monitors', { name: 'Checkout', url: 'https://shop.example.com/' })
    await openTestIncident(scene.backend, scene.organization, {
      summary: 'Disk is full',
      atMs: scene.backend.clock.now() - 60_000,
    })
  })
  afterAll(() => scene?.close())

  it.each([
    ['check', 'Checkout', /^\/monitors\/mon_/],
    ['db-pri', 'db-primary', /^\/servers\/srv_/],
    ['disk', 'Disk is full', /^\/incidents\/inc_/],
    ['audit', 'Audit log', /^\/settings\/audit$/],
    ['add mon', 'Add monitor', /^\/monitors\/add$/],
  ])('%s and Enter lead to %s by the keyboard alone', async (typed, name, path) => {
    const page = scene.open()
    await page.goto(scene.origin)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    const search = page.getByLabel('Search servers, monitors, incidents and pages')
    await search.waitFor()
    await page.keyboard.type(typed)
    await page.getByRole('option', { name }).first().waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toMatch(path)
  })

  it('the search is opened by a finger too, and closed by Escape without a step', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors`)
    await page.getByRole('button', { name: /Search everything/ }).click()
    const search = page.getByLabel('Search servers, monitors, incidents and pages')
    await search.fill('nothing is called so')
    await page.getByText('0 results').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/monitors')
  })

  it('an unknown address has a page of its own, with a way back', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/nowhere/at/all`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.title()).toMatch(/not found/i)
    await page.getByRole('main').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it.each([
    ['monitors/mon_00000000000000000000000000', 'Monitor'],
    ['servers/srv_00000000000000000000000000', 'Server'],
    ['alerts/rules/alr_00000000000000000000000000', 'Rule'],
    ['alerts/channels/chn_00000000000000000000000000', 'Channel'],
    ['alerts/maintenance/mnt_00000000000000000000000000', 'Window'],
  ])('%s says that it may have been deleted', async (path) => {
    const page = scene.open()
    await page.goto(`${scene.origin}/${path}`)
    await expect
      .poll(() => page.getByText('It may have been deleted, or it belongs to another organization.').isVisible())
      .toBe(true)
  })

  it('every page of the navigation is reached, has a title, and no defect', async () => {
    const page = scene.open()
    await page.goto(scene.origin)
    const navigation = page.getByRole('navigation', { name: 'Main' })
    for (const name of ['Servers', 'Monitors', 'Incidents', 'Alerts', 'Settings', 'Overview']) {
      await navigation.getByRole('link', { name }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      await expect.poll(() => page.title()).toContain(name)
      expect(await navigation.getByRole('link', { name }).getAttribute('aria-current')).toBe('page')
      await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
    }
  })

  it('both logs say who did what, and filter by it', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/settings/audit`)
    await page.getByText('Checkout').first().waitFor()
    const filter = page.getByLabel('Action')
    const { audit_events: events } = await api.read('/v1/audit-events?action=monitor.created')
    await filter.selectOption('monitor.created')
    await expect.poll(() => page.getByRole('main').getByText('Checkout').count()).toBe(events.length)
    await page.goto(`${scene.origin}/settings/security-log`)
    await page.getByRole('heading', { name: 'Security log' }).waitFor()
  })

  it('adding a server gives a command with a token that ends, once for a reload of the tab', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/servers/add`)
    await page.getByRole('button', { name: 'Create token' }).click()
    const tokenIn = async () => /vdt_enr_\w{49}/.exec((await page.getByRole('main').textContent()) ?? '')?.[0]
    await expect.poll(tokenIn).toBeDefined()
    const token = (await tokenIn()) ?? ''
    await page.reload()
    await expect.poll(tokenIn).toBe(token)
    const body = registration(`new ${token}`, { hostname: 'fresh' })
    expect((await scene.backend.call('POST', '/v1/agent/register', { as: { 'x-api-key': token }, body })).status).toBe(201)
  })

  it('a member gets no token, and sees who can create one', async () => {
    const page = await scene.openAs('member')
    await page.goto(`${scene.origin}/servers/add`)
    await page.getByText('Only owners and admins can create enrollment tokens.').waitFor()
    expect(await page.getByRole('button', { name: 'Create token' }).count()).toBe(0)
  })
})
