import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedChecks, seedRegion } from '../../backend/test/seed-checks.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { asOwner, createPages, faultsOf, openAs } from './editors/editor.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE

describe.skipIf(isMissing('chromium'))('the page of reports', () => {
  let scene: SignedIn
  let api: ReturnType<typeof asOwner>
  let statusPage: { id: string }
  let shop: { id: string }
  /** 2026-11-24 */
  let yesterday: string
  const pages = createPages(() => scene)

  /** Two hours of checks of yesterday: 4 inconclusive, 110 up and 6 down; half an hour of them in maintenance. */
  beforeAll(async () => {
    scene = await openSignedIn({ browserOptions: { timezoneId: 'UTC' } })
    const { backend, organization } = scene
    const { pg } = backend.pool
    api = asOwner(scene)
    shop = await api.make('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/', tags: ['public'] })
    await api.make('/v1/monitors', {
      name: 'A wiki for everybody in the company',
      url: 'https://wiki.example.com/',
      tags: ['office'],
    })
    const sections = [{ name: 'All', monitors: [shop.id] }]
    statusPage = await api.make('/v1/status-pages', { name: 'Acme', slug: 'acme', title: 'Acme', sections })
    const startMs = Math.floor(backend.clock.now() / DAY) * DAY - DAY + 600 * MINUTE
    const at = (minute: number) => new Date(startMs + minute * MINUTE)
    yesterday = at(0).toISOString().slice(0, 10)
    const { rows } = await pg.query("update monitor set created_at = $1 where name = 'Shop' returning number", [at(-10_000)])
    const { number } = rows[0]
    const region = await seedRegion(backend, 'ams')
    const outcomeOf = (minute: number) => (minute < 4 ? 3 : minute >= 30 && minute < 36 ? 2 : 0)
    const checks = Array.from({ length: 120 }, (_, minute) => {
      const outcome = outcomeOf(minute)
      return { region, atMs: at(minute).getTime(), outcome, responseUs: outcome < 2 ? 1_000 : null }
    })
    await seedChecks(backend, organization, number, checks)
    for (const [minute, before, after, reason] of [
      [30, 'up', 'down', 'status 503 (expected 200–399)'],
      [36, 'down', 'up', 'recovered'],
    ] as const)
      await pg.query(
        `insert into monitor_transition (organization, id, monitor, at, from_status, to_status, reason)
        values ($1, gen_random_uuid(), $2, $3, $4, $5, $6)`,
        [organization.number, number, at(minute), before, after, reason],
      )
    await api.make('/v1/maintenance-windows', {
      name: 'Upgrade',
      target: { type: 'monitor', id: shop.id },
      starts_at: at(60).toISOString(),
      ends_at: at(90).toISOString(),
    })
  })
  afterAll(() => scene?.close())

  const ofYesterday = () => `${scene.origin}/reports?from=${yesterday}&to=${yesterday}`
  const shown = (page: Page, panel: string) => page.locator('section', { has: page.getByRole('heading', { name: panel }) })
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name }).allTextContents()
  const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

  /** At the width of the smallest phones as well. */
  const check = async (page: Page, name: string) => {
    expect(await pageDefects(page), name).toEqual([])
    await takePicture(page, name)
    const size = page.viewportSize()
    if (!size || size.width > 600) return
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await pageDefects(page), `${name} at 320 px`).toEqual([])
    await takePicture(page, name)
    await page.setViewportSize(size)
  }

  it('shows uptime, downtime and what is excluded', { timeout: 120_000 }, async () => {
    for (const page of await pages.both()) {
      await page.goto(ofYesterday())
      const summary = page.getByLabel('Summary')
      await expect
        .poll(() => summary.textContent())
        .toBe('Uptime94.8275 %Availability93.0232 %Checks116Down checks6Downtime6 minDowntimes1')
      expect((await rowOf(page, 'Shop'))[0]).toBe('Shop94.8275 %93.0232 %11666 min130 min4')
      expect((await rowOf(page, 'A wiki'))[0]).toMatch(/everybody in the company––00/)
      expect((await rowOf(page, '503'))[0]).toMatch(/10:30.*10:366 minShopstatus 503/)
      const excluded = await shown(page, 'Excluded').textContent()
      expect(excluded).toContain('Maintenance30 min (30 checks, 0 of them down)')
      expect(excluded).toContain('Inconclusive4 checks, about 4 min')
      await check(page, 'report')
    }
  })

  it('keeps in the URL what is chosen', { timeout: 120_000 }, async () => {
    for (const page of await pages.both()) {
      const requests: string[] = []
      page.on('request', (request) => request.url().includes('/v1/reports/') && requests.push(new URL(request.url()).search))
      await page.goto(`${scene.origin}/status-pages`)
      // On narrow screens the navigation has no room for it.
      await page.getByRole('link', { name: 'Reports' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor()
      await page.getByLabel('Summary').waitFor()
      expect(query(page)).toEqual({})
      await page.getByRole('button', { name: 'This quarter' }).click()
      await expect.poll(() => requests.length).toBe(2)
      await page.getByRole('button', { name: 'By tag' }).click()
      await page.getByText('Choose a tag').last().waitFor()
      await page.getByLabel('Choose a tag').selectOption('public')
      await expect.poll(() => page.getByRole('table').first().textContent()).not.toContain('A wiki')
      expect(query(page)).toEqual({ period: 'this_quarter', of: 'tag', what: 'public' })
      await page.reload()
      await expect.poll(() => page.getByLabel('Choose a tag').inputValue()).toBe('public')
      await page.getByRole('button', { name: 'By status page' }).click()
      await page.getByLabel('Choose a status page').selectOption('Acme')
      await page.getByRole('link', { name: 'Shop' }).waitFor()
      await check(page, 'report-of-page')
      expect(query(page)).toEqual({ period: 'this_quarter', of: 'page', what: statusPage.id })
      await page.getByRole('button', { name: 'One monitor' }).click()
      await page.getByRole('button', { name: 'Shop', exact: true }).click()
      await page.getByRole('link', { name: 'Shop' }).waitFor()
      await page.getByRole('button', { name: 'Other days' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('First day').fill('2026-02-10')
      await dialog.getByLabel('Last day').fill('2026-02-09')
      await dialog.getByRole('button', { name: 'Show report' }).click()
      await expect.poll(() => faultsOf(page)).toEqual({ 'Last day': 'The last day must not be before the first day.' })
      await dialog.getByLabel('First day').fill('2025-01-01')
      await expect.poll(() => faultsOf(page)).toEqual({ 'Last day': 'Choose at most 400 days.' })
      await check(page, 'report-days')
      for (const label of ['First day', 'Last day']) await dialog.getByLabel(label).fill(yesterday)
      await dialog.getByRole('button', { name: 'Show report' }).click()
      await expect.poll(() => page.getByLabel('Summary').textContent()).toContain('94.8275 %')
      expect(query(page)).toEqual({ from: yesterday, to: yesterday, of: 'monitor', what: shop.id })
      expect(requests.at(-1)).toContain(`time_zone=UTC&monitor=${shop.id}`)
    }
  })

  it('is saved as CSV and JSON, and printed', { timeout: 120_000 }, async () => {
    const page = await pages.wide()
    await page.goto(`${ofYesterday()}&of=tag&what=public`)
    const range = `from=${yesterday}&to=${new Date(Date.parse(yesterday) + DAY).toISOString().slice(0, 10)}&time_zone=UTC&tag=public`
    const saved = async (name: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
      return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')] as const
    }
    const [csvName, csv] = await saved('CSV')
    expect(csvName).toMatch(/^uptime-[\d-]+\.csv$/)
    expect(csv).toBe(await api.read(`/v1/reports/uptime?${range}&format=csv`))
    const [jsonName, json] = await saved('JSON')
    expect(jsonName).toBe(csvName.replace('.csv', '.json'))
    const { generated_at: _at, ...report } = await api.read(`/v1/reports/uptime?${range}`)
    expect(JSON.parse(json)).toMatchObject(report)
    // The frame loads before its listener prints it.
    await page.evaluate(`document.addEventListener('load', ({ target }) => {
      if (target.tagName !== 'IFRAME') return
      target.contentWindow.print = () => {
        const { document: own } = target.contentWindow
        window.printed = [own.body.innerText, own.adoptedStyleSheets[0].cssRules.length > 5]
      }
    }, true)`)
    await page.getByRole('button', { name: 'Print' }).click()
    await expect
      .poll(() => page.evaluate('window.printed'))
      .toEqual([expect.stringMatching(/Uptime report[^]*Shop\s+94\.8275 %/), true])
    expect(await pageDefects(page)).toEqual([])
  })

  it('says what the API refuses, and is read by viewers', async () => {
    const page = await openAs(scene, 'viewer')
    await page.goto(`${ofYesterday()}&of=monitor&what=mon_unknown`)
    await page.getByRole('alert').getByText('is not a monitor of this organization').waitFor()
    expect(await page.getByRole('button', { name: 'CSV' }).isDisabled()).toBe(true)
    await page.goto(ofYesterday())
    await expect.poll(() => page.getByLabel('Summary').textContent()).toContain('94.8275 %')
    await page.context().close()
  })

  it('prints without a violation of the policy', async () => {
    for (const page of [scene.wide, scene.narrow]) {
      await page.goto(ofYesterday())
      await page.getByRole('button', { name: 'Print' }).click()
      await page
        .frameLocator('iframe[title="Report to print"]')
        .getByRole('heading', { name: 'Uptime report', includeHidden: true })
        .waitFor({ state: 'attached' })
    }
    expect(scene.complaints).toEqual([])
  })
})
