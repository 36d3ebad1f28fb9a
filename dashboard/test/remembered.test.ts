import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, PASSWORD, startTestBackend, type TestBackend } from '../../backend/test/harness.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { openBrowser, type TestBrowser } from './browser.ts'
import { takePicture } from './signed-in.ts'

const HOUR_MS = 3_600_000
const LINK = '/servers?status=online&sort=name'

describe.skipIf(isMissing('chromium'))('a device that stays signed in', () => {
  let backend: TestBackend
  let browser: TestBrowser
  let origin: string
  let owner: Credentials
  let email: string
  beforeAll(async () => {
    backend = await startTestBackend({ startMs: Date.now() })
    origin = `http://127.0.0.1:${await backend.listen()}`
    owner = await backend.member(await backend.organization(), 'owner')
    ;({ email } = (await backend.call('GET', '/v1/auth/me', { as: owner })).body)
    browser = await openBrowser({ reducedMotion: 'reduce' })
  })
  afterAll(async () => {
    await browser?.close()
    await backend?.close()
  })

  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' })
  const emailField = (page: Page) => page.getByLabel('Email', { exact: true })
  const isKept = async (context: BrowserContext) => (await context.cookies()).some(({ name }) => name === 'vedette_refresh')

  /** A window without storage, or with that of another one: cookies and what outlives its tabs. */
  async function open(of?: BrowserContext) {
    const context = (await browser.viewers[0].context
      .browser()
      ?.newContext(of && { storageState: await of.storageState() })) as BrowserContext
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    const refreshes: number[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('/v1/auth/refresh')) refreshes.push(response.status())
    })
    return { context, page, refreshes }
  }

  async function signIn(isRemembered: boolean, path = LINK) {
    const opened = await open()
    const { page } = opened
    await page.goto(origin + path)
    await emailField(page).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    const box = page.getByRole('checkbox', { name: 'Stay signed in on this device for 30 days' })
    expect(await box.isChecked()).toBe(false)
    if (isRemembered) await box.check()
    await takePicture(page, 'sign-in-remembered')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await navigation(page).waitFor()
    expect([page.url(), opened.refreshes]).toEqual([origin + path, []])
    return opened
  }

  it('opens a link of another site at once in a new tab, without a sign-in', async () => {
    const { context, page: first } = await signIn(true)
    const cookie = (await context.cookies()).find(({ name }) => name === 'vedette_refresh')
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/v1/auth', secure: false })
    expect(await first.evaluate('document.cookie')).toBe('')
    await first.close()
    const { context: later, page, refreshes } = await open(context)
    // Another site for cookies: the page that has the link is of `localhost`.
    await page.goto(`${origin.replace('127.0.0.1', 'localhost')}/healthz`)
    await page.evaluate(`location.href = ${JSON.stringify(origin + LINK)}`)
    await navigation(page).or(emailField(page)).waitFor()
    expect([await emailField(page).count(), page.url(), refreshes]).toEqual([0, origin + LINK, [200]])
    await page.goto(`${origin}/settings/security`)
    await page.getByText('stays signed in until').waitFor()
    await takePicture(page, 'sessions-remembered')
    await later.close()
    await context.close()
  })

  it('is signed out where the box was not ticked, and sends no refresh', async () => {
    const { context, page: first } = await signIn(false)
    await first.close()
    const { context: later, page, refreshes } = await open(context)
    await page.goto(origin + LINK)
    await emailField(page).waitFor()
    expect([refreshes, await isKept(later)]).toEqual([[], false])
    await later.close()
    await context.close()
  })

  it('gets a new token shortly before the old one ends, once for all requests', async () => {
    const { context, page, refreshes } = await signIn(true)
    await page.clock.setFixedTime(Date.now() + 12 * HOUR_MS - 120_000)
    await navigation(page).getByRole('link', { name: 'Monitors' }).click()
    await expect.poll(() => refreshes).toEqual([200])
    const token = () => page.evaluate("sessionStorage.getItem('vedette-token')")
    // A clock that is wrong makes every token look old: the page does not ask for one with each request.
    const before = await token()
    await navigation(page).getByRole('link', { name: 'Servers' }).click()
    await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor()
    expect([refreshes, await token()]).toEqual([[200], before])
    await context.close()
  })

  it('takes the token of another tab where a restored tab has an old one', async () => {
    const { context } = await signIn(true)
    const old = `x.${btoa(JSON.stringify({ exp: 1 }))}.x`
    const restored = await context.newPage()
    await restored.addInitScript(`sessionStorage.setItem('vedette-token', '${old}')`)
    const sent: string[] = []
    restored.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await restored.goto(origin + LINK)
    await navigation(restored).waitFor()
    expect(sent).not.toContain('/v1/auth/refresh')
    await context.close()
  })

  it('waits for a backend that is busy while the page is opened', async () => {
    const { context, page: first } = await signIn(true)
    await first.close()
    const { context: later, page, refreshes } = await open(context)
    const busy = {
      status: 503,
      headers: { 'retry-after': '1' },
      json: { error: { code: 'unavailable', message: 'Busy.', details: [] } },
    }
    await page.route('**/v1/auth/refresh', (route) => route.fulfill(busy), { times: 1 })
    await page.goto(origin + LINK)
    await page.getByText('Busy.').waitFor()
    await navigation(page).waitFor()
    expect(refreshes).toEqual([503, 200])
    await later.close()
    await context.close()
  })

  it('goes on where a token was refused', async () => {
    const { context, page, refreshes } = await signIn(true)
    backend.clock.advance(12 * HOUR_MS + 1_000)
    await page.reload()
    await navigation(page).or(emailField(page)).waitFor()
    expect([await emailField(page).count(), refreshes[0]]).toEqual([0, 200])
    await context.close()
  })

  it('is over when the session is ended elsewhere, for open tabs and for new ones', async () => {
    const { context, page } = await signIn(true)
    const { context: later, page: next } = await open(context)
    const { body } = await backend.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD } })
    const as = { authorization: `Bearer ${body.token}` }
    const { sessions } = (await backend.call('GET', '/v1/auth/sessions', { as })).body
    for (const { id, remembered } of sessions) if (remembered) await backend.call('DELETE', `/v1/auth/sessions/${id}`, { as })
    await page.reload()
    await emailField(page).waitFor()
    const ended = ['Your session has ended. Sign in again.', false]
    expect([await page.getByRole('alert').textContent(), await isKept(context)]).toEqual(ended)
    await next.goto(origin + LINK)
    await emailField(next).waitFor()
    expect([await next.getByRole('alert').textContent(), await isKept(later)]).toEqual(ended)
    await later.close()
    await context.close()
  })

  it('is over after a sign-out, also for other tabs', async () => {
    const { context, page } = await signIn(true)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await emailField(page).waitFor()
    expect(await isKept(context)).toBe(false)
    const { context: later, page: next, refreshes } = await open(context)
    await next.goto(origin + LINK)
    await emailField(next).waitFor()
    expect(refreshes).toEqual([])
    await later.close()
    await context.close()
  })
})
