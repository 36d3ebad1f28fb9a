import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@vedette/client'
import { generate } from 'otplib/functional'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lacks } from '../../scripts/test-tools.ts'
import { faultsOf, type Looks, openLooks } from './browser.ts'
import { type RunningVedette, startVedette } from './running-vedette.ts'
import { PATIENCE_MS, TARGET_HOST, watching } from './watching.ts'

const EMAIL = 'ada@example.com'
const VIEWER = 'grace@example.com'
const PASSWORD = 'correct horse battery staple'
const MARKUP = '<img src=x onerror=alert(1)>'
const LONG_NAME = '6.1.0-a-very-long-kernel-name-without-any-break-in-it-as-some-distributions-have'

/**
 * The page has to live within reads and writes as they are by default, 100 and 30 a minute. A test does in one minute what takes a
 * person several, the more of it the faster the machine, and asks beside the page: twice as many. It signs in more often as well.
 */
const LIMITS = 'auth=100,read=200,write=60,agent=1000'

const MEMBER = ['Add a monitor', 'Pause', 'Edit', 'Add a rule', 'Switch off']
const MANAGER =
  'Add a monitor, Pause, Edit, Delete, Add a server, Add a rule, Switch off, Add a channel, API keys, Audit log, Invite'.split(
    ', ',
  )
/** Who stands below an owner takes nothing from one; a viewer is offered nothing. */
const ROLES = [
  ['member', MEMBER],
  ['admin', MANAGER],
  ['owner', [...MANAGER, 'Remove', 'Save the name', 'Delete the organization']],
] as const

/** Where pictures of every state are put, for a person to look at; nowhere by default. */
const PICTURES = process.env['TEST_PICTURES_DIR']

describe.skipIf(lacks('chromium'))('the page', () => {
  let vedette: RunningVedette
  let browser: Looks
  let looks: Looks['looks']
  let page: Page

  beforeAll(async () => {
    vedette = await startVedette({
      VEDETTE_RATE_LIMITS: LIMITS,
      VEDETTE_ALLOW_PRIVATE_TARGETS: `${TARGET_HOST}/32`,
      // A refused agent finds its new token at the next push.
      VEDETTE_SAMPLE_INTERVAL_SECONDS: '2',
      VEDETTE_PUSH_INTERVAL_SECONDS: '5',
    })
    // A colour is looked at where it ends, and not on its way.
    browser = await openLooks({ reducedMotion: 'reduce' })
    looks = browser.looks
    page = looks[0].page
  }, 90_000)

  afterAll(async () => {
    await Promise.all([browser?.close(), vedette?.stop()])
  }, 30_000)

  /** Both at once. */
  const inBothLooks = (act: (look: Looks['looks'][number]) => Promise<void>) => Promise.all(looks.map(act))

  async function picture(state: string): Promise<void> {
    await inBothLooks(async ({ name, page }) => {
      expect(await faultsOf(page), `${state} ${name}`).toEqual([])
      if (PICTURES === undefined) return
      mkdirSync(PICTURES, { recursive: true })
      await page.screenshot({ path: join(PICTURES, `${state}-${name}.png`), fullPage: true })
    })
  }

  const error = () => page.getByRole('alert')
  const origin = () => new URL(vedette.readyUrl).origin
  const signOut = async () => {
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  /** What is there only for who is signed in. */
  const navigation = (of = page) => of.getByRole('navigation', { name: 'Main' })

  /** The API with the session of this tab. */
  async function asTheTab() {
    const token = String(await page.evaluate("sessionStorage.getItem('vedette-token')"))
    return createClient({ baseUrl: new URL(vedette.readyUrl).origin, token })
  }

  /** What somebody is offered on the pages where roles differ, by their names; `awaited` is given time to come. */
  async function offersTo(of: Page, awaited: readonly string[]): Promise<string[]> {
    const offered: string[] = []
    const look = async (place: string, there: string, names: readonly string[]) => {
      await of.getByRole('link', { name: place, exact: true }).first().click()
      await of.getByText(there, { exact: true }).first().waitFor()
      for (const name of names) {
        const found = of
          .getByRole('main')
          .getByRole(/^(?:Edit|Add .*|API keys|Audit log)$/.test(name) ? 'link' : 'button', { name })
        if (awaited.includes(name)) await found.first().waitFor()
        if ((await found.count()) > 0) offered.push(name)
      }
    }
    await look('Monitors', 'Shop', ['Add a monitor'])
    await look('Shop', 'Recent checks', ['Pause', 'Edit', 'Delete'])
    await look('Servers', 'online', ['Add a server'])
    await look('Alerts', 'Monitor down', ['Add a rule', 'Switch off'])
    await look('Channels', 'Where incidents are told. The first channel is given to all rules that have none.', ['Add a channel'])
    await look('Settings', 'Time zone of times shown', ['API keys', 'Audit log'])
    await look('Members', '(you)', ['Invite', 'Remove'])
    await look('Organization', 'Plan', ['Save the name', 'Delete the organization'])
    return offered
  }

  const watch = watching(() => ({ vedette, page, asTheTab }))

  it('takes the set-up code out of the URL, from the address bar too, and keeps it over a reload', async () => {
    const code = new URL(vedette.readyUrl).searchParams.get('code') ?? ''
    expect(code).toMatch(/^\w{16,}$/)
    await inBothLooks(async ({ page }) => {
      await page.goto(vedette.readyUrl)
      expect(await page.getByLabel('Set-up code').inputValue()).toBe(code)
      expect(page.url()).not.toContain(code)
    })
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

  it('makes owner and organization', async () => {
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'owner' }).click()
    await expect.poll(() => navigation().count()).toBe(1)
  })

  watch.begins()

  // While the agent of this host and the first check of the monitor are under way.
  it('shows this host with its values within 15 s', { timeout: PATIENCE_MS }, async () => {
    await navigation().getByRole('link', { name: 'Servers' }).click()
    const row = page.getByRole('listitem').first()
    await row.waitFor({ timeout: 15_000 })
    await expect.poll(() => row.textContent(), { timeout: 15_000 }).toMatch(/online/)
    await expect.poll(() => row.textContent(), { timeout: 15_000 }).toMatch(/CPU.*\d %.*Memory.*\d %/s)
  })

  watch.opens()

  it('signs out and in again, to the page that the link names; a wrong password is said [PAGE-01]', {
    timeout: PATIENCE_MS,
  }, async () => {
    const before = await asTheTab()
    await navigation().getByRole('link', { name: 'Servers' }).click()
    await signOut()
    await page.getByLabel('E-mail').fill(EMAIL)
    // The session is over, not only forgotten.
    await expect(before.servers.list()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(await navigation().count()).toBe(0)
    await page.getByLabel('Password').fill('not the right one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => error().textContent()).toMatch(/wrong/)
    await looks[1].page.goto(`${origin()}/servers?status=online&sort=name`)
    await looks[1].page.getByLabel('E-mail').waitFor()
    await picture('sign-in')
    await inBothLooks(async ({ page }) => {
      await page.getByLabel('E-mail').fill(EMAIL)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('listitem').first().waitFor()
      expect(page.url()).toMatch(/servers/)
    })
    expect(looks[1].page.url()).toBe(`${origin()}/servers?status=online&sort=name`)
    await picture('servers')
  })

  it('makes a key with which a host joins', { timeout: PATIENCE_MS }, async () => {
    await navigation().getByRole('link', { name: 'Servers' }).click()
    await page.getByRole('link', { name: 'Add a server' }).first().click()
    await page.getByRole('button', { name: 'Make a key' }).click()
    const lines = (await page.getByLabel('Run this on the host', { exact: true }).textContent()) ?? ''
    const apiKey = /'(vdt_key_\w+)'/.exec(lines)?.[1] ?? ''
    expect(apiKey).not.toBe('')
    await page.getByText('Waiting for the first sample').waitFor()
    const host = { os: '<script>alert(2)</script>', kernel: LONG_NAME, arch: 'x64', agent_version: '0.1.0', machine_id: 'markup' }
    const agent = createClient({ baseUrl: origin(), apiKey })
    const { token } = await agent.agent.register({ hostname: MARKUP, ...host })
    const sample = { at: new Date().toISOString(), cpu: { percent: 12.5 } }
    const batch = { batch_id: crypto.randomUUID(), sent_at: sample.at, agent_version: '0.1.0', samples: [sample] }
    await createClient({ baseUrl: origin(), apiKey: token }).agent.submitMetrics(batch)
  })

  it('hands the session to another tab of the same browser, and takes it from all of them', {
    timeout: PATIENCE_MS,
  }, async () => {
    const { context, page: first } = looks[1]
    const second = await context.newPage()
    await second.goto(`${origin()}/settings`)
    await navigation(second).waitFor()
    await second.getByRole('button', { name: 'Account' }).click()
    await second.getByRole('menuitem', { name: 'Sign out' }).click()
    await first.getByLabel('E-mail').waitFor()
    expect(await navigation(first).count()).toBe(0)
    await second.close()
  })

  it('lets a viewer in by an invitation, and offers nothing that the role may not do [PAGE-03]', {
    timeout: PATIENCE_MS,
  }, async () => {
    const token = String(await page.evaluate("sessionStorage.getItem('vedette-token')"))
    const owner = createClient({ baseUrl: origin(), token })
    const { organizations } = await owner.auth.me()
    const { accept_url } = await owner.invitations.create(organizations[0]?.id ?? '', { email: VIEWER, role: 'viewer' })
    const { pathname, search } = new URL(accept_url)
    const { page: other } = looks[1]
    await other.goto(`${origin()}${pathname}${search}`)
    await expect.poll(() => other.url()).not.toContain('token')
    await other.getByLabel('Password').fill(PASSWORD)
    await other.getByRole('button', { name: 'Accept' }).click()
    await navigation(other).getByRole('link', { name: 'Monitors' }).click()
    await other.getByRole('link', { name: 'Shop' }).click()
    await other.goto(`${origin()}/settings/keys`)
    await other.getByText('Your role does not see this').waitFor()
    expect(await offersTo(other, [])).toEqual([])
    expect(await faultsOf(other)).toEqual([])
  })

  it('turns green when the host has joined, and shows its name as text', { timeout: PATIENCE_MS }, async () => {
    await expect
      .poll(() => page.getByRole('status').allTextContents(), { timeout: 15_000 })
      .toContainEqual(expect.stringContaining(`${MARKUP} has joined`))
    await page.getByRole('link', { name: 'Open it' }).click()
    const heading = page.getByRole('heading', { level: 1 })
    await expect.poll(() => heading.textContent()).toBe(MARKUP)
    expect(await page.locator('main img, main script').count()).toBe(0)
    await page.locator('canvas').first().waitFor()
  })

  it('deletes a server whose name was typed, and only then', { timeout: PATIENCE_MS }, async () => {
    await page.getByRole('main').getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByRole('dialog').getByRole('textbox').fill(MARKUP)
    await confirm.click()
    await page.getByText('is deleted').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/servers')
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1)
  })

  it('tries a definition before it keeps it, and shows the monitor that was made', { timeout: PATIENCE_MS }, async () => {
    // The second key counts for a second only.
    const byKeys = async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('m')
      return new URL(page.url()).pathname
    }
    await expect.poll(byKeys).toBe('/monitors')
    await page.getByRole('link', { name: 'Add a monitor' }).first().click()
    await page.getByLabel('URL').fill(`${origin()}/healthz`)
    await page.getByRole('button', { name: 'Test' }).click()
    // Private addresses are closed by default: the page says so before anything is kept.
    await page
      .getByText(/private|loopback|not allowed|blocked/i)
      .first()
      .waitFor()
    await page.getByLabel('Name').fill('Health')
    await page.getByRole('button', { name: 'Add the monitor' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Health')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.goBack()
    await page.goBack()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/monitors')
    await page.getByRole('listitem').filter({ hasText: 'paused' }).waitFor()
  })

  watch.goesOn()

  it.each(ROLES)(
    'offers to a role what it may do and nothing else: %s [PAGE-03]',
    { timeout: PATIENCE_MS },
    async (role, offered) => {
      const { members, auth } = await asTheTab()
      const id = (await auth.me()).organizations[0]?.id ?? ''
      const person = (await members.list(id)).members.find(({ email }) => email === VIEWER)
      await members.update(id, person?.id ?? '', { role })
      await looks[1].page.reload()
      expect(await offersTo(looks[1].page, offered)).toEqual(offered)
    },
  )

  watch.ends()

  it('ends a session that was ended elsewhere when somebody goes on with it [PAGE-04]', { timeout: PATIENCE_MS }, async () => {
    const { sessions } = await asTheTab()
    const { sessions: living } = await sessions.list()
    await sessions.end(living.find(({ current }) => current)?.id ?? '')
    // Any answer to any question of the page ends it: what was to be clicked may be gone by then.
    const email = page.getByLabel('E-mail')
    await navigation().getByRole('link', { name: 'Settings' }).or(email).first().click()
    await page.getByRole('link', { name: 'Sign-in' }).or(email).first().click()
    await email.waitFor()
    expect(await error().textContent()).toMatch(/session has ended/)
  })

  it('asks for the code of a second factor where there is one', { timeout: PATIENCE_MS }, async () => {
    const code = page.getByRole('textbox', { name: 'Code' })
    const signIn = async (password = PASSWORD) => {
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await page.getByLabel('E-mail').fill(EMAIL)
    expect(await code.count()).toBe(0)
    await signIn()
    await navigation().waitFor()
    const { totp } = await asTheTab()
    const started = await totp.setUp({})
    if (!('secret' in started)) throw new Error('it should have been a start')
    await totp.setUp({ code: await generate({ secret: started.secret }) })
    await signOut()

    await page.getByLabel('E-mail').fill(EMAIL)
    await signIn()
    await expect.poll(() => error().textContent()).toMatch(/second factor/)
    await code.fill('000000-0000')
    await signIn()
    await expect.poll(() => error().textContent()).toMatch(/code is wrong/)
    await picture('second-factor')
    await code.fill(started.recovery_codes[0] ?? '')
    await signIn()
    await navigation().waitFor()
  })

  it('makes the browser complain of nothing but the refusals that were asked for', () => {
    const refusals = browser.complaints.filter((text) => /^Failed to load resource.*40[01] /.test(text))
    expect(browser.complaints.filter((text) => !refusals.includes(text))).toEqual([])
    // A common password, a wrong one, a code that was missing and one that was wrong; the rest by the session that had ended.
    expect(refusals.length).toBeGreaterThanOrEqual(5)
    // Whatever was under way when it ended is refused as well, and nothing asks again and again.
    expect(refusals.length).toBeLessThanOrEqual(20)
  })
})
