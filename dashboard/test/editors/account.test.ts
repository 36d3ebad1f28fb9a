import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../../../backend/test/harness.ts'
import { startTestSmtp, type TestSmtp } from '../../../backend/test/smtp.ts'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from '../dom/scene.ts'
import { watchRequests } from './editor.ts'

describe('an account', () => {
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
  async function openWindow(path: string): Promise<Page> {
    const page = scene.openSignedOut()
    await page.goto(scene.origin + path)
    return page
  }
  const person = async () => {
    const as = await scene.backend.member(scene.organization, 'member')
    return { as, email: (await scene.backend.call('GET', '/v1/me', { as })).body.email as string }
  }
  const signIn = async (page: Page, email: string, password = PASSWORD) => {
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const isSignedIn = (page: Page) => page.getByRole('navigation', { name: 'Main' }).waitFor()
  /** A new person who has signed in at Settings, Security. */
  async function openSecurity() {
    const { as, email } = await person()
    const page = await openWindow('/settings/security')
    await signIn(page, email)
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
    return { as, email, page }
  }
  /** The path and fragment of the link that was mailed last to an address. */
  async function linkTo(path: string, email: string): Promise<string> {
    for (const send of [scene.backend.jobs.sendResets, scene.backend.jobs.sendMails]) await send()
    const texts = smtp.mails.filter(({ to }) => to.includes(email)).map(({ text }) => text)
    return texts.flatMap((text) => new RegExp(`/${path}#token=[\\w-]+`).exec(text)?.[0] ?? []).at(-1) ?? ''
  }
  const codeOf = (secret: string) => generate({ secret, epoch: Math.floor(scene.backend.clock.now() / 1000) })
  /** Enables the second factor by the API. */
  async function enableFactor(as: { authorization: string }): Promise<{ secret: string; codes: string[] }> {
    const { secret, recovery_codes: codes } = (await scene.backend.call('POST', '/v1/auth/totp', { as, body: {} })).body
    await scene.backend.call('POST', '/v1/auth/totp', { as, body: { code: await codeOf(secret) } })
    return { secret, codes }
  }

  describe('with a second factor', () => {
    it('asks for the password where the session is not young, and shows ten codes, of which each works once', async () => {
      const { as, email, page } = await openSecurity()
      scene.backend.clock.advance(6 * 60_000)
      await page.getByRole('button', { name: 'Set up' }).click()
      const dialog = page.getByRole('dialog', { name: 'Two-factor authentication' })
      await dialog.getByLabel('Your password').fill('not the password')
      await dialog.getByRole('button', { name: 'Set up' }).click()
      await dialog.getByText('The password is wrong.').waitFor()
      await dialog.getByLabel('Your password').fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Set up' }).click()
      await page.getByRole('img', { name: 'QR code of the secret' }).waitFor()
      const shown = (await page.getByLabel(/^Recovery codes/).textContent()) ?? ''
      const codes = shown.match(/[\w-]{8,}/g) ?? []
      expect(codes).toHaveLength(10)
      const secret =
        (await page
          .getByText(/^[A-Z2-7]{16,}$/)
          .first()
          .textContent()) ?? ''
      await page.getByLabel('Code from the app').fill('1')
      await page.getByRole('button', { name: 'Enable' }).click()
      await expect.poll(async () => Object.keys(await faultsOf(page))).toEqual(['Code from the app'])
      expect(await hasFocus(page, 'Code from the app')).toBe(true)
      await page.getByLabel('Code from the app').fill(await codeOf(secret))
      await page.getByRole('button', { name: 'Enable' }).dblclick()
      await page.getByText('Enabled. 10 recovery codes left.').waitFor()
      expect(await page.content()).not.toContain(codes[0])
      expect((await scene.backend.call('GET', '/v1/auth/totp', { as })).status).toBeLessThan(500)

      for (const [index, code] of [codes[0], codes[0], codes[1]].entries()) {
        const other = await openWindow('/settings/security')
        await signIn(other, email)
        await other.getByLabel('Code').fill(code ?? '')
        await other.getByRole('button', { name: 'Sign in' }).click()
        if (index === 1) await other.getByText(/code is wrong/i).waitFor()
        else await other.getByText(`Enabled. ${index === 0 ? 9 : 8} recovery codes left.`).waitFor()
      }
    })

    it('keeps it where the password is wrong', async () => {
      const { as, email } = await person()
      const { codes } = await enableFactor(as)
      const page = await openWindow('/settings/security')
      await signIn(page, email)
      await page.getByLabel('Code').fill(codes[0] ?? '')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Disable' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Your password').fill('not the password')
      await dialog.getByRole('button', { name: 'Disable' }).click()
      await dialog.getByText('The password is wrong.').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.getByText('Enabled. 9 recovery codes left.').isVisible()).toBe(true)
      await isSignedIn(page)
    })

    it('needs its code for a mailed reset of the password as well', async () => {
      const { as, email } = await person()
      const { codes } = await enableFactor(as)
      await scene.backend.call('POST', '/v1/auth/password-reset', { body: { email } })
      const page = await openWindow(await linkTo('password-reset', email))
      // The address bar has no token any more; a reload keeps it.
      await page.reload()
      await page.getByLabel('New password').fill('a quite different passphrase')
      await page.getByRole('button', { name: 'Save and sign in' }).click()
      await page.getByText('Two-factor authentication is enabled.').waitFor()
      expect(await hasFocus(page, 'Code')).toBe(true)
      await page.getByLabel('Code').fill('123456')
      await page.getByRole('button', { name: 'Save and sign in' }).click()
      await page.getByText(/code is wrong/i).waitFor()
      await page.getByLabel('Code').fill(codes[0] ?? '')
      await page.getByRole('button', { name: 'Save and sign in' }).click()
      await isSignedIn(page)
    })
  })

  it('changes its password once by a double click, and names a common one next to its field', async () => {
    const { email, page } = await openSecurity()
    const sent = watchRequests(page, 'POST')
    const change = page.getByRole('button', { name: 'Change password' })
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password').fill('password1234')
    await change.click()
    await expect.poll(async () => Object.keys(await faultsOf(page))).toEqual(['New password'])
    sent.length = 0
    await page.getByLabel('New password').fill('another long and rare passphrase')
    await change.dblclick()
    await page.getByText('Password changed.').waitFor()
    expect(sent.filter(({ path }) => path.includes('password'))).toHaveLength(1)
    const login = async (password: string) =>
      (await scene.backend.call('POST', '/v1/auth/login', { body: { email, password } })).status
    expect([await login(PASSWORD), await login('another long and rare passphrase')]).toEqual([401, 200])
  })

  it('has its old email until the link to the new one is opened, in whatever browser', async () => {
    const { as, email, page } = await openSecurity()
    const next = `new-${email}`
    const me = async () => (await scene.backend.call('GET', '/v1/me', { as })).body
    await page.getByLabel('New email').fill(next)
    await page.getByLabel('Your password').first().fill('not the password')
    await page.getByRole('button', { name: 'Change email' }).click()
    await page
      .getByText(/password is wrong/)
      .first()
      .waitFor()
    await page.getByLabel('Your password').first().fill(PASSWORD)
    await page.getByRole('button', { name: 'Change email' }).click()
    await page.getByText(`Changes to ${next} when the link in the mail is opened.`).waitFor()
    expect(await page.getByLabel('New email').inputValue()).toBe('')
    expect(await me()).toMatchObject({ email, pending_email: next })
    const other = await openWindow(await linkTo('verify-email', next))
    expect(await me()).toMatchObject({ email })
    await other.getByRole('button', { name: 'Confirm' }).click()
    await other.getByText(`${next} is confirmed.`).waitFor()
    expect(await me()).toMatchObject({ email: next, pending_email: null, email_verified: true })
    await signIn(other, next)
    await isSignedIn(other)
    await page.reload()
    await page.getByText(`${next} is verified.`).waitFor()
  })

  it('says of a link that was used that it was', async () => {
    const { email, page } = await openSecurity()
    await page.getByRole('button', { name: 'Send verification link' }).click()
    await page.getByText(`A link was mailed to ${email}.`).waitFor()
    const link = await linkTo('verify-email', email)
    for (const text of [`${email} is confirmed.`, 'This link was used already']) {
      const other = await openWindow(link)
      await other.getByRole('button', { name: 'Confirm' }).click()
      await expect.poll(() => other.getByText(text).isVisible()).toBe(true)
    }
  })

  it('is not deleted with a wrong password', async () => {
    const { as, page } = await openSecurity()
    await page.getByLabel('Your password').last().fill('not the password')
    await page.getByRole('button', { name: 'Delete account' }).click()
    await page
      .getByText(/password is wrong/)
      .first()
      .waitFor()
    await isSignedIn(page)
    expect((await scene.backend.call('GET', '/v1/me', { as })).status).toBe(200)
  })

  describe('that is invited', () => {
    const invite = async (email: string, role = 'viewer') => {
      const other = await scene.backend.organization('Elsewhere')
      const as = await scene.backend.member(other, 'owner')
      await scene.backend.call('POST', `/v1/organizations/${other.id}/members/invite`, { as, body: { email, role } })
      return { as, other, link: await linkTo('invitations/accept', email) }
    }
    const accept = (page: Page) => page.getByRole('button', { name: 'Accept invitation' }).click()

    it('joins with its own password and code, and is never offered to be replaced for a wrong code', async () => {
      const { as, email } = await person()
      const { codes } = await enableFactor(as)
      const { link } = await invite(email)
      const page = await openWindow(link)
      await page.getByLabel('Password').fill(PASSWORD)
      await accept(page)
      await page.getByText('Two-factor authentication is enabled.').waitFor()
      await page.getByLabel('Code').fill('123456')
      await accept(page)
      await page.getByText(/code is wrong/i).waitFor()
      expect(await page.getByRole('checkbox', { name: /is not mine/ }).count()).toBe(0)
      await page.getByLabel('Code').fill(codes[0] ?? '')
      await accept(page)
      await isSignedIn(page)
      const { organizations } = (await scene.backend.call('GET', '/v1/me', { as })).body
      expect(organizations.map(({ name, role }: { name: string; role: string }) => [name, role])).toContainEqual([
        'Elsewhere',
        'viewer',
      ])
    })

    it('and is not of who opens the link is replaced by a new one, where it was never verified', async () => {
      const { email } = await person()
      const { as, other, link } = await invite(email, 'member')
      const page = await openWindow(link)
      await page.getByLabel('Password').fill('the password of somebody else')
      await accept(page)
      await page.getByText('The e-mail or the password is wrong.').waitFor()
      await page.getByRole('checkbox', { name: /is not mine/ }).check()
      await accept(page)
      await isSignedIn(page)
      const { members } = (await scene.backend.call('GET', `/v1/organizations/${other.id}/members`, { as })).body
      expect(members.find((member: { email: string }) => member.email === email)?.role).toBe('member')
      // The old account has no way in.
      const body = { email, password: PASSWORD }
      expect((await scene.backend.call('POST', '/v1/auth/login', { body })).status).toBe(401)
    })

    it.each(['/invitations/accept', '/invitations/accept#token=wrong'])(
      'by %s leads to the advice to ask for a new link',
      async (path) => {
        const page = await openWindow(path)
        await page.getByLabel('Password').fill(PASSWORD)
        await accept(page)
        await expect
          .poll(() =>
            page
              .getByText(/Ask for a new one\.|token/)
              .first()
              .isVisible(),
          )
          .toBe(true)
      },
    )
  })
})
