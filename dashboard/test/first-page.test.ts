import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@vedette/client'
import { generate } from 'otplib/functional'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects, type TestBrowser, openBrowser } from './browser.ts'
import { type RunningVedette, startVedette } from './running-vedette.ts'
import { TEST_TIMEOUT_MS, TARGET_HOST, monitoringTests } from './monitoring-tests.ts'

const EMAIL = 'ada@example.com'
const VIEWER = 'grace@example.com'
const PASSWORD = 'correct horse battery staple'
const MARKUP = '<img src=x onerror=alert(1)>'
const LONG_NAME = '6.1.0-a-very-long-kernel-name-without-any-break-in-it-as-some-distributions-have'

/**
 * The page has to work within the default rate limits of 100 reads and 30 writes per minute. The test is several times faster than a
 * person and sends requests of its own, so that it gets twice as many, and more sign-ins.
 */
const LIMITS = 'auth=100,read=200,write=60,agent=1000'

const MEMBER = ['Add monitor', 'Pause', 'Edit', 'Add rule', 'Disable']
const MANAGER = 'Add monitor, Pause, Edit, Delete, Add server, Add rule, Disable, Add channel, API keys, Audit log, Invite'.split(
  ', ',
)
/** What each role is offered. Nobody below an owner can change one, and a viewer is offered nothing. */
const ROLES = [
  ['member', MEMBER],
  ['admin', MANAGER],
  ['owner', [...MANAGER, 'Remove', 'Rename', 'Delete organization']],
] as const

/** The folder for screenshots of every state; none by default. */
const SCREENSHOTS = process.env['TEST_PICTURES_DIR']

describe.skipIf(isMissing('chromium'))('the page', () => {
  let vedette: RunningVedette
  let browser: TestBrowser
  let viewers: TestBrowser['viewers']
  let page: Page

  beforeAll(async () => {
    vedette = await startVedette({
      VEDETTE_RATE_LIMITS: LIMITS,
      VEDETTE_ALLOW_PRIVATE_TARGETS: `${TARGET_HOST}/32`,
      // An agent finds its new token at the next push.
      VEDETTE_SAMPLE_INTERVAL_SECONDS: '2',
      VEDETTE_PUSH_INTERVAL_SECONDS: '5',
    })
    // Without animations, so that axe sees the final colours.
    browser = await openBrowser({ reducedMotion: 'reduce' })
    viewers = browser.viewers
    page = viewers[0].page
  }, 90_000)

  afterAll(async () => {
    await Promise.all([browser?.close(), vedette?.stop()])
  }, 30_000)

  const withBothViewers = (act: (viewer: TestBrowser['viewers'][number]) => Promise<void>) => Promise.all(viewers.map(act))

  async function checkState(state: string): Promise<void> {
    await withBothViewers(async ({ name, page }) => {
      expect(await pageDefects(page), `${state} ${name}`).toEqual([])
      if (SCREENSHOTS === undefined) return
      mkdirSync(SCREENSHOTS, { recursive: true })
      await page.screenshot({ path: join(SCREENSHOTS, `${state}-${name}.png`), fullPage: true })
    })
  }

  const error = () => page.getByRole('alert')
  const origin = () => new URL(vedette.readyUrl).origin
  const signOut = async () => {
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  /** Only on signed-in pages. */
  const navigation = (of = page) => of.getByRole('navigation', { name: 'Main' })

  /** A client with the session of this tab. */
  async function asTheTab() {
    const token = String(await page.evaluate("sessionStorage.getItem('vedette-token')"))
    return createClient({ baseUrl: new URL(vedette.readyUrl).origin, token })
  }

  /** The actions that a user is offered on the pages where roles differ. Waits for the `awaited` ones. */
  async function offersTo(of: Page, awaited: readonly string[]): Promise<string[]> {
    const offered: string[] = []
    const collect = async (link: string, landmark: string, names: readonly string[]) => {
      await of.getByRole('link', { name: link, exact: true }).first().click()
      await of.getByText(landmark, { exact: true }).first().waitFor()
      for (const name of names) {
        const action = of
          .getByRole('main')
          .getByRole(/^(?:Edit|Add .*|API keys|Audit log)$/.test(name) ? 'link' : 'button', { name })
        if (awaited.includes(name)) await action.first().waitFor()
        if ((await action.count()) > 0) offered.push(name)
      }
    }
    await collect('Monitors', 'Shop', ['Add monitor'])
    await collect('Shop', 'Recent checks', ['Pause', 'Edit', 'Delete'])
    await collect('Servers', 'Online', ['Add server'])
    await collect('Alerts', 'Monitor down', ['Add rule', 'Disable'])
    await collect(
      'Channels',
      'Channels receive the notifications of incidents. The first channel is added to every rule without one.',
      ['Add channel'],
    )
    await collect('Settings', 'Preferences', ['API keys', 'Audit log'])
    await collect('Members', '(you)', ['Invite', 'Remove'])
    await collect('Organization', 'Plan', ['Rename', 'Delete organization'])
    return offered
  }

  const monitoring = monitoringTests(() => ({ vedette, page, asTheTab }))

  it('takes the set-up code from the URL, removes it from the address bar and keeps it over a reload', async () => {
    const code = new URL(vedette.readyUrl).searchParams.get('code') ?? ''
    expect(code).toMatch(/^\w{16,}$/)
    await withBothViewers(async ({ page }) => {
      await page.goto(vedette.readyUrl)
      expect(await page.getByLabel('Set-up code').inputValue()).toBe(code)
      expect(page.url()).not.toContain(code)
    })
    await page.reload()
    expect(await page.getByLabel('Set-up code').inputValue()).toBe(code)
    await checkState('set-up')
  })

  it('shows the errors of the form and does not send an invalid one', async () => {
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.method()))
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect.poll(() => error().textContent()).toMatch(/email/i)
    await page.getByLabel('Your email').fill(EMAIL)
    await page.getByLabel('Password', { exact: true }).fill('too short')
    await page.getByLabel('Organization').fill('Acme')
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect.poll(() => error().textContent()).toMatch(/password.*12/i)
    expect(requests).toEqual([])
    await page.getByLabel('Password', { exact: true }).fill('password1234')
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect.poll(() => error().textContent()).toMatch(/most common/)
    await checkState('set-up-error')
  })

  it('creates the owner and the organization', async () => {
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect.poll(() => navigation().count()).toBe(1)
  })

  monitoring.createMonitor()

  // While the agent starts and the monitor waits for its first check.
  it('shows this host with its values within 15 s', { timeout: TEST_TIMEOUT_MS }, async () => {
    await navigation().getByRole('link', { name: 'Servers' }).click()
    const row = page.getByRole('listitem').first()
    await row.waitFor({ timeout: 15_000 })
    await expect.poll(() => row.textContent(), { timeout: 15_000 }).toMatch(/Online/)
    await expect.poll(() => row.textContent(), { timeout: 15_000 }).toMatch(/CPU.*\d %.*Memory.*\d %/s)
  })

  monitoring.openIncident()

  it('signs out, rejects a wrong password, and signs in to the page of the link [PAGE-01]', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const before = await asTheTab()
    await navigation().getByRole('link', { name: 'Servers' }).click()
    await signOut()
    await page.getByLabel('Email', { exact: true }).fill(EMAIL)
    // The session has ended in the backend as well.
    await expect(before.servers.list()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(await navigation().count()).toBe(0)
    await page.getByLabel('Password', { exact: true }).fill('not the right one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => error().textContent()).toMatch(/wrong/)
    await viewers[1].page.goto(`${origin()}/servers?status=online&sort=name`)
    await viewers[1].page.getByLabel('Email', { exact: true }).waitFor()
    await checkState('sign-in')
    await withBothViewers(async ({ page }) => {
      await page.getByLabel('Email', { exact: true }).fill(EMAIL)
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('listitem').first().waitFor()
      expect(page.url()).toMatch(/servers/)
    })
    expect(viewers[1].page.url()).toBe(`${origin()}/servers?status=online&sort=name`)
    await checkState('servers')
  })

  it('creates a token with which a server registers', { timeout: TEST_TIMEOUT_MS }, async () => {
    await navigation().getByRole('link', { name: 'Servers' }).click()
    await page.getByRole('link', { name: 'Add server' }).first().click()
    await page.getByRole('button', { name: 'Create token' }).click()
    const lines = (await page.getByLabel('Run this on the host', { exact: true }).textContent()) ?? ''
    const apiKey = /(vdt_enr_\w+)/.exec(lines)?.[1] ?? ''
    expect(apiKey).not.toBe('')
    await page.getByText('Waiting for the first sample').waitFor()
    const host = { os: '<script>alert(2)</script>', kernel: LONG_NAME, arch: 'x64', agent_version: '0.1.0', machine_id: 'markup' }
    const agent = createClient({ baseUrl: origin(), apiKey })
    const { token } = await agent.agent.register({ hostname: MARKUP, ...host })
    const sample = { at: new Date().toISOString(), cpu: { percent: 12.5 } }
    const batch = { batch_id: crypto.randomUUID(), sent_at: sample.at, agent_version: '0.1.0', samples: [sample] }
    await createClient({ baseUrl: origin(), apiKey: token }).agent.submitMetrics(batch)
  })

  it('shares the session with another tab of the browser, and ends it in all tabs', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const { context, page: first } = viewers[1]
    const second = await context.newPage()
    await second.goto(`${origin()}/settings`)
    await navigation(second).waitFor()
    await second.getByRole('button', { name: /^Account/ }).click()
    await second.getByRole('menuitem', { name: 'Sign out' }).click()
    await first.getByLabel('Email').waitFor()
    expect(await navigation(first).count()).toBe(0)
    await second.close()
  })

  it('accepts an invitation and offers a viewer no changes [PAGE-03]', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const token = String(await page.evaluate("sessionStorage.getItem('vedette-token')"))
    const owner = createClient({ baseUrl: origin(), token })
    const { organizations } = await owner.auth.me()
    const { accept_url } = await owner.invitations.create(organizations[0]?.id ?? '', { email: VIEWER, role: 'viewer' })
    const { pathname, search } = new URL(accept_url ?? '')
    const { page: other } = viewers[1]
    await other.goto(`${origin()}${pathname}${search}`)
    await expect.poll(() => other.url()).not.toContain('token')
    await other.getByLabel('Password').fill(PASSWORD)
    await other.getByRole('button', { name: 'Accept' }).click()
    await navigation(other).getByRole('link', { name: 'Monitors' }).click()
    await other.getByRole('link', { name: 'Shop', exact: true }).click()
    await other.goto(`${origin()}/settings/keys`)
    await other.getByText('Your role does not have access').waitFor()
    expect(await offersTo(other, [])).toEqual([])
    expect(await pageDefects(other)).toEqual([])
  })

  it('shows when the server is connected, with its name as text', { timeout: TEST_TIMEOUT_MS }, async () => {
    await expect
      .poll(() => page.getByRole('status').allTextContents(), { timeout: 15_000 })
      .toContainEqual(expect.stringContaining(`${MARKUP} is connected`))
    await page.getByRole('link', { name: 'Open server' }).click()
    const heading = page.getByRole('heading', { level: 1 })
    await expect.poll(() => heading.textContent()).toBe(MARKUP)
    expect(await page.locator('main img, main script').count()).toBe(0)
    await page.locator('canvas').first().waitFor()
  })

  it('deletes a server only after its name was typed', { timeout: TEST_TIMEOUT_MS }, async () => {
    await page.getByRole('main').getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByRole('dialog').getByRole('textbox').fill(MARKUP)
    await confirm.click()
    await page.getByText(`${MARKUP} deleted`).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/servers')
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1)
  })

  it('tests a definition before it is saved, and shows the created monitor', { timeout: TEST_TIMEOUT_MS }, async () => {
    // The second key has to follow within a second.
    const byKeys = async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('m')
      return new URL(page.url()).pathname
    }
    await expect.poll(byKeys).toBe('/monitors')
    await page.getByRole('link', { name: 'Add monitor' }).first().click()
    await page.getByLabel('What do you want to monitor?').fill(`${origin()}/healthz`)
    await page
      .getByRole('region', { name: 'Proposals' })
      .getByRole('button', { name: /^Website or API/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Test' }).click()
    // Private addresses are not allowed by default: the test says so before the monitor is saved.
    await page
      .getByText(/private|loopback|not allowed|blocked/i)
      .first()
      .waitFor()
    await page.getByLabel('Name').fill('Health')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Health')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Monitor paused', { exact: true }).waitFor()
    await page.goBack()
    await page.goBack()
    await page.goBack()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/monitors')
    await page.getByRole('listitem').filter({ hasText: 'Paused' }).waitFor()
  })

  monitoring.configure()

  it.each(ROLES)(
    'offers the role %s what it may do and nothing else [PAGE-03]',
    { timeout: TEST_TIMEOUT_MS },
    async (role, offered) => {
      const { members, auth } = await asTheTab()
      const id = (await auth.me()).organizations[0]?.id ?? ''
      const person = (await members.list(id)).members.find(({ email }) => email === VIEWER)
      await members.update(id, person?.id ?? '', { role })
      await viewers[1].page.reload()
      expect(await offersTo(viewers[1].page, offered)).toEqual(offered)
    },
  )

  monitoring.resolveIncident()

  it('returns to the sign-in when the session was ended elsewhere [PAGE-04]', { timeout: TEST_TIMEOUT_MS }, async () => {
    const { sessions } = await asTheTab()
    const { sessions: living } = await sessions.list()
    await sessions.end(living.find(({ current }) => current)?.id ?? '')
    // Any request of the page ends it, so that the link may be gone before the click.
    const email = page.getByLabel('Email', { exact: true })
    await navigation().getByRole('link', { name: 'Settings' }).or(email).first().click()
    await page.getByRole('link', { name: 'Security' }).or(email).first().click()
    await email.waitFor()
    expect(await error().textContent()).toMatch(/session has ended/)
  })

  it('requests a code where two-factor authentication is enabled', { timeout: TEST_TIMEOUT_MS }, async () => {
    const code = page.getByRole('textbox', { name: 'Code' })
    const signIn = async (password = PASSWORD) => {
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await page.getByLabel('Email', { exact: true }).fill(EMAIL)
    expect(await code.count()).toBe(0)
    await signIn()
    await navigation().waitFor()
    const { totp } = await asTheTab()
    const started = await totp.setUp({})
    if (!('secret' in started)) throw new Error('it should have been a start')
    await totp.setUp({ code: await generate({ secret: started.secret }) })
    await signOut()

    await page.getByLabel('Email', { exact: true }).fill(EMAIL)
    await signIn()
    await expect.poll(() => error().textContent()).toMatch(/authenticator app/)
    await code.fill('000000-0000')
    await signIn()
    await expect.poll(() => error().textContent()).toMatch(/code is wrong/)
    await checkState('second-factor')
    await code.fill(started.recovery_codes[0] ?? '')
    await signIn()
    await navigation().waitFor()
  })

  it('causes no browser errors except for the rejected requests of these tests', () => {
    const rejected = browser.complaints.filter((text) => /^Failed to load resource.*40[01] /.test(text))
    expect(browser.complaints.filter((text) => !rejected.includes(text))).toEqual([])
    // A common password, a wrong one, a missing code and a wrong one; the others by the ended session.
    expect(rejected.length).toBeGreaterThanOrEqual(5)
    // Requests that ran when the session ended are rejected as well, but none is repeated.
    expect(rejected.length).toBeLessThanOrEqual(20)
  })
})
