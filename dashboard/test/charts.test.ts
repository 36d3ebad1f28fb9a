import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credentials, TestBackend, TestOrganization } from '../../backend/test/harness.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe.skipIf(isMissing('chromium'))('the charts of a host', () => {
  let scene: SignedIn
  let serverId: string
  let otherId: string
  /** The last sample; the host has been silent since. */
  let lastMs: number
  beforeAll(async () => {
    const fill = async (backend: TestBackend, organization: TestOrganization) => {
      const server = await backend.server(organization)
      serverId = server.id
      for (let hour = 0; hour < 2; hour += 1) {
        backend.clock.advance(HOUR)
        await pushMinutes(backend, server.as)
      }
      lastMs = backend.clock.now()
      const other = await backend.server(organization)
      otherId = other.id
      await pushMinutes(backend, other.as)
      backend.clock.advance(Date.now() - lastMs)
    }
    scene = await openSignedIn({ startMs: Date.now() - 52 * HOUR, fill })
    const body = { display_name: 'other-host' }
    await scene.backend.call('PATCH', `/v1/servers/${otherId}`, { as: scene.owner, body })
  })
  afterAll(() => scene?.close())

  /** A sample a minute over the last hour: rarer than the 15 s of a step. */
  async function pushMinutes(backend: TestBackend, as: Credentials): Promise<void> {
    const at = (index: number) => new Date(backend.clock.now() - (59 - index) * MINUTE).toISOString()
    const samples = Array.from({ length: 60 }, (_, index) => ({ at: at(index), cpu: { percent: 20 + (index % 10) } }))
    const head = { batch_id: randomUUID(), sent_at: new Date(backend.clock.now()).toISOString(), agent_version: '1' }
    const { status } = await backend.call('POST', '/v1/agent/metrics', { as, body: { ...head, samples } })
    expect(status).toBe(202)
  }

  const times = (page: Page) => new URL(page.url()).searchParams
  const cpu = (page: Page) => page.getByRole('img', { name: /^CPU/ })
  const open = async (page: Page, query = '') => {
    await page.goto(`${scene.origin}/servers/${serverId}${query}`)
    await cpu(page).waitFor()
  }

  it('start at the last hour of a host that is silent', async () => {
    const { wide: page } = scene
    await open(page)
    await expect.poll(() => cpu(page).getAttribute('aria-label')).toMatch(/Busy \d+\.\d %/)
    await takePicture(page, 'silent-host')
    await page.getByRole('button', { name: 'Live' }).click()
    await expect.poll(() => times(page).get('range')).toBe('1h')
    await expect.poll(() => cpu(page).getAttribute('aria-label')).toContain('No data')
  })

  it('move back and forth by their length, and show any two times', async () => {
    const { wide: page } = scene
    await open(page, '?range=24h')
    await page.getByRole('button', { name: 'Earlier' }).click()
    await expect.poll(() => times(page).has('to')).toBe(true)
    const [from, to] = ['from', 'to'].map((name) => Number(times(page).get(name))) as [number, number]
    expect(to - from).toBe(24 * HOUR)
    await page.getByRole('button', { name: 'Later' }).click()
    await expect.poll(() => times(page).get('range')).toBe('24h')
    await page.getByRole('button', { name: 'Choose times' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('From').fill('2026-01-02T10:00')
    await dialog.getByLabel('To').fill('2026-01-02T09:00')
    await dialog.getByRole('button', { name: 'Show' }).click()
    await dialog.getByText('at most 400 days').waitFor()
    await dialog.getByLabel('To').fill('2026-01-02T11:30')
    await dialog.getByRole('button', { name: 'Show' }).click()
    await expect.poll(() => Number(times(page).get('to')) - Number(times(page).get('from'))).toBe(1.5 * HOUR)
    await open(page, '?range=400d')
    await expect.poll(() => cpu(page).getAttribute('aria-label')).toMatch(/Busy/)
  })

  it('move under one finger and change their length under two', async () => {
    const { narrow: page } = scene
    const [from, to] = [lastMs - HOUR, lastMs]
    await open(page, `?from=${from}&to=${to}`)
    await cpu(page).scrollIntoViewIfNeeded()
    const box = await page.locator('.u-over').first().boundingBox()
    if (!box) throw new Error('no chart')
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...shares: number[]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: shares.map((share, id) => ({ id, x: box.x + box.width * share, y: box.y + box.height / 2 })),
      })
    await touch('touchStart', 0.3)
    for (const share of [0.4, 0.6, 0.8]) await touch('touchMove', share)
    await touch('touchEnd')
    await expect.poll(() => Number(times(page).get('from'))).toBeLessThan(from - 20 * MINUTE)
    const moved = Number(times(page).get('to')) - Number(times(page).get('from'))
    expect(Math.abs(moved - HOUR)).toBeLessThan(MINUTE)
    await takePicture(page, 'host')
    await touch('touchStart', 0.4, 0.6)
    for (const spread of [0.15, 0.2, 0.3, 0.4]) await touch('touchMove', 0.5 - spread, 0.5 + spread)
    await touch('touchEnd')
    await expect.poll(() => Number(times(page).get('to')) - Number(times(page).get('from'))).toBeLessThan(20 * MINUTE)
  })

  it('are compared with the time before and with another host', async () => {
    const { narrow: page } = scene
    await open(page, `?from=${lastMs - HOUR}&to=${lastMs}`)
    await page.getByRole('button', { name: 'Compare with' }).click()
    await page.getByRole('menuitem', { name: 'The week before' }).click()
    await expect.poll(() => times(page).get('compare')).toBe('week')
    await expect.poll(() => cpu(page).getAttribute('aria-label')).toContain('Busy, a week before –')
    await page.getByRole('button', { name: 'The week before' }).click()
    await page.getByRole('menuitem', { name: 'Another server' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'other-host' }).click()
    await expect.poll(() => cpu(page).getAttribute('aria-label')).toMatch(/Busy, other-host 2\d\.\d %/)
    await takePicture(page, 'compared')
    await page.getByRole('button', { name: 'Earlier' }).click()
    await expect.poll(() => times(page).get('compare')).toMatch(/^srv_/)
  })

  it('are saved as CSV and PNG, and linked to at their times', async () => {
    const { wide: page } = scene
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page, `?from=${lastMs - HOUR}&to=${lastMs}`)
    const save = async (as: string): Promise<Buffer> => {
      await page.getByRole('button', { name: 'Save CPU' }).click()
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: as }).click()])
      return readFileSync(await download.path())
    }
    const rows = (await save('As CSV')).toString().trim().split('\r\n')
    expect(rows[0]).toMatch(/^time,"[^"]+","Busy"/)
    expect(rows).toHaveLength(121)
    const picture = await save('As PNG')
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.length).toBeGreaterThan(3_000)
    await page.goto(`${scene.origin}/servers/${serverId}?range=6h`)
    await page.getByRole('button', { name: 'Copy a link to these times' }).click()
    const link = new URL(String(await page.evaluate('navigator.clipboard.readText()')))
    expect(Number(link.searchParams.get('to')) - Number(link.searchParams.get('from'))).toBe(6 * HOUR)
    expect([link.pathname, link.searchParams.has('range')]).toEqual([`/servers/${serverId}`, false])
  })

  it('are drawn near the view, and all of them for a print', async () => {
    const { narrow: page } = scene
    await open(page, '?range=24h')
    const plots = page.locator('figure [role="img"]')
    const count = await plots.count()
    const undrawn = page.locator('figure [role="img"]:not(:has(canvas))')
    await plots.first().locator('canvas').waitFor()
    const idle = () => page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestIdleCallback(resolve)))')
    // What is drawn at all is drawn by now.
    await idle()
    expect(await undrawn.count()).toBeGreaterThan(0)
    expect(await plots.last().locator('canvas').count()).toBe(0)
    await plots.last().scrollIntoViewIfNeeded()
    await plots.last().locator('canvas').waitFor()
    await open(page, '?range=6h')
    await plots.first().locator('canvas').waitFor()
    await idle()
    expect(await plots.count()).toBe(count)
    expect(
      await page.evaluate<number>(`dispatchEvent(new Event('beforeprint'))
      document.querySelectorAll('figure [role="img"]:not(:has(canvas))').length`),
    ).toBe(0)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
