import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, openScene, type Scene } from './dom/scene.ts'
import { asOwner, watchRequests } from './editors/editor.ts'

describe('composites in the dashboard', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  const manual = async (name: string, status = 'up'): Promise<string> =>
    (await api.make('/v1/monitors', { name, type: 'composite', options: { manual_status: status } })).id
  const group = async (name: string, ...ids: string[]): Promise<string> => {
    const members = ids.map((id) => ({ type: 'monitor', id }))
    return (await api.make('/v1/monitors', { name, type: 'composite', options: { members, down_when: { down_at_least: 1 } } })).id
  }
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  it('are made of monitors, tags and parts of servers, with a rule, and changed', async () => {
    const page = scene.open()
    const first = await manual('First member')
    const server = await scene.backend.server(scene.organization)
    const { hostname } = await api.read(`/v1/servers/${server.id}`)
    await page.goto(`${scene.origin}/monitors/add`)
    await page.getByLabel('What do you want to monitor?').fill('gruppe')
    await page
      .getByRole('button', { name: /^Group/ })
      .first()
      .click()
    const sent = watchRequests(page, 'POST')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('Add 1 to 500 members.').waitFor()
    expect(Object.keys(await faultsOf(page))).toEqual(['Name'])
    await page.getByLabel('Name').first().fill('Whole shop')
    const members = page.getByRole('group', { name: 'Members' })
    await members.getByRole('button', { name: 'Add monitors or servers' }).click()
    await members.getByRole('searchbox').fill('First member')
    await members.getByRole('button', { name: 'First member' }).click()
    await members.getByRole('button', { name: 'Add monitors or servers' }).click()
    await members.getByText('By tag', { exact: true }).click()
    await members.getByLabel('Tag', { exact: true }).fill('shop')
    await members.getByRole('button', { name: 'Add tag' }).click()
    await members.getByRole('button', { name: 'Add part of a server' }).click()
    await members.getByRole('button', { name: hostname }).first().click()
    await members.getByLabel('Name').fill('shop/web')
    await members.getByRole('button', { name: 'Add', exact: true }).click()
    await members.getByText('Weight and requirement').first().click()
    await members.getByLabel('Weight').first().fill('0')
    await page.getByLabel('Down when').selectOption('percent')
    await page.getByLabel('Share (%)').fill('60')
    await page.getByLabel('A rule of its own for degraded').check()
    await page.getByLabel('Degraded when').selectOption('required')
    await page.getByText('No member is required yet').waitFor()
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => faultsOf(page)).toEqual({ Weight: 'Enter a number from 1 to 1000.' })
    expect(sent).toEqual([])
    await members.getByLabel('Weight').first().fill('5')
    await members
      .getByLabel(/^Required/)
      .first()
      .check()
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Whole shop')
    const id = page.url().split('/').at(-1)
    expect((await api.read(`/v1/monitors/${id}`)).options).toEqual({
      members: [
        { type: 'monitor', id: first, weight: 5, required: true },
        { type: 'monitor', tag: 'shop' },
        { type: 'entity', server_id: server.id, kind: 'container', name: 'shop/web' },
      ],
      down_when: { up_below_percent: 60 },
      degraded_when: { any_required_down: true },
    })
    await page.goto(`${scene.origin}/monitors/${id}/edit`)
    await members.getByText('weight 5, required').waitFor()
    await members.getByRole('button', { name: 'Remove member' }).last().click()
    await page.getByLabel('A rule of its own for degraded').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => Object.keys((await api.read(`/v1/monitors/${id}`)).options)).toEqual(['members', 'down_when'])
    expect(scene.complaints).toEqual([])
  })

  it('show what the API refuses next to the members', async () => {
    const page = scene.open()
    const inner = await manual('Inner ring')
    const outer = await group('Outer ring', inner)
    await page.goto(`${scene.origin}/monitors/${inner}/edit`)
    await page.getByRole('button', { name: 'Members' }).click()
    const members = page.getByRole('group', { name: 'Members' })
    await members.getByRole('button', { name: 'Add monitors or servers' }).click()
    await members.getByRole('searchbox').fill('Outer ring')
    await members.getByRole('button', { name: 'Outer ring' }).first().click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => members.textContent())
      .toContain('Closes a cycle of dependencies: Inner ring → Outer ring → Inner ring')
    expect((await api.read(`/v1/monitors/${outer}`)).options.members).toHaveLength(1)
  })

  it('show their members, the worst first, those of members when they are unfolded, and nothing of checks', async () => {
    const page = scene.open()
    const [well, ill] = [await manual('Well one'), await manual('Ill one', 'down')]
    const router = (await api.make('/v1/monitors', { name: 'Router', url: 'https://router.example.com/' })).id
    const needy = { url: 'https://shop.example.com/', depends_on: [{ type: 'monitor', id: router }] }
    const unchecked = (await api.make('/v1/monitors', { name: 'New one', ...needy })).id
    const id = await group('Storefront', well, await group('Back office', ill, unchecked))
    await page.goto(`${scene.origin}/monitors/${id}`)
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    await page.getByText('1 of 2 members down: Back office').first().waitFor()
    const names = () => page.getByRole('link', { name: /(one|office)$/ }).allTextContents()
    expect(await names()).toEqual(['Back office', 'Well one'])
    await page.getByRole('button', { name: 'Members of Back office' }).click()
    await expect.poll(names).toEqual(['Back office', 'Ill one', 'New one', 'Well one'])
    await page.getByText('not checked yet, does not count').waitFor()
    await page.getByText('one member is down (all must work)').waitFor()
    for (const text of ['Recent checks', 'Interval', 'Assertions', 'Waiting', 'Check now'])
      expect([text, await page.getByText(text, { exact: true }).count()]).toEqual([text, text === 'Waiting' ? 1 : 0])
    await page.getByText('Map of what it rests on').click()
    const map = page.getByRole('region', { name: 'Map of what it rests on' })
    const mapped = () => map.getByRole('link').allTextContents()
    await expect.poll(mapped).toEqual(['Storefront', 'Back office', 'Well one', 'Ill one', 'New one', 'Router'])
    await page.goto(`${scene.origin}/monitors?q=Storefront`)
    await page.getByRole('link', { name: 'Storefront' }).waitFor()
    expect(await page.getByText('Waiting', { exact: true }).count()).toBe(0)
    expect(scene.complaints).toEqual([])
  })

  it('of a person get their status at once, and get it back', async () => {
    const page = scene.open()
    const id = await manual('Phones')
    const status = async () => (await api.read(`/v1/monitors/${id}`)).status
    await page.goto(`${scene.origin}/monitors/${id}`)
    const control = page.getByRole('group', { name: 'Set status' })
    const sent = watchRequests(page, 'PATCH')
    await control.getByRole('button', { name: 'Down' }).click()
    await page.getByText('Status set: down').waitFor()
    await page.getByText(/^Down for/).waitFor()
    expect(await status()).toBe('down')
    expect(sent).toEqual([{ path: `/v1/monitors/${id}`, body: { options: { manual_status: 'down' } } }])
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await expect.poll(status).toBe('up')
    const viewer = await scene.openAs('viewer')
    await viewer.goto(`${scene.origin}/monitors/${id}`)
    await viewer.getByText('A person sets this status').waitFor()
    expect(await viewer.getByRole('group', { name: 'Set status' }).count()).toBe(0)
    expect(scene.complaints).toEqual([])
  })
})
