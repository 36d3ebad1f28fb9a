import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registration } from '../../../backend/test/harness.ts'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

describe('the editor of a server', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  const register = async (hostname: string): Promise<string> => {
    const as = await scene.backend.apiKey(scene.organization, 'agent')
    const body = registration(crypto.randomUUID(), { hostname })
    return (await scene.backend.call('POST', '/v1/agent/register', { as, body })).body.server_id
  }
  const read = (id: string) => api.read(`/v1/servers/${id}`)
  const openMenu = async (page: Page, id: string) => {
    await page.goto(`${scene.origin}/servers/${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
  }
  const open = async (page: Page, id: string) => {
    await openMenu(page, id)
    await page.getByRole('menuitem', { name: 'Edit name and tags' }).click()
    return page.getByRole('dialog', { name: 'Edit name and tags' })
  }
  const saved = (page: Page) => page.getByText('Changes saved').first().waitFor()

  it('says that a new host is waited for and never pushed', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/servers/${await register('new')}`)
    await page.getByText('Waiting', { exact: true }).waitFor()
    const terms = await page.locator('dt', { hasText: 'Last push' }).all()
    const values = terms.map((each) => each.evaluate((term) => term.nextElementSibling?.textContent))
    expect(await Promise.all(values)).toEqual(['never', 'never'])
  })

  it('sends the changed field alone, and nothing where nothing has changed', async () => {
    const page = scene.open()
    const id = await register('only-changed')
    const sent = watchRequests(page, 'PATCH')
    let dialog = await open(page, id)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await saved(page)
    expect(sent).toEqual([])
    dialog = await open(page, id)
    await dialog.getByLabel('Display name').fill('  Front  ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Front' }).waitFor()
    dialog = await open(page, id)
    await dialog.getByLabel('Tags').fill('web')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await saved(page)
    expect(sent.map(({ body }) => body)).toEqual([{ display_name: 'Front' }, { tags: ['web'] }])
    expect(await read(id)).toMatchObject({ display_name: 'Front', tags: ['web'] })
  })

  it('names a name that nobody can see next to its field, and sends it when it is one', async () => {
    const page = scene.open()
    const id = await register('invisible')
    const sent = watchRequests(page, 'PATCH')
    const dialog = await open(page, id)
    await dialog.getByLabel('Display name').fill('\u200B')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('One field needs a change.').waitFor()
    expect(Object.keys(await faultsOf(page))).toEqual(['Display name'])
    expect(await hasFocus(page, 'Display name')).toBe(true)
    expect(sent).toEqual([])
    await dialog.getByLabel('Display name').fill('Visible')
    expect(await faultsOf(page)).toEqual({})
    await dialog.getByRole('button', { name: 'Save' }).dblclick()
    await page.getByRole('heading', { level: 1, name: 'Visible' }).waitFor()
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['web, eu ,web,,', ['web', 'eu']],
    ['x'.repeat(80), ['x'.repeat(64)]],
    [Array.from({ length: 30 }, (_, index) => `t${index}`).join(), Array.from({ length: 20 }, (_, index) => `t${index}`)],
    ['<b>ümlaut</b>', ['<b>ümlaut</b>']],
  ])('makes tags of %s', async (typed, tags) => {
    const page = scene.open()
    const id = await register('tagged')
    const dialog = await open(page, id)
    await dialog.getByLabel('Tags').fill(typed)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await saved(page)
    expect((await read(id)).tags).toEqual(tags)
    await page
      .getByRole('main')
      .getByText(tags[0] ?? '', { exact: true })
      .first()
      .waitFor()
  })

  it('says in plain words that the backend fails, and loses nothing that was typed', async () => {
    const page = scene.open()
    const id = await register('failing')
    const dialog = await open(page, id)
    await dialog.getByLabel('Display name').fill('Typed')
    await page.route(
      `**/v1/servers/${id}`,
      (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()),
      { times: 1 },
    )
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Vedette is not reachable.').waitFor()
    expect(await dialog.getByLabel('Display name').inputValue()).toBe('Typed')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await saved(page)
    expect((await read(id)).display_name).toBe('Typed')
  })

  it('says that a server was deleted meanwhile', async () => {
    const page = scene.open()
    const id = await register('gone')
    const dialog = await open(page, id)
    await dialog.getByLabel('Display name').fill('Too late')
    await scene.backend.call('DELETE', `/v1/servers/${id}`, { as: scene.owner })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => dialog.getByText('It may have been deleted').isVisible()).toBe(true)
  })

  it('needs the exact name to delete a server, which Cancel and Escape keep', async () => {
    const page = scene.open()
    const id = await register('delete-me')
    await openMenu(page, id)
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete delete-me?' })
    const remove = dialog.getByRole('button', { name: 'Delete' })
    for (const typed of ['', 'delete-m', 'Delete-me', 'delete-me2']) {
      await dialog.getByRole('textbox').fill(typed)
      expect(await remove.isDisabled()).toBe(true)
      // Enter sends a form as well.
      await dialog.getByRole('textbox').press('Enter')
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect((await read(id)).id).toBe(id)
  })

  it.each([
    ['viewer', []],
    ['member', []],
    ['admin', ['Edit name and tags', 'Regenerate token', 'Delete']],
  ] as const)('offers the role %s the items %j', async (role, items) => {
    const id = await register(`for-${role}`)
    const page = await scene.openAs(role)
    await page.goto(`${scene.origin}/servers/${id}`)
    await page.getByRole('heading', { level: 1, name: `for-${role}` }).waitFor()
    const menu = page.getByRole('main').getByRole('button', { name: 'Edit', exact: true })
    expect(await menu.count()).toBe(items.length > 0 ? 1 : 0)
    for (const each of await menu.all()) await each.press('Enter')
    const offered = page.getByRole('menuitem').filter({ visible: true })
    await expect.poll(async () => (await offered.allTextContents()).map((text) => text.trim())).toEqual(items)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
