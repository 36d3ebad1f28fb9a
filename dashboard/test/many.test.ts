import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const COUNT = 2_000
const MOST_IN_BULK = 500

describe.skipIf(isMissing('chromium'))('two thousand monitors', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn({ environment: {} })
    const { backend, owner } = scene
    const tagsOf = (count: number) => (count % 5 === 0 ? [] : [['shop', 'mail', 'web', 'api'][count % 4] ?? '', 'prod'])
    const made = Array.from({ length: COUNT }, (_, count) => ({
      name: `monitor ${String(count).padStart(4, '0')}`,
      url: `https://${count}.example.com/`,
      tags: tagsOf(count),
    }))
    for (let from = 0; from < COUNT; from += MOST_IN_BULK) {
      const body = { create: made.slice(from, from + MOST_IN_BULK) }
      await backend.call('POST', '/v1/monitors/bulk', { as: owner, body })
    }
    const { pg } = backend.pool
    await pg.query('update check_schedule set last_checked_at = $1', [backend.clock.now()])
    await pg.query(
      `update monitor_status set status = case when monitor.number % 97 = 0 then 'down' else 'degraded' end
       from monitor where monitor.number = monitor_status.monitor and monitor.number % 97 < 2`,
    )
  })
  afterAll(() => scene?.close())

  it('stand in a grid that the arrow keys and the pointer read', async () => {
    const { wide: page } = scene
    await page.goto(scene.origin)
    const grid = page.getByRole('list', { name: '2,000 monitors' })
    await grid.waitFor()
    expect(await grid.getByRole('link').count()).toBe(COUNT)
    // By element: each step by role would compute the names of all 2,000 again.
    const [first, second] = [grid.locator('a').nth(0), grid.locator('a').nth(1)]
    // What is down has its name in its cell, and its age.
    const [name = ''] = /monitor \d{4}/.exec((await second.textContent()) ?? '') ?? []
    expect(await second.textContent()).toMatch(/monitor \d{4}Down.* ago$/)
    // The rest says it to those who do not see it.
    expect(await grid.locator('a').last().getAttribute('aria-label')).toMatch(/^monitor \d{4} · /)
    await first.focus()
    await page.keyboard.press('ArrowRight')
    expect(await second.evaluate((cell: { matches(selector: string): boolean }) => cell.matches(':focus'))).toBe(true)
    expect(await grid.locator('a[tabindex="0"]').count()).toBe(1)
    await page.getByText(`${name} · Down`).first().waitFor()
    await takePicture(page, 'grid')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(name)
  })

  it('are grouped by tag, which the next visit remembers', async () => {
    const { narrow: page } = scene
    await page.goto(`${scene.origin}/monitors`)
    await page.getByRole('button', { name: 'Group by tag' }).click()
    const group = page.getByRole('button', { name: /^shop 400/ })
    await group.waitFor()
    expect(await group.textContent()).toMatch(/shop400\d+ down\d+ degraded\d+ up/)
    expect(await page.getByRole('main').locator('button[aria-expanded]').last().textContent()).toMatch(/^Without a tag400/)
    await group.click()
    await expect.poll(() => page.getByRole('main').locator('li').count()).toBe(100)
    await takePicture(page, 'groups')
    await page.reload()
    await expect.poll(() => group.getAttribute('aria-expanded')).toBe('true')
    await page.getByRole('button', { name: 'Show all 400' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?tag=shop')
  })

  it('do not move an open menu when they come', async () => {
    const { narrow: page } = scene
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/v1/monitors?**', (route) => released.then(() => route.continue()))
    await page.goto(`${scene.origin}/monitors`)
    await page.getByRole('button', { name: 'Views' }).click()
    const menu = page.getByRole('menu')
    await menu.getByRole('menuitem').first().waitFor()
    const before = await menu.boundingBox()
    release()
    await expect.poll(() => page.getByRole('main').locator('li').count()).toBeGreaterThan(50)
    expect(await menu.boundingBox()).toEqual(before)
    await page.unroute('**/v1/monitors?**')
  })

  it('are deleted by the page, and all of it restored by Undo', async () => {
    const { backend, owner } = scene
    const total = async () => (await backend.call('GET', '/v1/monitors?limit=1', { as: owner })).body.total as number
    const { wide: page } = scene
    await page.goto(`${scene.origin}/monitors?tag=mail`)
    await expect.poll(() => page.getByRole('main').locator('li').count()).toBe(100)
    await page.getByLabel('Select all on this page').click()
    await page.getByText('100 selected').waitFor()
    await page.getByRole('button', { name: 'Delete' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'Delete 100 monitors?' })
    await dialog.getByLabel('Type 100 monitors to confirm').fill('100 monitors')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('100 monitors deleted').waitFor()
    expect(await total()).toBe(COUNT - 100)
    await takePicture(page, 'undo')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(total).toBe(COUNT)
  })

  it('report no fault of a script', () => expect(scene.complaints).toEqual([]))
})
