import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../backend/test/harness.ts'
import { watch } from '../../backend/test/watched-monitor.ts'
import { findTool, isMissing } from '../../scripts/test-tools.ts'

// A browser has six connections to one host, and each event stream takes one: all tabs of a session share one stream.

const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']

describe.skipIf(isMissing('chromium'))('the tabs of a browser', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let browser: Browser
  let origin: string
  const open = new Map<ServerResponse, string>()
  const streams = () => open.size
  beforeAll(async () => {
    backend = await startTestBackend({ startMs: Date.now() })
    organization = await backend.organization()
    origin = `http://127.0.0.1:${await backend.listen()}`
    backend.vedette.app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.url !== '/v1/events') return
      open.set(response, request.headers.authorization ?? '')
      response.on('close', () => open.delete(response))
    })
    // Tests keep no pages for the back button, unlike people.
    const ignoreDefaultArgs = ['--disable-back-forward-cache']
    browser = await chromium.launch({ executablePath: findTool('chromium') ?? '', args: ARGUMENTS, ignoreDefaultArgs })
  })
  afterAll(async () => {
    await browser?.close()
    await backend?.close()
  })

  let context: BrowserContext | undefined
  afterEach(() => context?.close())

  async function signedIn(): Promise<BrowserContext> {
    const owner = await backend.member(organization, 'owner')
    context = await browser.newContext()
    context.setDefaultTimeout(20_000)
    const token = JSON.stringify(owner.authorization.slice('Bearer '.length))
    // Once for each tab: one that has signed out stays so.
    await context.addInitScript(`sessionStorage.getItem('given') ?? sessionStorage.setItem('vedette-token', ${token})
      sessionStorage.setItem('given', 'yes')`)
    return context
  }
  const show = async (page: Page, path = '/monitors') => {
    await page.goto(origin + path)
    await page.getByRole('heading', { name: path === '/monitors' ? 'Monitors' : 'Servers', exact: true }).waitFor()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
  }
  /** A new monitor goes down, which the stream reports, and these pages show it. */
  const isSeen = async (name: string, pages: readonly Page[], meanwhile?: () => Promise<unknown>) => {
    const { goes } = await watch(backend, await backend.member(organization, 'admin'), { name })
    await goes('down')
    await backend.jobs.evaluateSignals()
    await meanwhile?.()
    for (const page of pages)
      await expect
        .poll(() => {
          // The stream looks for events by the clock of the backend.
          backend.clock.advance(1_000)
          return page.getByText(name).count()
        })
        .toBeGreaterThan(0)
  }

  it('have one stream, whatever pages the browser keeps for the back button, and the page that is shown again has what it missed', async () => {
    const context = await signedIn()
    const page = await context.newPage()
    for (let load = 0; load < 8; load += 1) await show(page, load % 2 === 0 ? '/servers' : '/monitors')
    await expect.poll(streams).toBe(1)
    await page.evaluate('isKept = true')
    await show(page, '/servers')
    await isSeen('Added meanwhile', [page], () => page.goBack({ waitUntil: 'commit' }))
    // It was kept.
    expect(await page.evaluate('isKept')).toBe(true)
    await expect.poll(streams).toBe(1)
    await context.close()
    await expect.poll(streams).toBe(0)
  })

  it('show their lists and all changes over one stream, which another tab takes over', async () => {
    const context = await signedIn()
    const pages = await Promise.all(Array.from({ length: 7 }, () => context.newPage()))
    await Promise.all(pages.map((page) => show(page)))
    await expect.poll(streams).toBe(1)
    await isSeen('Seen by all', pages)
    const [first, ...others] = pages
    await first?.close()
    await isSeen('Seen by the others', others)
    await expect.poll(streams).toBe(1)
    await context.close()
    await expect.poll(streams).toBe(0)
  })

  it('of another user have a stream of their own', async () => {
    const context = await signedIn()
    const [one, other] = [await context.newPage(), await context.newPage()]
    await show(one)
    const second = await backend.member(organization, 'viewer')
    await other.goto(`${origin}/healthz`)
    await other.evaluate(
      `sessionStorage.setItem('vedette-token', ${JSON.stringify(second.authorization.slice('Bearer '.length))})`,
    )
    await show(other)
    await expect.poll(() => new Set(open.values()).size).toBe(2)
    expect(streams()).toBe(2)
    await context.close()
  })
})
