import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../../../backend/test/harness.ts'
import { startTestSmtp, type TestSmtp } from '../../../backend/test/smtp.ts'
import { openScene, type Page, type Scene } from '../dom/scene.ts'

describe('signing in', () => {
  let scene: Scene
  let smtp: TestSmtp
  beforeAll(async () => {
    smtp = await startTestSmtp()
    scene = await openScene({ environment: { VEDETTE_SMTP_URL: smtp.url } })
  })
  afterAll(async () => {
    await scene?.close()
    await smtp?.close()
  })

  /** A page without a session. */
  async function open(path = '/'): Promise<Page> {
    const page = scene.openSignedOut()
    await page.goto(path)
    return page
  }
  const person = async () => {
    const as = await scene.backend.member(scene.organization, 'member')
    return { as, email: (await scene.backend.call('GET', '/v1/me', { as })).body.email as string }
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

  it('with a wrong password says so, keeps the email, and works with the right one', async () => {
    const { email } = await person()
    const page = await open()
    await fill(page, email, 'a wrong passphrase')
    await page.getByText('The e-mail or the password is wrong.').waitFor()
    expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe(email)
    await fill(page, email, PASSWORD)
    await signedIn(page)
  })

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
  })

  it('asks for the code of a second factor, and opens the link that was asked for', async () => {
    const { as, email } = await person()
    const { secret } = (await scene.backend.call('POST', '/v1/auth/totp', { as, body: {} })).body
    const codeAt = (seconds: number) => generate({ secret, epoch: Math.floor(scene.backend.clock.now() / 1000) + seconds })
    await scene.backend.call('POST', '/v1/auth/totp', { as, body: { code: await codeAt(0) } })
    const page = await open('/servers?status=offline')
    await fill(page, email, PASSWORD)
    await page.getByText('Two-factor authentication is enabled.').waitFor()
    await page.getByLabel('Code').fill('123456')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/code is wrong/i).waitFor()
    scene.backend.clock.advance(60_000)
    await page.getByLabel('Code').fill(await codeAt(0))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signedIn(page)
    expect(page.url()).toBe(`${scene.origin}/servers?status=offline`)
  })

  it('works after a reset of the password by a mailed link, which works once', async () => {
    const { email } = await person()
    const page = await open()
    // A load of another page.
    await page.goto((await page.getByRole('link', { name: 'Reset your password' }).getAttribute('href')) ?? '')
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByText('If the address has an account, a link has been sent.').waitFor()
    await scene.backend.jobs.sendResets()
    await scene.backend.jobs.sendMails()
    const link = linkTo('password-reset')
    // The tab shows another link of the kind already.
    const linked = await open('/password-reset#token=of-yesterday')
    await linked.getByLabel('New password').waitFor()
    await linked.goto(link)
    await expect.poll(() => linked.url()).toBe(`${scene.origin}/password-reset`)
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
  })

  it('accepts an invitation by its link, with a new account', async () => {
    const owner = await scene.backend.member(scene.organization, 'owner')
    const body = { email: 'guest@example.com', role: 'viewer' }
    await scene.backend.call('POST', `/v1/organizations/${scene.organization.id}/members/invite`, { as: owner, body })
    await scene.backend.jobs.sendMails()
    const link = linkTo('invitations/accept')
    const page = await open(link)
    await page.getByRole('heading', { name: 'Accept invitation' }).waitFor()
    await page
      .getByLabel(/password/i)
      .first()
      .fill(PASSWORD)
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await signedIn(page)
    const { members } = (
      await scene.backend.call('GET', `/v1/organizations/${scene.organization.id}/members?limit=100`, { as: owner })
    ).body
    expect(members.find(({ email }: { email: string }) => email === 'guest@example.com')?.role).toBe('viewer')
  })

  it('that is tried too often says when to try again', async () => {
    const limited = await openScene({ environment: { VEDETTE_RATE_LIMITS: 'auth=10,read=100,write=30,agent=1000' } })
    const page = limited.openSignedOut()
    await page.goto('/')
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await fill(page, 'ada@example.com', `wrong passphrase ${attempt}`)
      await page.getByRole('alert').first().waitFor()
    }
    await expect.poll(() => page.getByText('Too many requests. Try again shortly.').isVisible()).toBe(true)
    await limited.close()
  })
})
