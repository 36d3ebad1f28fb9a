import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openTestIncident } from '../../backend/test/incident.ts'
import { openScene, type Page, type Scene } from './dom/scene.ts'

const MINUTE = 60_000

describe('the lists', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene({ environment: {} })
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
    const page = scene.open()
    await page.goto(`${scene.origin}${path}`)
    await act(page)
  }
  const rows = (page: Page) => page.getByRole('main').locator('li a').allTextContents()

  it('put the worst monitors first, and say how many there are of each status', async () => {
    await bothWidths('/monitors', async (page) => {
      await page.getByText('monitor 03').waitFor()
      expect((await rows(page)).slice(0, 3)).toEqual(['monitor 03', 'monitor 08', 'monitor 05'])
      expect((await rows(page)).at(-1)).toBe('monitor 00')
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
      await page.getByRole('button', { name: 'Resolved 5' }).click()
      const fold = page.getByRole('button', { name: '5 times in 40 min' })
      await fold.waitFor()
      expect(await rows(page)).toEqual(['Flapping is down'])
      await fold.click()
      expect(await rows(page)).toHaveLength(5)
      await page.getByLabel('Severity').selectOption('info')
      await page.getByText('No results for these filters').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await fold.waitFor()
      await page.getByRole('button', { name: /^Open/ }).click()
      await page.getByLabel('Search incidents').fill('certificate')
      await expect.poll(() => rows(page)).toEqual(['Certificate ends soon'])
    })
  })

  it('say of a monitor that is down since when and why', async () => {
    const { backend, organization } = scene
    const { rows: found } = await backend.pool.pg.query(`select id from monitor where name = 'monitor 08'`)
    const target = { type: 'monitor', id: found[0].id, name: 'monitor 08' } as const
    const atMs = backend.clock.now() - 7 * MINUTE
    const id = await openTestIncident(backend, organization, { summary: 'monitor 08 is down: status 503', atMs, target })
    await bothWidths('/monitors', async (page) => {
      const row = page.getByRole('main').locator('li').filter({ hasText: 'monitor 08' })
      await row.getByText('is down: status 503').waitFor()
      expect(await row.getByText('7 min ago').isVisible()).toBe(true)
      // Without an incident it shows the address.
      await page.getByRole('main').locator('li').filter({ hasText: 'monitor 03' }).getByText('https://example.com/').waitFor()
    })
    await backend.call('POST', `/v1/incidents/${id}/resolve`, { as: scene.owner })
  })

  it('report no fault of a script', () => expect(scene.complaints).toEqual([]))
})
