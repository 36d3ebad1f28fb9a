import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { asOwner, createPages } from './editors/editor.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('dependencies in the dashboard', () => {
  let scene: SignedIn
  let api: ReturnType<typeof asOwner>
  const pages = createPages(() => scene)
  const make = async (name: string, own: object = {}): Promise<string> =>
    (await api.make('/v1/monitors', { name, url: 'https://shop.example.com/', ...own })).id
  beforeAll(async () => {
    scene = await openSignedIn()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  it('are chosen by name and by tag, removed, and shown with the monitor', async () => {
    for (const [index, page] of (await pages.both()).entries()) {
      const [router, shop] = [await make(`Router ${index}`), await make(`Shop ${index}`)]
      await page.goto(`${scene.origin}/monitors/${shop}/edit`)
      const group = page.getByRole('group', { name: 'Depends on' })
      await group.getByRole('button', { name: 'Add dependency' }).click()
      await group.getByRole('searchbox').fill(`Router ${index}`)
      await group.getByRole('button', { name: `Router ${index}` }).click()
      for (const tag of ['core', 'other']) {
        await group.getByRole('button', { name: 'Add dependency' }).click()
        await group.getByText('Servers', { exact: true }).click()
        await group.getByText('By tag', { exact: true }).click()
        await group.getByLabel('Tag', { exact: true }).fill(tag)
        await group.getByRole('button', { name: 'Add tag' }).click()
      }
      await group.getByRole('button', { name: 'Remove dependency' }).last().click()
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'dependencies-editor')
      await page.getByRole('button', { name: 'Save' }).click()
      const dependsOn = [
        { type: 'monitor', id: router },
        { type: 'server', tag: 'core' },
      ]
      await page.getByRole('link', { name: `Router ${index}` }).waitFor()
      expect((await api.read(`/v1/monitors/${shop}`)).depends_on).toEqual(dependsOn)
      await page.getByText('servers tagged core').waitFor()
      await takePicture(page, 'dependencies-monitor')
    }
  })

  it('that close a cycle are refused next to the field', async () => {
    for (const page of await pages.both()) {
      const router = await make('Edge router')
      await make('Leaf', { depends_on: [{ type: 'monitor', id: router }] })
      await page.goto(`${scene.origin}/monitors/${router}/edit`)
      const group = page.getByRole('group', { name: 'Depends on' })
      await group.getByRole('button', { name: 'Add dependency' }).click()
      await group.getByRole('searchbox').fill('Leaf')
      await group.getByRole('button', { name: 'Leaf' }).first().click()
      await page.getByRole('button', { name: 'Save' }).click()
      const names = 'Edge router → Leaf → Edge router'
      await expect.poll(() => group.textContent()).toContain(`closes a cycle of dependencies: ${names}`)
      await takePicture(page, 'dependencies-cycle')
    }
  })

  it('show what is below an incident, what caused it, and that it flaps', async () => {
    const { backend, organization, origin } = scene
    const shop = await make('Flapping shop')
    await backend.pool.pg.query(
      'update monitor_status set flapping_since = now() from monitor where number = monitor and name = $1',
      ['Flapping shop'],
    )
    const parent = await openTestIncident(backend, organization, { summary: 'Router is down: no answer' })
    for (let index = 0; index < 60; index += 1) {
      const own = { summary: `Shop ${index} is down`, atMs: backend.clock.now() + index, flapping: index === 0 }
      await openTestIncident(backend, organization, { ...own, parent })
    }
    for (const page of await pages.both()) {
      await page.goto(`${origin}/incidents/${parent}`)
      await page.getByRole('heading', { name: '60 incidents below' }).waitFor()
      await page.getByText('and 10 more').waitFor()
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'incident-with-children')
      await page.getByRole('link', { name: 'Shop 0 is down' }).click()
      await page.getByRole('heading', { level: 1, name: 'Shop 0 is down' }).waitFor()
      await page.getByText('Flapping', { exact: true }).waitFor()
      expect(await page.locator('dt:has-text("Caused by") + dd').textContent()).toBe('Router is down: no answer')
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'incident-below')
      await page.goto(`${origin}/monitors`)
      await page.getByText('Flapping', { exact: true }).first().waitFor()
      await takePicture(page, 'monitors-flapping')
      await page.goto(`${origin}/monitors/${shop}`)
      await page.getByText('Flapping', { exact: true }).first().waitFor()
      await takePicture(page, 'monitor-flapping')
    }
    expect(scene.complaints).toEqual([])
  })

  it('of a server are edited in its dialog and shown with its facts', async () => {
    const { id } = await scene.backend.server(scene.organization)
    const router = await make('Rack switch')
    for (const page of await pages.both()) {
      await scene.backend.call('PATCH', `/v1/servers/${id}`, { as: scene.owner, body: { depends_on: [] } })
      await page.goto(`${scene.origin}/servers/${id}`)
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Edit name and tags' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit name and tags' })
      await dialog.getByRole('button', { name: 'Add dependency' }).click()
      await dialog.getByRole('searchbox').fill('Rack')
      await dialog.getByRole('button', { name: 'Rack switch' }).click()
      await takePicture(page, 'dependencies-server')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('link', { name: 'Rack switch' }).waitFor()
      expect((await api.read(`/v1/servers/${id}`)).depends_on).toEqual([{ type: 'monitor', id: router }])
    }
  })
})
