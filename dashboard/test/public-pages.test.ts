import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../backend/test/harness.ts'
import { fillPublicPages } from '../../backend/test/public-pages.ts'
import { startTestSmtp, type TestSmtp } from '../../backend/test/smtp.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { openBrowser, pageDefects, type TestBrowser, WHOLE_CHROMIUM } from './browser.ts'
import { takePicture } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('public status pages', () => {
  let smtp: TestSmtp
  let backend: TestBackend
  let browser: TestBrowser
  let scene: Awaited<ReturnType<typeof fillPublicPages>>
  let origin: string
  const opened: Page[] = []
  beforeAll(async () => {
    smtp = await startTestSmtp()
    backend = await startTestBackend({ startMs: Date.now(), environment: { VEDETTE_SMTP_URL: smtp.url } })
    scene = await fillPublicPages(backend, await backend.organization())
    origin = `http://127.0.0.1:${await backend.listen()}`
    browser = await openBrowser({}, WHOLE_CHROMIUM)
  })
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.context().close()
  })
  afterAll(async () => {
    await browser?.close()
    await backend?.close()
    await smtp?.close()
  })

  async function open(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.viewers[0].context.browser()?.newContext({ reducedMotion: 'reduce', ...options })
    if (!context) throw new Error('no browser')
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    opened.push(page)
    return page
  }

  /** The path of the link in the mail. */
  async function mailedPath(to: string): Promise<string> {
    await backend.jobs.sendMails()
    const mail = smtp.mails.find((mail) => mail.to.includes(to))
    return new URL(/https?:\/\/\S+\/subscriptions\/\S+/.exec(mail?.text ?? '')?.[0] ?? '').pathname
  }

  /** Subscribes, chooses a component and ends the subscription; `see` gets the name of each page on the way. */
  async function subscribe(page: Page, email: string, see: (name: string) => Promise<void>): Promise<void> {
    await page.goto(`${origin}/status/${scene.page.slug}`)
    await page.getByText('Subscribe', { exact: true }).click()
    await see('menu')
    await page.getByRole('link', { name: 'Notifications' }).click()
    await see('subscribe')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('E-mail address').press('Enter')
    await page.getByText('We have sent you an e-mail.').waitFor()
    await see('sent')
    await page.goto(origin + (await mailedPath(email)))
    await see('confirm')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByLabel('E-mail', { exact: true }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await page.getByLabel('E-mail', { exact: true }).isChecked()).toBe(true)
    await see('manage')
    const address = page.url()
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByText('You are unsubscribed.').waitFor()
    await see('unsubscribed')
    await page.goto(address)
    await page.getByText('This subscription does not exist').waitFor()
    await see('ended')
  }

  it.each([
    [320, 'dark'],
    [1200, 'light'],
  ] as const)('fit a screen of %i px and have no findings of axe, %s', { timeout: 120_000 }, async (width, colorScheme) => {
    const page = await open({ viewport: { width, height: 800 }, colorScheme })
    const check = async (name: string) => {
      await takePicture(page, `${name}-${colorScheme}`)
      expect.soft(await pageDefects(page), name).toEqual([])
    }
    const { slug } = scene.page
    const paths = {
      page: slug,
      history: `${slug}/history/${scene.month}`,
      embed: `${slug}/embed`,
      german: scene.quiet.slug,
      large: scene.large.slug,
      missing: 'nothing-here',
      locked: scene.locked.slug,
    }
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${origin}/status/${path}`)
      await check(name)
    }
    await page.getByLabel('Password').fill('wrong sesame')
    await page.getByRole('button').click()
    await page.getByText('This password is wrong.').waitFor()
    await check('wrong-password')
    await page.getByLabel('Password').fill('open sesame')
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'E-mail', exact: true }).waitFor()
    await subscribe(page, `${colorScheme}${width}@example.com`, check)
  })

  it.each([390, 1280])('of 46 components is at most two screens high at %i px until something is opened', async (width) => {
    const height = width < 640 ? 844 : 800
    const page = await open({ viewport: { width, height } })
    await page.goto(`${origin}/status/${scene.large.slug}`)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(2 * height)
    expect(await page.locator('h3:visible').allInnerTexts()).toEqual(['Service 22', 'Service 13'])
    await takePicture(page, 'large')
    // A name is text, whatever it contains.
    await page.getByRole('heading', { name: 'Shop' }).click()
    await page.getByRole('heading', { name: '<script>alert(1)</script>' }).waitFor()
    await page.getByRole('heading', { name: 'Service 13' }).click()
    await takePicture(page, 'large-open')
    expect.soft(await pageDefects(page)).toEqual([])
    await page.goto(`${origin}/status/${scene.page.slug}`)
    await takePicture(page, 'small')
  })

  it('searches components, and opens the groups of those that it found', async () => {
    const page = await open({})
    await page.goto(`${origin}/status/${scene.large.slug}`)
    const search = page.getByLabel('Search components')
    await search.fill('service 4')
    const found = ['Service 41', 'Service 46', 'Service 42', 'Service 43', 'Service 44', 'Service 45']
    expect((await page.locator('h3:visible').allInnerTexts()).toSorted()).toEqual([...found, 'Service 40'].toSorted())
    await search.fill('')
    expect(await page.locator('h3:visible').allInnerTexts()).toEqual(['Service 22', 'Service 13'])
  })

  it('says what happened on a day that is pressed, pointed at, or chosen by the keys', async () => {
    const page = await open({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${origin}/status/${scene.page.slug}`)
    const mail = page.locator('li').filter({ has: page.getByRole('heading', { name: 'E-mail' }) })
    const box = await mail.locator('svg').first().boundingBox()
    const today = { x: (box?.width ?? 0) - 2, y: 10 }
    await mail.locator('svg').first().hover({ position: today })
    await expect.poll(() => page.locator('.tip').innerText()).toMatch(/% uptime[^]*E-mail is down/)
    await mail.locator('svg').first().click({ position: today })
    const day = mail.getByRole('status')
    expect(await day.innerText()).toContain('E-mail is down')
    await mail.getByRole('slider').press('ArrowLeft')
    await expect.poll(() => day.innerText()).not.toContain('E-mail is down')
    await mail.getByRole('slider').press('Home')
    await expect.poll(() => day.innerText()).toMatch(/no checks$/)
    // What was opened stays open when the page is read again.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(await day.innerText()).toMatch(/no checks$/)
  })

  it.each([390, 1280])('are shown in their editor as they are typed, at %i px', { timeout: 60_000 }, async (width) => {
    const { organization } = scene
    const owner = await backend.member(organization, 'owner')
    const page = await open({ viewport: { width, height: 844 } })
    const token = JSON.stringify(owner.authorization.slice('Bearer '.length))
    await page.addInitScript(`sessionStorage.setItem('vedette-token', ${token})`)
    const path = `/v1/status-pages/${scene.page.id}`
    const stored = async () => (await backend.call('GET', path, { as: owner })).body.updated_at
    const before = await stored()
    await page.goto(`${origin}/status-pages/${scene.page.id}/edit`)
    const shown = page.frameLocator('iframe')
    const openPreview = async () => {
      if (width < 1280) await page.getByRole('button', { name: 'Preview' }).click()
    }
    await page.getByLabel('Title', { exact: true }).waitFor()
    await openPreview()
    await shown.getByRole('heading', { name: 'Web shop' }).waitFor()
    if (width < 1280) await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Title', { exact: true }).fill('<i>Typed</i> now')
    await page.getByLabel('Heading of section 1').fill('')
    await openPreview()
    await shown.getByRole('heading', { name: '<i>Typed</i> now' }).waitFor()
    await shown.getByRole('heading', { name: 'Section 1' }).waitFor()
    await takePicture(page, 'status-page-editor')
    expect(await pageDefects(page)).toEqual([])
    expect(await stored()).toBe(before)
  })

  it('may be visited by search engines, unlike the rest of the installation', async () => {
    const robots = await (await fetch(`${origin}/robots.txt`)).text()
    expect(robots.trim().split('\n')).toEqual(['User-agent: *', 'Disallow: /', 'Allow: /status/'])
    const page = await open({})
    await page.goto(`${origin}/status/${scene.page.slug}`)
    expect(await page.locator('meta[name=description]').getAttribute('content')).toContain('everything that Acme runs')
    expect(await page.locator('meta[name=robots]').count()).toBe(0)
  })

  it('have the same text and the same forms without script, but for the notifications of a browser', async () => {
    const contents: string[] = []
    const offeredWithScript: boolean[] = []
    const ofBrowser = /In this browser[^]*Notify me in this browser\s*/
    for (const javaScriptEnabled of [true, false]) {
      const page = await open({ javaScriptEnabled })
      for (const path of ['', `/history/${scene.month}`]) {
        await page.goto(`${origin}/status/${scene.page.slug}${path}`)
        contents.push(await page.locator('body').innerText())
      }
      await subscribe(page, `script-${javaScriptEnabled}@example.com`, async () => {
        const content = await page.locator('body').innerText()
        if (ofBrowser.test(content)) offeredWithScript.push(javaScriptEnabled)
        contents.push(content.replace(ofBrowser, ''))
      })
    }
    expect(contents.splice(9)).toEqual(contents)
    expect(offeredWithScript).toEqual([true])
    for (const text of [
      'Partial outage',
      'Virginia (US East): degraded',
      'E-mail is down',
      'Upgrade of the database',
      '100 % uptime',
    ])
      expect(contents[0]).toContain(text)
    // Nobody checks a paused monitor.
    expect(contents[0]).toMatch(/Staging\s+Not monitored\s+90 days ago/)
  })

  describe('in a frame of another site, whose cookies the browser blocks', () => {
    let site: Server
    let host: string
    beforeAll(async () => {
      site = createServer(({ url = '', headers: { cookie = 'none' } }, response) => {
        const target = new URL(url, origin).searchParams.get('frame')
        response
          .setHeader('set-cookie', 'visitor=1; SameSite=None; Secure')
          .setHeader('content-type', 'text/html')
          .end(target === null ? `Cookie: ${cookie}` : `<iframe src="${target}"></iframe>`)
      })
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
      host = `:${(site.address() as AddressInfo).port}`
    })
    afterAll(() => new Promise((resolve) => site?.close(resolve)))

    async function openBlocking(): Promise<Page> {
      const page = await open({})
      const session = await page.context().newCDPSession(page)
      const restriction = { disableThirdPartyCookieMetadata: true, disableThirdPartyCookieHeuristics: true }
      await session.send('Network.setCookieControls', { enableThirdPartyCookieRestriction: true, ...restriction })
      return page
    }

    async function framed(page: Page, target: string): Promise<string> {
      await page.goto(`http://localhost${host}/?frame=${encodeURIComponent(target)}`)
      const [, frame] = page.frames()
      return (await frame?.locator('body').innerText()) ?? ''
    }

    it('show their embedded form without a cookie', async () => {
      const page = await openBlocking()
      const cookies = async () => (await page.context().cookies()).map(({ domain, name }) => `${domain} ${name}`)
      const own = `http://127.0.0.1${host}/`
      for (const text of ['Cookie: none', 'Cookie: visitor=1']) {
        await page.goto(own)
        expect(await page.locator('body').innerText()).toBe(text)
      }
      expect(await framed(page, own)).toBe('Cookie: none')
      const before = await cookies()
      const text = await framed(page, `${origin}/status/${scene.page.slug}/embed`)
      expect(text).toMatch(/^Partial outage\s+Acme status$/)
      expect(await cookies()).toEqual(before)
    })

    it('refuse every other address', async () => {
      const { page, locked, month } = scene
      const tab = await openBlocking()
      const pages = ['', `/history/${month}`, '/subscribe', '/other'].map((path) => `/status/${page.slug}${path}`)
      for (const path of [...pages, `/status/${locked.slug}`, `/status/${locked.slug}/embed`, '/', '/monitors', '/v1/setup']) {
        const text = await framed(tab, origin + path)
        expect([path, text]).toEqual([path, expect.stringContaining('refused to connect')])
      }
    })
  })
})
