import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('the switch of the weekly summary', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn()
  })
  afterAll(() => scene?.close())

  it('turns it on and off, and shows what is stored', async () => {
    const { wide, narrow, origin, backend, owner, complaints } = scene
    const isOn = async () => (await backend.call('GET', '/v1/me', { as: owner })).body.organizations[0].weekly_summary
    const open = async (page: typeof wide) => {
      await page.goto(`${origin}/settings/profile`)
      return page.getByRole('switch', { name: 'Weekly summary by mail' })
    }
    const one = await open(wide)
    await one.click()
    await wide.getByText('Weekly summary turned on').waitFor()
    expect(await isOn()).toBe(true)
    const other = await open(narrow)
    await expect.poll(() => other.isChecked()).toBe(true)
    for (const page of [wide, narrow]) {
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'weekly-summary')
    }
    await other.click()
    await narrow.getByText('Weekly summary turned off').waitFor()
    expect([await isOn(), await other.isChecked()]).toEqual([false, false])
    expect(complaints).toEqual([])

    // Browsers report the failed request to the console.
    await narrow.route('**/membership', (route) => route.abort())
    await other.click()
    await narrow.getByLabel('Messages').getByText('Vedette is not reachable.').waitFor()
    expect([await isOn(), await other.isChecked()]).toEqual([false, false])
  })
})
