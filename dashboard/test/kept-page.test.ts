import { type Browser, chromium, type Page, type Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../backend/test/harness.ts'
import { findTool, isMissing } from '../../scripts/test-tools.ts'

/** Playwright turns off that browsers keep pages for the back button, as they do for people. */
const KEEPING = { ignoreDefaultArgs: ['--disable-back-forward-cache'], args: ['--headless', '--no-sandbox', '--disable-gpu'] }

describe.skipIf(isMissing('chromium'))('a page of PromQL that the browser keeps for the back button', () => {
  let backend: TestBackend
  let browser: Browser
  let page: Page
  let origin: string
  beforeAll(async () => {
    backend = await startTestBackend({ startMs: Date.now() })
    origin = `http://127.0.0.1:${await backend.listen()}`
    const owner = await backend.member(await backend.organization(), 'owner')
    browser = await chromium.launch({ executablePath: findTool('chromium') ?? '', ...KEEPING })
    const context = await browser.newContext()
    await context.addInitScript(`
      if (location.origin === ${JSON.stringify(origin)})
        sessionStorage.setItem('vedette-token', ${JSON.stringify(owner.authorization.slice('Bearer '.length))})
      addEventListener('pageshow', ({ persisted }) => { globalThis.isKept = persisted })`)
    page = await context.newPage()
    page.setDefaultTimeout(30_000)
  })
  afterAll(async () => {
    await browser?.close()
    await backend?.close()
  })

  const field = () => page.getByRole('textbox', { name: 'Query' })
  const answer = () => page.getByRole('group', { name: 'At the end' })
  const open = async (query: string) => {
    await page.goto(`${origin}/explore?${String(new URLSearchParams({ query }))}`)
    await field().waitFor()
  }
  /** To another document and back; whether it is the page as it was left. */
  const leaveAndReturn = async (): Promise<boolean> => {
    await page.goto(`${origin}/healthz`)
    // Playwright waits for a load that a kept page does not have.
    await page.evaluate('setTimeout(() => history.back())')
    await expect.poll(() => page.evaluate('location.pathname').catch(() => ''), { timeout: 20_000 }).toBe('/explore')
    return (await page.evaluate('globalThis.isKept')) === true
  }

  it('is as it was left, and answers further queries', { timeout: 90_000 }, async () => {
    await open('vector(41) + 1')
    await answer().getByText('42').waitFor()
    expect(await leaveAndReturn()).toBe(true)
    expect(await field().inputValue()).toBe('vector(41) + 1')
    await answer().getByText('42').waitFor()
    await field().fill('vector(6) * 7.5')
    await page.getByRole('button', { name: 'Run' }).click()
    await answer().getByText('45').waitFor()
  })

  it('that was left while a query ran does not wait for it for ever', { timeout: 90_000 }, async () => {
    const held: Route[] = []
    await page.route('**/api/v1/query*', (route) => void held.push(route))
    await open('vector(12) + 1')
    await page.locator('[aria-busy=true]').first().waitFor()
    await leaveAndReturn()
    // The server answers now, to a page that was kept, or to one that is loaded again.
    await page.unroute('**/api/v1/query*')
    for (const route of held) await route.continue().catch(() => undefined)
    await expect.poll(() => field().inputValue()).toBe('vector(12) + 1')
    await expect.poll(() => page.locator('[aria-busy=true]').count(), { timeout: 20_000 }).toBe(0)
    // Where the browser has dropped the request, the page says so and runs it again.
    if ((await answer().getByText('13').count()) === 0) await page.getByRole('button', { name: 'Run' }).click()
    await answer().getByText('13').waitFor()
  })
})
