import type { BrowserContext, Page, Worker } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AlertFixture, createAlertFixture, LOCAL_TARGETS } from '../../backend/test/alert-fixture.ts'
import {
  type Credentials,
  PASSWORD,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../backend/test/harness.ts'
import { type PushService, startPushService } from '../../backend/test/push-service.ts'
import { pagesOf } from '../../backend/test/status-pages.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { openBrowser, type TestBrowser, WHOLE_CHROMIUM } from './browser.ts'
import { takePicture } from './signed-in.ts'

/**
 * Chromium's own push service cannot be reached from a test: the page gets the subscription of a push service on loopback, and what
 * that receives is handed to the service worker as the browser would. Notifications are those of the browser.
 */
const SUBSCRIBING = (subscription: object) => `{
  const made = ${JSON.stringify(subscription)}
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
  const present = () => {
    const key = localStorage.getItem('test-subscribed-for')
    if (key === null) return null
    const unsubscribe = async () => {
      localStorage.removeItem('test-subscribed-for')
      return true
    }
    return { ...made, options: { applicationServerKey: bytes(key).buffer }, toJSON: () => made, unsubscribe }
  }
  PushManager.prototype.getSubscription = async () => present()
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    if (!userVisibleOnly) throw new Error('invisible')
    localStorage.setItem('test-subscribed-for', applicationServerKey)
    return present()
  }
}`

describe.skipIf(isMissing('chromium'))('notifications in a browser', () => {
  let backend: TestBackend
  let browser: TestBrowser
  let service: PushService
  let origin: string
  let organization: TestOrganization
  let owner: Credentials
  let email: string
  let alerts: AlertFixture
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    service = await startPushService()
    const environment = { ...LOCAL_TARGETS, VEDETTE_PUSH_HOSTS: new URL(service.subscribe().endpoint).host }
    backend = await startTestBackend({ startMs: Date.now(), environment })
    origin = `http://127.0.0.1:${await backend.listen()}`
    browser = await openBrowser({}, WHOLE_CHROMIUM)
  })
  afterAll(async () => {
    await browser?.close()
    await backend?.close()
    await service?.close()
  })
  beforeEach(async () => {
    service.received.length = 0
    organization = await backend.organization()
    owner = await backend.member(organization, 'owner')
    ;({ email } = (await backend.call('GET', '/v1/auth/me', { as: owner })).body)
    alerts = await createAlertFixture(backend, organization, owner)
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })

  async function openWindow({ isAllowed = true, isNarrow = false } = {}) {
    const { context: similar } = browser.viewers[isNarrow ? 1 : 0]
    const viewport = isNarrow ? { width: 390, height: 844 } : { width: 1440, height: 900 }
    const context = (await similar.browser()?.newContext({
      viewport,
      hasTouch: isNarrow,
      reducedMotion: 'reduce',
      permissions: isAllowed ? ['notifications'] : [],
    })) as BrowserContext
    contexts.push(context)
    const subscription = service.subscribe()
    await context.addInitScript(SUBSCRIBING(subscription))
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    return { context, page, subscription }
  }

  /** A window in which the owner is signed in. */
  async function open({
    isRemembered = true,
    ...window
  }: {
    isRemembered?: boolean
    isAllowed?: boolean
    isNarrow?: boolean
  } = {}) {
    const opened = await openWindow(window)
    const { page } = opened
    await page.goto(`${origin}/settings/profile`)
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    if (isRemembered) await page.getByRole('checkbox', { name: 'Stay signed in on this device for 30 days' }).check()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Browser notifications' }).waitFor()
    return opened
  }

  async function turnOn(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Turn on in this browser' }).click()
    await page.getByText('This browser', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Send test' }).waitFor()
  }

  const stored = async () => (await backend.call('GET', '/v1/push-subscriptions', { as: owner })).body.push_subscriptions

  /** The active worker of the window. */
  async function activeWorker(context: BrowserContext): Promise<Worker> {
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
    await expect.poll(() => worker.evaluate('self.registration.active?.state')).toBe('activated')
    return worker
  }

  /** Dispatches an event in the service worker, and waits for what it hands to `waitUntil`. */
  const dispatched = (event: string) => `
      const event = ${event}
      let done
      event.waitUntil = (promise) => { done = promise }
      self.dispatchEvent(event)
      await done`

  /**
   * Hands what the push service received to the service worker, and waits until it is shown. By the protocol of Chromium's tools a
   * message that is lost in the browser would not be named.
   */
  async function receive(page: Page): Promise<void> {
    const messages = service.received.splice(0).map(({ message }) => JSON.stringify(message))
    expect(messages.length).toBeGreaterThan(0)
    const worker = await activeWorker(page.context())
    for (const data of messages)
      await worker.evaluate(`(async () => {${dispatched(`new PushEvent('push', { data: ${JSON.stringify(data)} })`)}
      })()`)
  }

  const shown = (page: Page) =>
    page.evaluate(`navigator.serviceWorker.ready.then((registration) => registration.getNotifications()).then((all) =>
      all.map(({ title, body, requireInteraction, silent, actions }) => ({ title, body, requireInteraction, silent,
        actions: actions.map(({ title }) => title) })))`)

  /** Clicks the only notification, or its button, and waits until that is dealt with. */
  async function click(context: BrowserContext, action: string): Promise<string | undefined> {
    const worker = await activeWorker(context)
    return worker.evaluate(`(async () => {
      const [notification] = await self.registration.getNotifications()
      let opened
      // Only a real click may focus a window.
      WindowClient.prototype.focus = async function () { return this }
      WindowClient.prototype.navigate = async function (path) { opened = path; return this }
      Clients.prototype.openWindow = async (path) => { opened = path }
      ${dispatched(`new NotificationEvent('notificationclick', { notification, action: ${JSON.stringify(action)} })`)}
      return opened
    })()`)
  }

  it('are turned on, tested, and turned off', async () => {
    const { page, subscription } = await open({ isNarrow: true })
    await takePicture(page, 'notifications-off')
    await turnOn(page)
    expect(await stored()).toHaveLength(1)
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Test notification sent').waitFor()
    expect(service.received.map(({ endpoint }) => endpoint)).toEqual([subscription.endpoint])
    await receive(page)
    await expect.poll(() => shown(page)).toMatchObject([{ title: 'Test of the notifications', requireInteraction: false }])
    await takePicture(page, 'notifications-on')
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('Notifications turned off').waitFor()
    await page.getByRole('button', { name: 'Turn on in this browser' }).waitFor()
    expect(await stored()).toEqual([])
    expect(await page.evaluate(`localStorage.getItem('test-subscribed-for')`)).toBeNull()
  })

  it('show an incident, which is acknowledged by the button of its notification, without a page', async () => {
    const { context, page } = await open()
    await turnOn(page)
    const id = await alerts.open()
    await alerts.deliver()
    await receive(page)
    await expect
      .poll(() => shown(page))
      .toMatchObject([{ title: 'Shop is down: no answer', requireInteraction: true, silent: false, actions: ['Acknowledge'] }])
    // The token of the page is of no use to the service worker.
    await page.evaluate('sessionStorage.clear()')
    expect(await click(context, 'acknowledge')).toBeUndefined()
    const { rows } = await backend.pool.pg.query('select status, acknowledged_by from incident where id = $1', [id])
    expect(rows).toMatchObject([{ status: 'acknowledged' }])
    await alerts.deliver()
    await receive(page)
    await expect
      .poll(() => shown(page))
      .toMatchObject([{ title: 'Acknowledged: Shop is down: no answer', requireInteraction: false, silent: true, actions: [] }])
    await alerts.resolve(id)
    await alerts.deliver()
    await receive(page)
    await expect
      .poll(() => shown(page))
      .toMatchObject([{ title: 'Resolved: Shop is down: no answer', silent: false, actions: [] }])
    expect(await click(context, '')).toMatch(/^\/incidents\/inc_/)
    expect(await shown(page)).toEqual([])
  })

  it('open the incident where this device does not stay signed in, and nothing is acknowledged', async () => {
    const { context, page } = await open({ isRemembered: false })
    await turnOn(page)
    const id = await alerts.open()
    await alerts.deliver()
    await receive(page)
    await expect.poll(async () => ((await shown(page)) as unknown[]).length).toBe(1)
    expect(await click(context, 'acknowledge')).toMatch(/^\/incidents\/inc_/)
    const { rows } = await backend.pool.pg.query('select status from incident where id = $1', [id])
    expect(rows).toEqual([{ status: 'open' }])
  })

  it('show the posts of a status page to a visitor, who ends them there', async () => {
    const { id, slug } = await pagesOf(backend, organization, owner).page()
    const { context, page, subscription } = await openWindow({ isNarrow: true })
    await page.goto(`${origin}/status/${slug}/subscribe`)
    await page.getByRole('button', { name: 'Notify me in this browser' }).waitFor()
    await takePicture(page, 'visitor-subscribes')
    await page.getByRole('button', { name: 'Notify me in this browser' }).click()
    await page.getByRole('heading', { name: 'Your subscription' }).waitFor()
    const body = { type: 'incident', title: 'Slow', text: 'We look.' }
    expect((await backend.call('POST', `/v1/status-pages/${id}/posts`, { as: owner, body })).status).toBe(201)
    await backend.jobs.sendStepPushes()
    expect(service.received.map(({ endpoint }) => endpoint)).toEqual([subscription.endpoint, subscription.endpoint])
    service.received.shift()
    await receive(page)
    await expect.poll(() => shown(page)).toMatchObject([{ title: '[Shop status] Slow: Investigating', body: 'We look.' }])
    expect(new URL((await click(context, '')) ?? '').pathname).toBe(`/status/${slug}`)
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByText('You are unsubscribed.').waitFor()
    const blocked = await openWindow({ isAllowed: false })
    await blocked.page.goto(`${origin}/status/${slug}/subscribe`)
    expect(await blocked.page.getByRole('button').allTextContents()).not.toContain('Notify me in this browser')
  })

  it('end where the browser was removed elsewhere', async () => {
    const { page } = await open()
    await turnOn(page)
    const [{ id }] = await stored()
    await backend.call('DELETE', `/v1/push-subscriptions/${id}`, { as: owner })
    await page.reload()
    await page.getByRole('button', { name: 'Turn on in this browser' }).waitFor()
    await expect.poll(() => page.evaluate(`localStorage.getItem('test-subscribed-for')`)).toBeNull()
    expect(await stored()).toEqual([])
  })

  it('are subscribed for again where the installation has a new key', async () => {
    const { page } = await open()
    await turnOn(page)
    const [before] = await stored()
    const key = (await backend.call('GET', '/v1/push-subscriptions', { as: owner })).body.public_key
    await page.evaluate(`localStorage.setItem('test-subscribed-for', ${JSON.stringify(`B${'A'.repeat(86)}`)})`)
    await page.reload()
    await expect.poll(() => page.evaluate(`localStorage.getItem('test-subscribed-for')`)).toBe(key)
    await expect.poll(stored).toMatchObject([{ endpoint_sha256: before.endpoint_sha256 }])
  })

  it('say why they cannot be turned on', async () => {
    const { page } = await open({ isAllowed: false })
    // Headless browsers deny what nobody allowed.
    await page.getByText('This browser blocks notifications of Vedette.').waitFor()
    expect(await page.getByRole('button', { name: 'Turn on in this browser' }).count()).toBe(0)
    await takePicture(page, 'notifications-blocked')
  })

  it('say that the push service cannot be reached', async () => {
    const { page } = await open()
    await page.evaluate(`PushManager.prototype.subscribe = async () => { throw new DOMException('no', 'AbortError') }`)
    await page.getByRole('button', { name: 'Turn on in this browser' }).click()
    await page.getByText('The browser cannot reach its push service. Try again later.').first().waitFor()
    expect(await stored()).toEqual([])
  })
})
