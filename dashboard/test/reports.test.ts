import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { plantChecks } from './planted-checks.ts'
import { faultsOf, openScene, type Page, type Scene } from './dom/scene.ts'

describe('the page of reports', () => {
  let scene: Scene
  let statusPage: { id: string }
  let shop: { id: string }
  /** 2026-11-24 */
  let yesterday: string

  beforeAll(async () => {
    scene = await openScene({ environment: {} })
    ;({ shop, statusPage, yesterday } = await plantChecks(scene))
    // The page chooses months by its own clock: on the first day of a month yesterday was in the last one.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${yesterday}T23:59:00Z`) })
  })
  afterAll(() => scene?.close())

  const ofYesterday = () => `${scene.origin}/reports?from=${yesterday}&to=${yesterday}`
  const shown = (page: Page, panel: string) => page.locator('section', { has: page.getByRole('heading', { name: panel }) })
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name }).allTextContents()
  const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

  it('shows uptime, downtime and what is excluded', { timeout: 120_000 }, async () => {
    const page = scene.open()
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
  })

  it('keeps in the URL what is chosen', { timeout: 120_000 }, async () => {
    const page = scene.open()
    const requests: string[] = []
    page.on('request', (request) => request.url().includes('/v1/reports/') && requests.push(new URL(request.url()).search))
    await page.goto(`${scene.origin}/status-pages`)
    // On narrow screens the navigation has no room for it.
    await page.getByRole('link', { name: 'Reports' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor()
    await page.getByLabel('Summary').waitFor()
    expect(query(page)).toEqual({})
    // Nothing was checked last month, so that this month is shown.
    expect(requests).toHaveLength(2)
    await page.getByRole('button', { name: 'This quarter' }).click()
    await expect.poll(() => requests.length).toBe(3)
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
    for (const label of ['First day', 'Last day']) await dialog.getByLabel(label).fill(yesterday)
    await dialog.getByRole('button', { name: 'Show report' }).click()
    await expect.poll(() => page.getByLabel('Summary').textContent()).toContain('94.8275 %')
    expect(query(page)).toEqual({ from: yesterday, to: yesterday, of: 'monitor', what: shop.id })
    expect(requests.at(-1)).toContain(`time_zone=UTC&monitor=${shop.id}`)
  })

  it('says what the API refuses, and is read by viewers', async () => {
    const page = await scene.openAs('viewer')
    await page.goto(`${ofYesterday()}&of=monitor&what=mon_unknown`)
    await page.getByRole('alert').getByText('is not a monitor of this organization').waitFor()
    expect(await page.getByRole('button', { name: 'CSV' }).count()).toBe(0)
    await page.goto(ofYesterday())
    await expect.poll(() => page.getByLabel('Summary').textContent()).toContain('94.8275 %')
  })
})
