import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@vedette/client'
import { generate } from 'otplib/functional'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTool, lacks } from '../../scripts/test-tools.ts'
import { type RunningVedette, startVedette } from './running-vedette.ts'

const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'
const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery staple'
const MARKUP = '<img src=x onerror=alert(1)>'

/** What people open it on: each width in each colour scheme. */
const LOOKS = [1440, 390].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })))

/** Where pictures of every state are put, for a person to look at; nowhere by default. */
const PICTURES = process.env['TEST_PICTURES_DIR']

describe.skipIf(lacks('chromium'))('the first page', () => {
  let vedette: RunningVedette
  let browser: Browser
  const looks: { name: string; context: BrowserContext; page: Page }[] = []
  /** What the browser complains of: errors of scripts, refusals by the content security policy, dialogs. */
  const complaints: string[] = []
  let page: Page

  beforeAll(async () => {
    vedette = await startVedette()
    browser = await chromium.launch({ executablePath: findTool('chromium') ?? '', args: FLAGS.split(' ') })
    for (const { width, colorScheme } of LOOKS) {
      const context = await browser.newContext({ viewport: { width, height: width > 600 ? 900 : 844 }, colorScheme })
      const page = await context.newPage()
      page.setDefaultTimeout(10_000)
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('dialog', (dialog) => {
        complaints.push(`dialog ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
      })
      looks.push({ name: `${width}-${colorScheme}`, context, page })
    }
    page = looks[0]?.page as Page
  }, 90_000)

  afterAll(async () => {
    await browser?.close()
    await vedette?.stop()
  }, 30_000)

  async function picture(state: string): Promise<void> {
    for (const { name, page } of looks) {
      // Nothing may stick out of a narrow screen.
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${state} ${name}`).toBe(0)
      if (PICTURES === undefined) continue
      mkdirSync(PICTURES, { recursive: true })
      await page.screenshot({ path: join(PICTURES, `${state}-${name}.png`), fullPage: true })
    }
  }

  const error = () => page.getByRole('alert')

  /** The API with the session of this tab. */
  async function asTheTab() {
    const token = String(await page.evaluate("sessionStorage.getItem('vedette-token')"))
    return createClient({ baseUrl: new URL(vedette.readyUrl).origin, token })
  }

  it('takes the set-up code out of the URL, from the address bar too, and keeps it over a reload', async () => {
    const code = new URL(vedette.readyUrl).searchParams.get('code') ?? ''
    expect(code).toMatch(/^\w{16,}$/)
    for (const { page } of looks) {
      await page.goto(vedette.readyUrl)
      expect(await page.getByLabel('Set-up code').inputValue()).toBe(code)
      expect(page.url()).not.toContain(code)
    }
    await page.reload()
    expect(await page.getByLabel('Set-up code').inputValue()).toBe(code)
    await picture('set-up')
  })

  it('says what is wrong with the form beside it, and sends nothing that is', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.method()))
    await page.getByRole('button', { name: 'owner' }).click()
    await expect.poll(() => error().textContent()).toMatch(/e-mail/i)
    await page.getByLabel('Your e-mail').fill(EMAIL)
    await page.getByLabel('Password').fill('too short')
    await page.getByLabel('Organization').fill('Acme')
    await page.getByRole('button', { name: 'owner' }).click()
    await expect.poll(() => error().textContent()).toMatch(/password.*12/i)
    expect(asked).toEqual([])
    await page.getByLabel('Password').fill('password1234')
    await page.getByRole('button', { name: 'owner' }).click()
    await expect.poll(() => error().textContent()).toMatch(/most common/)
    await picture('set-up-error')
  })

  it('makes owner and organization, and shows this host with its values within 15 s', { timeout: 30_000 }, async () => {
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'owner' }).click()
    const card = page.getByRole('article').first()
    await card.waitFor({ timeout: 15_000 })
    await expect.poll(() => card.textContent(), { timeout: 15_000 }).toMatch(/online/)
    await expect.poll(() => card.textContent(), { timeout: 15_000 }).toMatch(/CPU.*\d %.*Memory.*\d.*GB/s)
  })

  it('signs out and in again; a wrong password is said', { timeout: 30_000 }, async () => {
    const before = await asTheTab()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail').fill(EMAIL)
    // The session is over, not only forgotten.
    await expect(before.servers.list()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
    await page.getByLabel('Password').fill('not the right one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => error().textContent()).toMatch(/wrong/)
    for (const { page } of looks) {
      if (page !== looks[0]?.page) await page.goto(new URL(vedette.readyUrl).origin)
    }
    await picture('sign-in')
    for (const { page } of looks) {
      await page.getByLabel('E-mail').fill(EMAIL)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('article').first().waitFor()
    }
    await picture('hosts')
  })

  it('shows a host name with markup in it as text', { timeout: 30_000 }, async () => {
    const answer = await fetch(new URL('/v1/agent/register', vedette.readyUrl), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': vedette.agentKey() },
      body: JSON.stringify({
        hostname: MARKUP,
        os: '<script>alert(2)</script>',
        kernel: '6.1.0-a-very-long-kernel-name-without-any-break-in-it-as-some-distributions-have',
        arch: 'x64',
        agent_version: '0.1.0',
        machine_id: 'markup',
      }),
    })
    expect(answer.status).toBe(201)
    for (const { page } of looks) {
      await page.reload()
      const card = page.getByRole('article').filter({ hasText: MARKUP })
      await card.waitFor()
      expect(await card.textContent()).toContain('<script>alert(2)</script>')
      expect(await card.locator('img, script').count()).toBe(0)
    }
    await picture('two-hosts')
  })

  it('asks again every ten seconds: a session that was ended elsewhere ends here', { timeout: 30_000 }, async () => {
    const { sessions } = await asTheTab()
    const { sessions: living } = await sessions.list()
    await sessions.end(living.find(({ current }) => current)?.id ?? '')
    await page.getByLabel('E-mail').waitFor({ timeout: 15_000 })
    expect(await error().textContent()).toMatch(/session has ended/)
  })

  it('asks for the code of a second factor where there is one', { timeout: 30_000 }, async () => {
    const code = page.getByRole('textbox', { name: 'Code' })
    const signIn = async (password = PASSWORD) => {
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await page.getByLabel('E-mail').fill(EMAIL)
    expect(await code.count()).toBe(0)
    await signIn()
    await page.getByRole('article').first().waitFor()
    const { totp } = await asTheTab()
    const started = await totp.setUp({})
    if (!('secret' in started)) throw new Error('it should have been a start')
    await totp.setUp({ code: await generate({ secret: started.secret }) })
    await page.getByRole('button', { name: 'Sign out' }).click()

    await page.getByLabel('E-mail').fill(EMAIL)
    await signIn()
    await expect.poll(() => error().textContent()).toMatch(/second factor/)
    await code.fill('000000-0000')
    await signIn()
    await expect.poll(() => error().textContent()).toMatch(/code is wrong/)
    await picture('second-factor')
    await code.fill(started.recovery_codes[0] ?? '')
    await signIn()
    await page.getByRole('article').first().waitFor()
  })

  it('makes the browser complain of nothing but the refusals that were asked for', () => {
    const refusals = complaints.filter((text) => /^Failed to load resource.*40[01] /.test(text))
    expect(complaints.filter((text) => !refusals.includes(text))).toEqual([])
    // A common password, a wrong one, a session that had ended, a code that was missing and one that was wrong.
    expect(refusals).toHaveLength(5)
  })
})
