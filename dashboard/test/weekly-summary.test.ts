import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, type Scene } from './dom/scene.ts'

describe('the switch of the weekly summary', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene?.close())

  it('turns it on and off, and shows what is stored', async () => {
    const { origin, backend, owner, complaints } = scene
    const isOn = async () => (await backend.call('GET', '/v1/me', { as: owner })).body.organizations[0].weekly_summary
    const page = scene.open()
    const box = page.getByRole('switch', { name: 'Weekly summary by mail' })
    await page.goto(`${origin}/settings/profile`)
    await box.click()
    await page.getByText('Weekly summary turned on').waitFor()
    expect(await isOn()).toBe(true)
    await page.reload()
    await expect.poll(() => box.isChecked()).toBe(true)
    await box.click()
    await page.getByText('Weekly summary turned off').waitFor()
    expect([await isOn(), await box.isChecked()]).toEqual([false, false])
    expect(complaints).toEqual([])

    // Browsers report the failed request to the console.
    await page.route('**/membership', (route) => route.abort())
    await box.click()
    await page.getByLabel('Messages').getByText('Vedette is not reachable.').waitFor()
    expect([await isOn(), await box.isChecked()]).toEqual([false, false])
  })
})
