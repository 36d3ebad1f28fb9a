import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner } from './editor.ts'
import { createShops, OWNER } from './shops.ts'

describe('what an editor has saved', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  let shops: ReturnType<typeof createShops>
  let page: Page
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
    shops = createShops(api)
  })
  beforeEach(() => {
    page = scene.open()
  })
  afterAll(() => scene?.close())

  const open = async (path: string) => page.goto(`${scene.origin}${path}`)
  const edit = async (id: string, interval: string) => {
    await open(`/monitors/${id}/edit`)
    await page.getByLabel('Interval').fill(interval)
    await page.getByRole('button', { name: 'Save' }).click()
  }
  /** The button of the newest toast. */
  const undo = () => page.getByLabel('Messages', { exact: true }).getByRole('button', { name: 'Undo' }).last().click()

  it('is a change of something that is managed only after one question', { timeout: 30_000 }, async () => {
    const { id, name } = await shops.make()
    await api.make(`/v1/change-sets/${await shops.propose(name, 120)}/apply`, {})
    await open(`/monitors/${id}`)
    await page.getByText(/Managed by/).waitFor()
    expect(await page.getByText(/Managed by/).textContent()).toBe(`Managed by ${OWNER} (monitors/shop.yaml, line 12)`)
    await edit(id, '4 min')
    const dialog = page.getByRole('dialog', { name: `Managed by ${OWNER}` })
    await dialog.getByText(`The next apply of ${OWNER} may overwrite this.`).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await shops.intervalOf(id)).toBe(120)
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changes saved').waitFor()
    expect(await shops.intervalOf(id)).toBe(240)
  })

  it('is undone by its toast', { timeout: 30_000 }, async () => {
    const { id } = await shops.make()
    await edit(id, '5 min')
    await page.getByText('Changes saved').waitFor()
    expect(await shops.intervalOf(id)).toBe(300)
    await undo()
    await page.getByText('Change undone').waitFor()
    expect(await shops.intervalOf(id)).toBe(60)
  })

  it('cannot be undone where nothing was changed', { timeout: 30_000 }, async () => {
    const { id } = await shops.make()
    await open(`/monitors/${id}/edit`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changes saved').waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('is not undone over a later change of somebody else', { timeout: 30_000 }, async () => {
    const { id } = await shops.make()
    await edit(id, '5 min')
    await page.getByText('Changes saved').waitFor()
    const as = await scene.backend.member(scene.organization, 'admin')
    await scene.backend.call('PATCH', `/v1/monitors/${id}`, { as, body: { interval: 600 } })
    await undo()
    await page.getByText('Somebody else has changed it since.').waitFor()
    expect(await shops.intervalOf(id)).toBe(600)
  })

  it('is deleted by the toast of its creation, which leads away from its page', { timeout: 30_000 }, async () => {
    await open('/monitors/add/http')
    await page.getByLabel('Name').first().fill('Short lived')
    await page.getByLabel('URL').first().fill('https://short.example.com/')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('Short lived created').waitFor()
    await undo()
    await page.getByText('Short lived: monitor deleted').waitFor()
    expect(page.url()).toContain('/changes/chg_')
  })

  it('causes no errors', () => expect(scene.complaints).toEqual([]))
})
