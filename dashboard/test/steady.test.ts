import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('a page that is loading', () => {
  let scene: SignedIn
  let monitorId: string
  beforeAll(async () => {
    scene = await openSignedIn()
    const { backend, owner } = scene
    const body = { name: 'Shop', url: 'https://shop.example.com/' }
    monitorId = (await backend.call('POST', '/v1/monitors', { as: owner, body })).body.id
  })
  afterAll(() => scene?.close())

  /** Holds the answers to requests until the result is called. */
  async function hold(page: Page, url: RegExp): Promise<{ requested: Promise<unknown>; release: () => Promise<void> }> {
    const held: Route[] = []
    let isHeld = true
    const requested = page.waitForRequest(url)
    await page.route(url, async (route) => {
      if (isHeld) held.push(route)
      else await route.continue()
    })
    return {
      requested,
      release: async () => {
        isHeld = false
        await Promise.all(held.map((route) => route.continue()))
      },
    }
  }

  it('leaves the choices of a list where they are when their counts arrive', async () => {
    for (const page of [scene.narrow, scene.wide]) {
      const { requested, release } = await hold(page, /\/v1\/monitors\?/)
      await page.goto(`${scene.origin}/monitors`)
      const [group, down] = [page.getByRole('button', { name: 'Group by tag' }), page.getByRole('button', { name: /^Down/ })]
      await group.waitFor()
      await requested
      const before = [await group.boundingBox(), await down.boundingBox()]
      expect(await down.textContent()).toBe('Down ')
      await release()
      await page.getByRole('link', { name: 'Shop' }).waitFor()
      expect(await down.textContent()).toBe('Down 0')
      expect([await group.boundingBox(), await down.boundingBox()]).toEqual(before)
    }
  })

  it('shows a monitor together with its open incidents, which stand above the rest', async () => {
    const { narrow: page } = scene
    const { requested, release } = await hold(page, /\/v1\/incidents\?.*target=/)
    const answered = page.waitForResponse((response) => response.url().endsWith(`/v1/monitors/${monitorId}`))
    await page.goto(`${scene.origin}/monitors/${monitorId}`)
    await Promise.all([requested, answered])
    // As long as a page without the incidents would take to be drawn.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    expect(await page.getByRole('heading', { level: 1, name: 'Shop' }).count()).toBe(0)
    await release()
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
  })
})
