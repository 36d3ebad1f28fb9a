import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, PASSWORD, startTestBackend, type TestBackend } from '../../backend/test/harness.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { openBrowser, type TestBrowser } from './browser.ts'
import { takePicture } from './signed-in.ts'

/** Chromium's own authenticator in software, which verifies its user and keeps passkeys. */
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

const OPTIONS = /\/sign-in-options$/

describe.skipIf(isMissing('chromium'))('passkeys', () => {
  let backend: TestBackend
  let browser: TestBrowser
  let page: Page
  let devtools: CDPSession
  let authenticatorId: string
  let origin: string
  let email: string
  let owner: Credentials
  beforeAll(async () => {
    backend = await startTestBackend({ startMs: Date.now() })
    // Passkeys belong to names.
    origin = `http://localhost:${await backend.listen()}`
    owner = await backend.member(await backend.organization(), 'owner')
    ;({ email } = (await backend.call('GET', '/v1/auth/me', { as: owner })).body)
    browser = await openBrowser({ reducedMotion: 'reduce' })
    page = browser.viewers[0].page
    devtools = await browser.viewers[0].context.newCDPSession(page)
    await devtools.send('WebAuthn.enable', { enableUI: false })
    ;({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR }))
  })
  afterAll(async () => {
    await browser?.close()
    await backend?.close()
  })

  const navigation = () => page.getByRole('navigation', { name: 'Main' })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = () => page.getByRole('dialog')
  const signOut = async () => {
    await page.evaluate('sessionStorage.clear()')
    const offered = page.waitForResponse(OPTIONS)
    await page.goto(origin)
    await page.getByLabel('Password', { exact: true }).waitFor()
    await offered
  }
  const simulatePresence = (enabled: boolean) =>
    devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })

  /** The authenticator answers once the suggestion has ended, and before the button's own request begins. */
  const signInByButton = async () => {
    await page.route(OPTIONS, async (route) => {
      await simulatePresence(true)
      await route.continue()
    })
    // The answer can be here before the click has ended.
    const answered = page.waitForResponse(OPTIONS)
    await button('Sign in with a passkey').click()
    await answered
    await page.unroute(OPTIONS)
  }

  it('is added in the settings, has a name, signs in, and is removed', { timeout: 120_000 }, async () => {
    // The page of the sign-in would take the first answer of the authenticator.
    await simulatePresence(false)
    await page.goto(`${origin}/settings/security`)
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await button('Sign in').click()
    await navigation().waitFor()
    await simulatePresence(true)
    await button('Add passkey').first().click()
    await dialog().getByLabel('Name', { exact: true }).fill('Laptop')
    await takePicture(page, 'passkey-add')
    await button('Create').click()
    await page.getByText('never used').waitFor()
    await button('Rename').click()
    await dialog().getByLabel('Name', { exact: true }).fill('Work laptop')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.getByText('Work laptop').waitFor()
    await takePicture(page, 'passkeys')
    expect((await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials).toMatchObject([
      { rpId: 'localhost', isResidentCredential: true },
    ])
    // The same authenticator has one for this account.
    await button('Add passkey').first().click()
    await button('Create').click()
    await page.getByText('This device has a passkey for your account already.').waitFor()
    await page.keyboard.press('Escape')

    await simulatePresence(false)
    await signOut()
    await takePicture(page, 'sign-in-passkey')
    await signInByButton()
    await navigation().waitFor()

    await page.goto(`${origin}/settings/security`)
    await page.getByText('· last used').waitFor()
    backend.clock.advance(301_000)
    await page.getByText('Work laptop').locator('xpath=ancestor::li').getByRole('button', { name: 'Remove' }).click()
    await dialog().getByRole('button', { name: 'Remove' }).click()
    // The session is older than five minutes now.
    await dialog().getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await takePicture(page, 'passkey-remove')
    await dialog().getByRole('button', { name: 'Remove' }).click()
    await page.locator('li', { hasText: 'Work laptop' }).waitFor({ state: 'detached' })
    await simulatePresence(false)
    await signOut()
    await signInByButton()
    await page.getByText('This passkey does not sign in.').first().waitFor()
    // The API refused one sign-in, and a removal without the password.
    expect(browser.complaints.filter((line) => !/\b(400|401)\b/.test(line))).toEqual([])
  })

  it('is a suggestion of the browser on the sign-in page', { timeout: 60_000 }, async () => {
    await devtools.send('WebAuthn.clearCredentials', { authenticatorId })
    const { body: options } = await backend.call('POST', '/v1/auth/passkeys/registration-options', {
      as: owner,
      body: { password: PASSWORD },
    })
    await simulatePresence(true)
    const credential = await page.evaluate(`(async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)})
      const { id, response } = (await navigator.credentials.create({ publicKey })).toJSON()
      return { key_handle: id, client_data: response.clientDataJSON, attestation_object: response.attestationObject }
    })()`)
    const created = await backend.call('POST', '/v1/auth/passkeys', { as: owner, body: { name: 'Phone', credential } })
    expect(created.status).toBe(201)
    // The virtual authenticator takes the suggestion at once.
    await page.goto(`${origin}/monitors`)
    await navigation().waitFor()
    expect(page.url()).toBe(`${origin}/monitors`)
  })
})
