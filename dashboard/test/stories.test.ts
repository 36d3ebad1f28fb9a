import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAlertFixture } from '../../backend/test/alert-fixture.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const COUNT = 5
const TITLE = `${COUNT} servers with the tag site:berlin are offline`

describe.skipIf(isMissing('chromium'))('servers that fell silent together', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn()
    const { backend, organization, owner } = scene
    const condition = { metric: 'status', operator: 'equals', value: 'offline' }
    const alerts = await createAlertFixture(backend, organization, owner, { target: { type: 'server' }, condition })
    for (let index = 0; index < COUNT; index += 1) {
      const { id } = await backend.server(organization)
      await alerts.call('PATCH', `/v1/servers/${id}`, { tags: ['site:berlin'], display_name: `web-${index}` })
    }
    const servers = backend.pool.db.selectFrom('server').select(['id', 'display_name as name'])
    for (const { id, name } of await servers.where('organization', '=', organization.number).orderBy('name').execute())
      await alerts.open({ target_type: 'server', target_id: id, target_name: name, summary: `${name} is offline` })
    await alerts.open()
  })
  afterAll(() => scene?.close())

  it('are one line of the list and of the overview, whose page has all of them', async () => {
    for (const page of [scene.wide, scene.narrow]) {
      await page.goto(`${scene.origin}/incidents`)
      await page.getByRole('link', { name: TITLE }).waitFor()
      expect(await page.getByRole('listitem').filter({ hasText: 'web-' }).count()).toBe(1)
      await page.getByText(`and ${COUNT - 3} more`).waitFor()
      await takePicture(page, 'stories-list')
      expect(await pageDefects(page)).toEqual([])
      await page.goto(scene.origin)
      await page.getByRole('link', { name: TITLE }).waitFor()
      await takePicture(page, 'stories-overview')
      expect(await pageDefects(page)).toEqual([])
    }
  })

  it('are acknowledged in two taps', async () => {
    const { narrow: page, wide } = scene
    await page.getByRole('link', { name: TITLE }).click()
    await page.getByText(`${COUNT} incidents with one cause`).waitFor()
    for (const each of [page, wide]) {
      await each.goto(page.url())
      await each.getByText(`${COUNT} incidents with one cause`).waitFor()
      await takePicture(each, 'stories-incident')
      expect(await pageDefects(each)).toEqual([])
    }
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    const { backend, owner } = scene
    const acknowledged = async () => (await backend.call('GET', '/v1/incidents?status=acknowledged', { as: owner })).body.total
    await expect.poll(acknowledged).toBe(COUNT)
  })
})
