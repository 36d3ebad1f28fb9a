import { generate } from 'otplib/functional'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../backend/test/harness.ts'
import { startTestSmtp, type TestSmtp } from '../../../backend/test/smtp.ts'
import { isMissing } from '../../../scripts/test-tools.ts'
import { openBrowser, pageDefects, type TestBrowser } from '../browser.ts'
import { takePicture } from '../signed-in.ts'

describe.skipIf(isMissing('chromium'))('signing in', () => {
  let backend: TestBackend
  let browser: TestBrowser
  let smtp: TestSmtp
  let origin: string
  let organization: TestOrganization
  beforeAll(async () => {
    smtp = await startTestSmtp()
    backend = await startTestBackend({ startMs: Date.now(), environment: { VEDETTE_SMTP_URL: smtp.url } })
    organization = await backend.organization()
    origin = `http://127.0.0.1:${await backend.listen()}`
    browser = await openBrowser({ reducedMotion: 'reduce' })
  })
  afterAll(async () => {
    await browser?.close()
    await backend?.close()
    await smtp?.close()
  })

  /** A window without a session. */
  async function open(path = '/', isNarrow = false): Promise<Page> {
    const viewport = isNarrow ? { width: 390, height: 844 } : { width: 1440, height: 900 }
    const context = await browser.viewers[isNarrow ? 1 : 0].context
      .browser()
      ?.newContext({ viewport, hasTouch: isNarrow, reducedMotion: 'reduce' })
    const page = (await context?.newPage()) as Page
    page.setDefaultTimeout(30_000)
    await page.goto(origin + path)
    return page
  }
  const person = async () => {
    const as = await backend.member(organization, 'member')
    return { as, email: (await backend.call('GET', '/v1/me', { as })).body.email as string }
  }
  const fill = async (page: Page, email: string, password: string) => {
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  /** The path and fragment of the link that was mailed last. */
  const linkTo = (path: string): string => {
    const links = smtp.mails.flatMap(({ text }) => new RegExp(`/${path}#token=[\\w-]+`).exec(text)?.[0] ?? [])
    return links.at(-1) ?? ''
  }
  const signedIn = (page: Page) => page.getByRole('navigation', { name: 'Main' }).waitFor()

  it.each([false, true])(
    'with a wrong password says so, keeps the email, and works with the right one (narrow: %s)',
    async (isNarrow) => {
      const { email } = await person()
      const page = await open('/', isNarrow)
      expect(await pageDefects(page)).toEqual([])
      await fill(page, email, 'a wrong passphrase')
      await page.getByText('The e-mail or the password is wrong.').waitFor()
      expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe(email)
      await takePicture(page, 'sign-in-wrong')
      await fill(page, email, PASSWORD)
      await signedIn(page)
      await page.context().close()
    },
  )

  it('says what is missing, without a request', async () => {
    const page = await open()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Email is required.').waitFor()
    await page.getByLabel('Email', { exact: true }).fill('ada@example.com')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Password is required.').waitFor()
    expect(sent).toEqual([])
    await page.context().close()
  })

  it('asks for the code of a second factor, and opens the link that was asked for', async () => {
    const { as, email } = await person()
    const { secret } = (await backend.call('POST', '/v1/auth/totp', { as, body: {} })).body
    const codeAt = (seconds: number) => generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) + seconds })
    await backend.call('POST', '/v1/auth/totp', { as, body: { code: await codeAt(0) } })
    const page = await open('/servers?status=offline')
    await fill(page, email, PASSWORD)
    await page.getByText('Two-factor authentication is enabled.').waitFor()
    expect(await pageDefects(page)).toEqual([])
    await page.getByLabel('Code').fill('123456')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/code is wrong/i).waitFor()
    backend.clock.advance(60_000)
    await page.getByLabel('Code').fill(await codeAt(0))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signedIn(page)
    expect(page.url()).toBe(`${origin}/servers?status=offline`)
    await page.context().close()
  })

  it('works after a reset of the password by a mailed link, which works once', async () => {
    const { email } = await person()
    const page = await open()
    await page.getByRole('link', { name: 'Reset your password' }).click()
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('If the address has an account, a link has been sent.').waitFor()
    expect(await pageDefects(page)).toEqual([])
    await backend.jobs.sendResets()
    await backend.jobs.sendMails()
    const link = linkTo('password-reset')
    await page.context().close()
    // The tab shows another link of the kind already.
    const linked = await open('/password-reset#token=of-yesterday')
    await linked.getByLabel('New password').waitFor()
    await linked.goto(origin + link)
    await linked.waitForURL(`${origin}/password-reset`)
    await linked.getByLabel('New password').fill('short')
    await linked.getByRole('button', { name: 'Save and sign in' }).click()
    await linked.getByText('New password must have at least 12 characters.').waitFor()
    // The secret does not stay in the address bar.
    expect(linked.url()).not.toContain('token')
    await linked.getByLabel('New password').fill('a quite different passphrase')
    await linked.getByRole('button', { name: 'Save and sign in' }).click()
    await signedIn(linked)
    const again = await open(link)
    await again.getByLabel('New password').fill('yet another long passphrase')
    await again.getByRole('button', { name: 'Save and sign in' }).click()
    await again
      .getByText(/not found|used|expired|link/i)
      .first()
      .waitFor()
    for (const each of [linked, again]) await each.context().close()
  })

  it('accepts an invitation by its link, with a new account', async () => {
    const owner = await backend.member(organization, 'owner')
    const body = { email: 'guest@example.com', role: 'viewer' }
    await backend.call('POST', `/v1/organizations/${organization.id}/members/invite`, { as: owner, body })
    await backend.jobs.sendMails()
    const link = linkTo('invitations/accept')
    const page = await open(link, true)
    await page.getByRole('heading', { name: 'Accept invitation' }).waitFor()
    expect(await pageDefects(page)).toEqual([])
    await page
      .getByLabel(/password/i)
      .first()
      .fill(PASSWORD)
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await signedIn(page)
    const { members } = (await backend.call('GET', `/v1/organizations/${organization.id}/members?limit=100`, { as: owner })).body
    expect(members.find(({ email }: { email: string }) => email === 'guest@example.com')?.role).toBe('viewer')
    await page.context().close()
  })

  it('ends in all tabs at once', async () => {
    const { email } = await person()
    const page = await open()
    await fill(page, email, PASSWORD)
    await signedIn(page)
    const other = await page.context().newPage()
    await other.goto(`${origin}/monitors`)
    await signedIn(other)
    await page.getByRole('button', { name: 'Account and preferences' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await other.getByText('You signed out in another tab.').waitFor()
    expect(await other.evaluate(`sessionStorage.getItem('vedette-token')`)).toBeNull()
    await page.context().close()
  })

  it('that is tried too often says when to try again', async () => {
    const limited = await startTestBackend({
      startMs: Date.now(),
      environment: { VEDETTE_RATE_LIMITS: 'auth=10,read=100,write=30,agent=1000' },
    })
    await limited.member(await limited.organization(), 'owner')
    const page = await open()
    await page.goto(`http://127.0.0.1:${await limited.listen()}`)
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await fill(page, 'ada@example.com', `wrong passphrase ${attempt}`)
      await page.getByRole('alert').first().waitFor()
    }
    await page.getByText('Too many requests. Try again shortly.').waitFor()
    expect(await pageDefects(page)).toEqual([])
    await page.context().close()
    await limited.close()
  })
})
