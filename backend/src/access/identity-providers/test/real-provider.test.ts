import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { addProvider, cookiesOf } from '../../../../test/provider-sign-in.ts'

const CLIENT = { client_id: 'vedette', client_secret: 'a secret of the client' }

/** A browser that keeps cookies by host and follows redirects until it is sent to another path than those of sign-ins. */
function createBrowser() {
  const jar = new Map<string, Map<string, string>>()
  const get = async (url: string) => {
    const { host } = new URL(url)
    const own = jar.get(host) ?? new Map<string, string>()
    jar.set(host, own)
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (value === '') own.delete(name)
      else own.set(name, value)
    }
    return response
  }
  return {
    cookies: (host: string) => Object.fromEntries(jar.get(host) ?? []),
    /** Where it ends. */
    go: async (url: string): Promise<{ url: string; response: Response }> => {
      for (let current = url, hops = 0; ; hops += 1) {
        const response = await get(current)
        const location = response.headers.get('location')
        if (location === null || hops > 15) return { url: current, response }
        current = new URL(location, current).href
        if (current.endsWith('#signed-in')) return { url: current, response }
      }
    },
  }
}

let backend: TestBackend
let base: string
let owner: Credentials
let id: string
let issuer: string
let provider: Provider
const server = createServer((request, response) => void answer(request, response))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response)
  // The person signs in and consents at once.
  const { prompt, session, params } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'ada' } })
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) })
  grant.addOIDCScope('openid email profile')
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

beforeAll(async () => {
  const environment = { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' }
  // The provider lives by the clock of the machine.
  backend = await startTestBackend({ startMs: Date.now(), environment })
  base = `http://127.0.0.1:${await backend.listen()}`
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  owner = await backend.member(await backend.organization(), 'owner')
  const roles = { role_claim: 'groups', role_mapping: [{ value: 'ops', role: 'admin' as const }] }
  id = await addProvider(backend, owner, issuer, { ...CLIENT, ...roles })
  const { body } = await backend.call('GET', `/v1/identity-providers/${id}`, { as: owner })
  provider = new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        redirect_uris: [body.callback_url],
        backchannel_logout_uri: body.back_channel_logout_url,
        backchannel_logout_session_required: true,
        post_logout_redirect_uris: [`${base}/`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: 'ada@example.com', email_verified: true, groups: ['ops'] }),
    }),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['a key of the test'] },
    // Its own dispatcher refuses loopback.
    fetch: (url, { method, headers, body }) => fetch(url, { method, headers, body }),
  })
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await backend.close()
})

describe('the certified provider oidc-provider', () => {
  it('signs a person in with the role of its claims, and its logout ends the session [IDP-41]', async () => {
    const browser = createBrowser()
    const { url } = await browser.go(`${base}/v1/auth/oidc/${id}/start?return_to=/monitors`)
    expect(url).toBe(`${base}/monitors#signed-in`)
    const { vedette_refresh: refresh = '', vedette_oidc: request } = browser.cookies(new URL(base).host)
    expect(request).toBeUndefined()
    const headers = { cookie: `vedette_refresh=${refresh}`, 'x-requested-with': 'vedette' }
    const opened = await backend.call('POST', '/v1/auth/refresh', { headers })
    const as = { authorization: `Bearer ${opened.body.token}` }
    const me = await backend.call('GET', '/v1/auth/me', { as })
    expect(me.body).toMatchObject({ email: 'ada@example.com', identity_provider_id: id, organizations: [{ role: 'admin' }] })
    expect(cookiesOf(opened)['vedette_refresh']).toBeDefined()

    // Its logout page has a form that a script submits.
    const page = await browser.go(`${base}/v1/auth/oidc/${id}/logout`)
    const html = await page.response.text()
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const cookie = Object.entries(browser.cookies(new URL(issuer).host))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
    const confirmed = await fetch(`${issuer}/session/end/confirm`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
    })
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, `${base}/`])
    await expect.poll(async () => (await backend.call('GET', '/v1/auth/me', { as })).status, { timeout: 5_000 }).toBe(401)
  })

  it('refuses a code without the verifier of its challenge [IDP-42]', async () => {
    const start = await backend.call('GET', `/v1/auth/oidc/${id}/start`)
    const authorization = new URL(String(start.headers['location']))
    authorization.searchParams.delete('code_challenge')
    authorization.searchParams.delete('code_challenge_method')
    const { url } = await createBrowser().go(authorization.href)
    expect(new URL(url).searchParams.get('error')).toBe('invalid_request')
  })
})
