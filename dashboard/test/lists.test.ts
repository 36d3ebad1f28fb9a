import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'

import { openTestIncident } from '../../backend/test/incident.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const MINUTE = 60_000

describe.skipIf(isMissing('chromium'))('the lists', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn()
    const { backend, organization, owner } = scene
    const { pg } = backend.pool
    for (let count = 0; count < 12; count += 1) {
      const body = {
        name: `monitor ${String(count).padStart(2, '0')}`,
        url: 'https://example.com/',
        tags: [count % 2 ? 'odd' : 'even'],
      }
      await backend.call('POST', '/v1/monitors', { as: owner, body })
    }
    await pg.query(`update check_schedule set last_checked_at = $1`, [backend.clock.now()])
    const set = (status: string, ...names: string[]) =>
      pg.query(`update monitor_status set status = $1 where monitor in (select number from monitor where name = any($2))`, [
        status,
        names,
      ])
    await set('down', 'monitor 03', 'monitor 08')
    await set('degraded', 'monitor 05')
    await set('paused', 'monitor 00')
    const now = backend.clock.now()
    const flapping = { ruleId: randomUUID(), target: { type: 'monitor', id: randomUUID(), name: 'Flapping' } } as const
    await openTestIncident(backend, organization, { severity: 'info', summary: 'Certificate ends soon', atMs: now - 5 * MINUTE })
    await openTestIncident(backend, organization, { severity: 'critical', summary: 'Shop is down', atMs: now - 9 * MINUTE })
    for (let count = 5; count > 0; count -= 1) {
      const id = await openTestIncident(backend, organization, {
        summary: 'Flapping is down',
        atMs: now - count * 10 * MINUTE,
        ...flapping,
      })
      await backend.call('POST', `/v1/incidents/${id}/resolve`, { as: owner })
      // Resolved by hand it stays muted until its condition clears.
      await pg.query('delete from open_incident where is_muted')
    }
  })
  afterAll(() => scene?.close())

  const bothWidths = async (path: string, act: (page: Page) => Promise<void>) => {
    for (const page of [scene.wide, scene.narrow]) {
      await page.goto(`${scene.origin}${path}`)
      await act(page)
      expect(await pageDefects(page)).toEqual([])
    }
  }
  const rows = (page: Page) => page.getByRole('main').locator('li a').allTextContents()

  it('put the worst monitors first, and say how many there are of each status', async () => {
    await bothWidths('/monitors', async (page) => {
      await page.getByText('monitor 03').waitFor()
      expect((await rows(page)).slice(0, 3)).toEqual(['monitor 03', 'monitor 08', 'monitor 05'])
      expect((await rows(page)).at(-1)).toBe('monitor 00')
      await takePicture(page, 'monitors')
      await page.getByRole('button', { name: 'Down 2' }).click()
      await expect.poll(() => rows(page)).toEqual(['monitor 03', 'monitor 08'])
      await page.getByRole('button', { name: 'All 12' }).click()
      await page.getByLabel('Sort by').selectOption({ label: 'Name (Z–A)' })
      await expect.poll(async () => (await rows(page))[0]).toBe('monitor 11')
    })
  })

  it('keep open and resolved incidents apart, and fold repeated ones', async () => {
    await bothWidths('/incidents', async (page) => {
      await page.getByText('Shop is down').waitFor()
      expect(await rows(page)).toEqual(['Shop is down', 'Certificate ends soon'])
      await takePicture(page, 'incidents')
      await page.getByRole('button', { name: 'Resolved 5' }).click()
      const fold = page.getByRole('button', { name: '5 times in 40 min' })
      await fold.waitFor()
      expect(await rows(page)).toEqual(['Flapping is down'])
      await fold.click()
      expect(await rows(page)).toHaveLength(5)
      await takePicture(page, 'incidents-resolved')
      await page.getByLabel('Severity').selectOption('info')
      await page.getByText('No results for these filters').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await fold.waitFor()
      await page.getByRole('button', { name: /^Open/ }).click()
      await page.getByLabel('Search incidents').fill('certificate')
      await expect.poll(() => rows(page)).toEqual(['Certificate ends soon'])
    })
  })

  it('are searched by Ctrl K from every page, by keys alone', async () => {
    const { wide: page, origin } = scene
    await page.goto(`${origin}/settings`)
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('monitor 08')
    const option = page.getByRole('option', { name: /^monitor 08/ })
    await option.waitFor()
    expect(await pageDefects(page)).toEqual([])
    await takePicture(page, 'palette')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.title()).toContain('monitor 08')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('add mon')
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Add monitor'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(`${origin}/monitors/add`)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').getByRole('combobox').waitFor({ state: 'detached' })
    await scene.narrow.getByRole('button', { name: 'Search everything (Ctrl K)' }).click()
    await scene.narrow.getByRole('dialog').getByRole('combobox').fill('monitor 05')
    await scene.narrow.getByRole('option', { name: /^monitor 05/ }).click()
    await expect.poll(() => scene.narrow.title()).toContain('monitor 05')
  })

  it('print an incident without what is for the screen alone', async () => {
    // Its rule does not exist, of which the browser complains.
    const page = await scene.wide.context().newPage()
    await page.goto(`${scene.origin}/incidents`)
    await page.getByRole('link', { name: 'Shop is down' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop is down' }).waitFor()
    expect(await page.getByText('Times in ').first().isVisible()).toBe(true)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false)
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
    await takePicture(page, 'printed')
    await page.close()
  })

  it('report no fault of a script', () => expect(scene.complaints).toEqual([]))
})
