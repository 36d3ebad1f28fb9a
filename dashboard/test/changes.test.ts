import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openScene, type Page, type Scene } from './dom/scene.ts'
import { asOwner, watchRequests } from './editors/editor.ts'
import { createShops, OWNER } from './editors/shops.ts'

describe('changes', () => {
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
  const undoByToast = () => page.getByLabel('Messages', { exact: true }).getByRole('button', { name: 'Undo' }).last().click()
  const rowText = async (text: string) => (await page.getByRole('listitem').filter({ hasText: text }).last().textContent()) ?? ''

  it('are listed with who made them, and filtered by state, day and resource', { timeout: 30_000 }, async () => {
    const [one, other] = [await shops.make(), await shops.make()]
    await api.change(`/v1/monitors/${one.id}`, { interval: 30 })
    await open('/settings')
    await page.getByRole('link', { name: 'Changes' }).click()
    await page.getByRole('link', { name: `${one.name}: interval 60 s → 30 s` }).waitFor()
    const row = await rowText(`${one.name}: interval`)
    expect(row).toMatch(/@.*· by hand.*Applied/)
    await page.getByLabel('State').selectOption('Expired')
    await page.getByText('No results for these filters').waitFor()
    await open('/changes?from=2999-01-01')
    await page.getByText('No results for these filters').waitFor()
    await open(`/monitors/${one.id}/edit`)
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByText('Only the changes of one resource.').waitFor()
    await page.getByRole('link', { name: `${one.name}: interval 60 s → 30 s` }).waitFor()
    expect(await page.getByText(other.name).count()).toBe(0)
    await page.getByRole('button', { name: 'Show all changes' }).click()
    await page.getByRole('link', { name: `${other.name}: new monitor` }).waitFor()
  })

  it('show before and after, and are undone as a new change', { timeout: 30_000 }, async () => {
    const { id, name } = await shops.make()
    await api.change(`/v1/monitors/${id}`, { interval: 30 })
    await open(`/changes?resource=${id}`)
    await page.getByRole('link', { name: `${name}: interval 60 s → 30 s` }).click()
    const cells = page.getByRole('table').getByRole('cell')
    await cells.first().waitFor()
    expect(await cells.allTextContents()).toEqual(['interval', '60', '30'])
    const address = page.url()
    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog', { name: 'Undo this change?' })
    await dialog.getByText(`${name}: interval 30 → 60`).waitFor()
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Undoes an earlier change' }).waitFor()
    expect(page.url()).not.toBe(address)
    expect(await shops.intervalOf(id)).toBe(60)
    await page.getByRole('link', { name: 'Undoes an earlier change' }).click()
    await page.getByRole('link', { name: 'Was undone by a later change' }).waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('say before their undo what does not come back', { timeout: 30_000 }, async () => {
    const secret = { visibility: 'password', password: 'a password of the page' }
    const { id } = await api.make('/v1/status-pages', { name: 'Closed', slug: 'closed-page', title: 'Closed', ...secret })
    await api.change(`/v1/status-pages/${id}`, { title: 'Changed' })
    const [set] = (await api.read(`/v1/change-sets?resource=${id}&limit=1`)).change_sets
    // Where the Undo of a toast leads.
    await open(`/changes/${set.id}?undo=true`)
    const dialog = page.getByRole('dialog', { name: 'Undo this change?' })
    await dialog.getByText('Does not come back:').waitFor()
    expect(await dialog.textContent()).toContain('Closed: if its password was changed, the earlier one is not brought back')
  })

  it('are undone over later ones only after a second question, which names who made those', { timeout: 30_000 }, async () => {
    const { id, name } = await shops.make()
    await api.change(`/v1/monitors/${id}`, { interval: 30 })
    const [set] = (await api.read(`/v1/change-sets?resource=${id}&limit=1`)).change_sets
    await api.change(`/v1/monitors/${id}`, { interval: 300 })
    await open(`/changes/${set.id}`)
    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByText(`${name} was changed by`).waitFor()
    expect(await shops.intervalOf(id)).toBe(300)
    await dialog.getByRole('button', { name: 'Overwrite these changes' }).click()
    await page.getByRole('link', { name: 'Undoes an earlier change' }).waitFor()
    expect(await shops.intervalOf(id)).toBe(60)
  })

  it('that are proposed are applied, and what drifts from them is listed', { timeout: 30_000 }, async () => {
    const { id, name } = await shops.make()
    await open(`/changes/${await shops.propose(name, 120)}`)
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    expect(await shops.intervalOf(id)).toBe(120)
    await open('/changes')
    await page.getByText('Everything is as it was last applied.').waitFor()
    await api.change(`/v1/monitors/${id}`, { interval: 240 })
    await open(`/changes?owner=${OWNER}`)
    await page.getByRole('heading', { name: `Changed since ${OWNER} applied it` }).waitFor()
    await page.getByRole('link', { name: name.replace(' ', '-') }).waitFor()
    expect(await page.getByRole('table').getByRole('cell').allTextContents()).toEqual(['interval', '120', '240'])
  })

  it('in a dialog send what was changed alone, and are undone by its toast', { timeout: 30_000 }, async () => {
    const { id } = await api.make('/v1/identity-providers', {
      name: 'Login',
      kind: 'github',
      client_id: 'vedette',
      client_secret: 'a secret of the client',
      email_domains: ['example.com'],
    })
    await open('/settings/organization')
    await page.getByRole('button', { name: 'Edit' }).click()
    const sent = watchRequests(page, 'PATCH')
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Our login')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Our login').first().waitFor()
    expect(sent).toEqual([{ path: `/v1/identity-providers/${id}`, body: { name: 'Our login' } }])
    await undoByToast()
    await page.getByText('Change undone').waitFor()
    expect((await api.read(`/v1/identity-providers/${id}`)).name).toBe('Login')
    const server = await scene.backend.server(scene.organization)
    await open(`/servers/${server.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('menuitem').first().click()
    await page.getByRole('dialog').getByRole('link', { name: 'History' }).waitFor()
    await page.getByLabel('Display name').fill('Checkout host')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Checkout host' }).waitFor()
    await undoByToast()
    await expect.poll(async () => (await api.read(`/v1/servers/${server.id}`)).display_name).toBe(null)
  })

  it('cause no errors', () => expect(scene.complaints).toEqual([]))
})
