import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOutage } from '../../backend/test/outage.ts'
import { openScene, type Scene } from './dom/scene.ts'

const COUNT = 116
const TITLE = `${COUNT} servers with the tag site:berlin are offline`

describe('116 servers that fell silent together, among 300 monitors of which 9 are down', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
    await createOutage(scene.backend, scene.organization, scene.owner, COUNT)
  })
  afterAll(() => scene?.close())

  it('are the first line of the list and of the overview, acknowledged in two taps, and all on one line of time', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/incidents`)
    await page.getByRole('link', { name: TITLE }).waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'web-' }).count()).toBe(1)
    await page.getByText(`and ${COUNT - 3} more`).waitFor()
    await page.goto(scene.origin)
    const first = page.getByRole('link', { name: / is down: |are offline/ }).first()
    await first.waitFor()
    expect(await first.textContent()).toContain(TITLE)
    await first.tap()
    await page.getByRole('button', { name: 'Acknowledge' }).tap()
    const acknowledged = async () =>
      (await scene.backend.call('GET', '/v1/incidents?status=acknowledged', { as: scene.owner })).body.total
    await expect.poll(acknowledged).toBe(COUNT)
    await page.getByRole('heading', { name: TITLE }).waitFor()
    await page.getByText(`${COUNT} incidents with one cause`).waitFor()
    await page.getByRole('button', { name: 'Show all 50' }).waitFor()
    await page.getByText(`Acknowledged (${COUNT})`).waitFor()
    await page.getByText(`Affected (${COUNT})`).waitFor()
    await page.getByRole('button', { name: 'Post-mortem' }).waitFor()
  })
})
