import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, startIdentityProvider } from '../../backend/test/identity-provider.ts'
import { proveDomains } from '../../backend/test/provider-sign-in.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('identity providers', () => {
  let scene: SignedIn
  let provider: FakeProvider
  beforeAll(async () => {
    scene = await openSignedIn({ environment: { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } })
    provider = await startIdentityProvider(() => scene.backend.clock.now())
    // The person is signed in there already.
    provider.answer('/authorize', (request, response) => {
      const given = new URL(request.url ?? '', provider.issuer)
      const callback = `${String(given.searchParams.get('redirect_uri'))}?${String(provider.grant(given.href))}`
      response.writeHead(302, { location: callback }).end()
    })
  })
  afterAll(async () => {
    await scene?.close()
    await provider?.close()
  })

  it('are added by an owner, and sign in by the e-mail on the sign-in page', { timeout: 120_000 }, async () => {
    const { wide: page, narrow, origin } = scene
    await page.goto(`${origin}/settings/organization`)
    await page.getByRole('button', { name: 'Add identity provider' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Example login')
    await dialog.getByLabel('Issuer URL').fill(provider.issuer)
    await dialog.getByLabel('Client ID').fill('vedette')
    await dialog.getByLabel('Client secret').fill('a secret of the client')
    await dialog.getByLabel('E-mail domains').fill('Example.com')
    await dialog.getByLabel('Create accounts at the first sign-in').check()
    await takePicture(page, 'identity-provider-editor')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Callback URL, for the provider', { exact: true }).waitFor()
    await page.getByText('Not offered at the sign-in yet').waitFor()
    await takePicture(page, 'identity-providers')
    const [added] = (await scene.backend.call('GET', '/v1/identity-providers', { as: scene.owner })).body.identity_providers
    await proveDomains(scene.backend, scene.owner, added.id)
    await page.reload()
    await page.getByText('Offered at the sign-in for e-mails of example.com').waitFor()

    const context = await narrow.context().browser()?.newContext()
    const visitor = await context?.newPage()
    if (!visitor) throw new Error('no window')
    await visitor.goto(`${origin}/monitors`)
    await visitor.getByLabel('Email', { exact: true }).fill('ada@elsewhere.example')
    await visitor.getByRole('button', { name: 'Use single sign-on' }).click()
    await visitor.getByText('No provider for this email').waitFor()
    await visitor.getByLabel('Email', { exact: true }).fill('ada@example.com')
    await takePicture(visitor, 'sign-in-provider')
    await visitor.getByRole('button', { name: 'Use single sign-on' }).click()
    await visitor.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(visitor.url()).toBe(`${origin}/monitors`)
    // The device keeps the session as long as it lives.
    await visitor.reload()
    await visitor.getByRole('navigation', { name: 'Main' }).waitFor()

    // Signing out leads to the logout of the provider, and back.
    const left: string[] = []
    provider.answer('/logout', (request, response) => {
      const { searchParams } = new URL(request.url ?? '', provider.issuer)
      left.push(searchParams.get('client_id') ?? '')
      response.writeHead(302, { location: searchParams.get('post_logout_redirect_uri') ?? '' }).end()
    })
    await visitor.getByRole('button', { name: /^Account/ }).click()
    await visitor.getByRole('menuitem', { name: 'Sign out' }).click()
    await visitor.getByLabel('Email', { exact: true }).waitFor()
    await expect.poll(() => left).toEqual(['vedette'])
    await visitor.getByLabel('Email', { exact: true }).waitFor()
    expect(new URL(visitor.url()).origin).toBe(origin)

    // A second provider of the domain: the person chooses.
    const { backend, owner } = scene
    const [{ id: _, ...first }] = (await backend.call('GET', '/v1/identity-providers', { as: owner })).body.identity_providers
    const second = {
      name: 'Other login',
      kind: 'oidc',
      issuer: first.issuer,
      client_id: 'other',
      client_secret: 'another secret',
      email_domains: ['example.com'],
    }
    const made = await backend.call('POST', '/v1/identity-providers', { as: owner, body: second })
    expect(made.status).toBe(201)
    await proveDomains(backend, owner, made.body.id)
    await visitor.getByLabel('Email', { exact: true }).fill('ada@example.com')
    await visitor.getByRole('button', { name: 'Use single sign-on' }).click()
    const choice = visitor.getByRole('dialog')
    await choice.getByRole('button', { name: 'Other login' }).waitFor()
    await takePicture(visitor, 'sign-in-provider-choice')
    await choice.getByRole('button', { name: 'Example login' }).click()
    await visitor.getByRole('navigation', { name: 'Main' }).waitFor()
    await context?.close()
  })
})
