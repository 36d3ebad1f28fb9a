import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner } from './editor.ts'
import { OWNER } from './shops.ts'

const SPEC = {
  target: { type: 'server' },
  starts_at: '2027-07-04T20:00:00.000Z',
  ends_at: '2027-07-04T22:00:00.000Z',
  time_zone: 'UTC',
}

// Of the pages of `createEditorPages`, those of maintenance windows load least.
describe('what an editor has saved', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  let page: Page
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
  })
  beforeEach(() => {
    page = scene.open()
  })
  afterAll(() => scene?.close())

  const make = async (): Promise<string> => (await api.make('/v1/maintenance-windows', { name: 'Upgrade', ...SPEC })).id
  const nameOf = async (id: string) => (await api.read(`/v1/maintenance-windows/${id}`)).name
  const save = () => page.getByRole('button', { name: 'Save' }).click()
  const rename = async (id: string, name: string) => {
    await page.goto(`${scene.origin}/alerts/maintenance/${id}`)
    await page.getByLabel('Name').first().fill(name)
    await save()
  }
  const saved = () => page.getByText('Changes saved').waitFor()
  /** The button of the newest toast. */
  const undo = () => page.getByLabel('Messages', { exact: true }).getByRole('button', { name: 'Undo' }).last().click()

  it('is a change of something that is managed only after one question', async () => {
    const source = { file: 'windows/upgrade.yaml', line: 12 }
    const resource = { kind: 'maintenance_window', ref: 'upgrade', spec: { name: 'Managed', ...SPEC }, source }
    const set = await api.make('/v1/change-sets', { owner: OWNER, resources: [resource] })
    const { id } = (await api.make(`/v1/change-sets/${set.id}/apply`, {})).steps[0]
    await rename(id, 'Refused')
    expect(
      await page
        .getByText(/Managed by/)
        .first()
        .textContent(),
    ).toBe(`Managed by ${OWNER} (windows/upgrade.yaml, line 12)`)
    const dialog = page.getByRole('dialog', { name: `Managed by ${OWNER}` })
    await dialog.getByText(`The next apply of ${OWNER} may overwrite this.`).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await nameOf(id)).toBe('Managed')
    await save()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await saved()
    expect(await nameOf(id)).toBe('Refused')
  })

  it('is undone by its toast', async () => {
    const id = await make()
    await rename(id, 'Renamed')
    await saved()
    expect(await nameOf(id)).toBe('Renamed')
    await undo()
    await page.getByText('Change undone').waitFor()
    expect(await nameOf(id)).toBe('Upgrade')
  })

  it('cannot be undone where nothing was changed', async () => {
    await rename(await make(), 'Upgrade')
    await saved()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('is not undone over a later change of somebody else', async () => {
    const id = await make()
    await rename(id, 'Renamed')
    await saved()
    const as = await scene.backend.member(scene.organization, 'admin')
    await scene.backend.call('PATCH', `/v1/maintenance-windows/${id}`, { as, body: { name: 'Later' } })
    await undo()
    await page.getByText('Somebody else has changed it since.').waitFor()
    expect(await nameOf(id)).toBe('Later')
  })

  it('causes no errors', () => expect(scene.complaints).toEqual([]))
})
