import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('a lost connection', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn()
  })
  afterAll(() => scene?.close())

  it('is shown by a bar, which goes when the backend can be reached again', async () => {
    const { origin, backend } = scene
    const { wide: page } = scene
    const stream = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/events')
    await page.goto(`${origin}/monitors`)
    await page.getByRole('heading', { name: 'Monitors' }).waitFor()
    // A stream that opens later would not be closed below.
    await stream
    const bar = page.getByText('Vedette is not reachable.')
    expect(await bar.count()).toBe(0)
    await page.context().setOffline(true)
    // The browser keeps the stream that is open.
    backend.vedette.app.server.closeAllConnections()
    await bar.waitFor()
    expect(await pageDefects(page)).toEqual([])
    await takePicture(page, 'connection')
    // A page that was not loaded yet opens once it can be: until then the previous one stays.
    await page.getByRole('link', { name: 'Reports' }).click()
    await bar.waitFor()
    await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
    await page.context().setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor()
    await bar.waitFor({ state: 'detached' })
  })

  it('is said by a page of its own where one is opened', async () => {
    for (const page of [scene.wide, scene.narrow]) {
      await page.goto(`${scene.origin}/monitors`)
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
      await page.context().setOffline(true)
      await page.goto(`${scene.origin}/servers`)
      await page.getByRole('heading', { name: 'Vedette cannot be reached' }).waitFor()
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'offline')
      await page.context().setOffline(false)
      await page.getByRole('link', { name: 'Try again' }).click()
      await page.getByRole('heading', { name: 'Servers' }).waitFor()
    }
  })
})
