import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import { asOwner } from './editors/editor.ts'
import { openScene, type Scene } from './dom/scene.ts'

describe('dependencies in the dashboard', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  const make = async (name: string, own: object = {}): Promise<string> =>
    (await api.make('/v1/monitors', { name, url: 'https://shop.example.com/', ...own })).id
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  it('are chosen by name and by tag, removed, and shown with the monitor', async () => {
    const page = scene.open()
    const [router, shop] = [await make(`Router 0`), await make(`Shop 0`)]
    await page.goto(`${scene.origin}/monitors/${shop}/edit`)
    const group = page.getByRole('group', { name: 'Depends on' })
    await group.getByRole('button', { name: 'Add dependency' }).click()
    await group.getByRole('searchbox').fill(`Router 0`)
    await group.getByRole('button', { name: `Router 0` }).click()
    for (const tag of ['core', 'other']) {
      await group.getByRole('button', { name: 'Add dependency' }).click()
      await group.getByText('Servers', { exact: true }).click()
      await group.getByText('By tag', { exact: true }).click()
      await group.getByLabel('Tag', { exact: true }).fill(tag)
      await group.getByRole('button', { name: 'Add tag' }).click()
    }
    await group.getByRole('button', { name: 'Remove dependency' }).last().click()
    await page.getByRole('button', { name: 'Save' }).click()
    const dependsOn = [
      { type: 'monitor', id: router },
      { type: 'server', tag: 'core' },
    ]
    await page.getByRole('link', { name: `Router 0` }).waitFor()
    expect((await api.read(`/v1/monitors/${shop}`)).depends_on).toEqual(dependsOn)
    await page.getByText('servers tagged core').waitFor()
  })

  it('that close a cycle are refused next to the field', async () => {
    const page = scene.open()
    const router = await make('Edge router')
    await make('Leaf', { depends_on: [{ type: 'monitor', id: router }] })
    await page.goto(`${scene.origin}/monitors/${router}/edit`)
    const group = page.getByRole('group', { name: 'Depends on' })
    await group.getByRole('button', { name: 'Add dependency' }).click()
    await group.getByRole('searchbox').fill('Leaf')
    await group.getByRole('button', { name: 'Leaf' }).first().click()
    await page.getByRole('button', { name: 'Save' }).click()
    const names = 'Edge router → Leaf → Edge router'
    await expect.poll(() => group.textContent()).toContain(`Closes a cycle of dependencies: ${names}`)
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
    const page = scene.open()
    await page.goto(`${origin}/incidents/${parent}`)
    await page.getByRole('heading', { name: '60 incidents below' }).waitFor()
    await page.getByText('and 10 more').waitFor()
    await page.getByRole('link', { name: 'Shop 0 is down' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop 0 is down' }).waitFor()
    await page.getByText('Flapping', { exact: true }).waitFor()
    expect(await page.locator('dt', { hasText: 'Caused by' }).evaluate((term) => term.nextElementSibling?.textContent)).toBe(
      'Router is down: no answer',
    )
    await page.goto(`${origin}/monitors`)
    await page.getByText('Flapping', { exact: true }).first().waitFor()
    await page.goto(`${origin}/monitors/${shop}`)
    await page.getByText('Flapping', { exact: true }).first().waitFor()
    expect(scene.complaints).toEqual([])
  })

  it('of a server are edited in its dialog and shown with its facts', async () => {
    const { id } = await scene.backend.server(scene.organization)
    const router = await make('Rack switch')
    const page = scene.open()
    await scene.backend.call('PATCH', `/v1/servers/${id}`, { as: scene.owner, body: { depends_on: [] } })
    await page.goto(`${scene.origin}/servers/${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Edit name and tags' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit name and tags' })
    await dialog.getByRole('button', { name: 'Add dependency' }).click()
    await dialog.getByRole('searchbox').fill('Rack')
    await dialog.getByRole('button', { name: 'Rack switch' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Rack switch' }).waitFor()
    expect((await api.read(`/v1/servers/${id}`)).depends_on).toEqual([{ type: 'monitor', id: router }])
  })
})
