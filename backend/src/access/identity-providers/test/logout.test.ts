import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Credentials, startTestBackend } from '../../../../test/harness.ts'
import { startIdentityProvider } from '../../../../test/identity-provider.ts'
import { addProvider, ON_LOOPBACK, sessionBy, signIn } from '../../../../test/provider-sign-in.ts'
import { type Scene, useScene } from './scene.ts'

const scene = useScene()
let backend: Scene['backend']
let owner: Scene['owner']
let provider: Scene['provider']
let id: Scene['id']
beforeEach(() => {
  ;({ backend, owner, provider, id } = scene)
})

const logOut = (token: string, of = id) =>
  backend.call('POST', `/v1/auth/oidc/${of}/back-channel-logout`, {
    body: String(new URLSearchParams({ logout_token: token })),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
const statusOf = async (as: Credentials, on = backend) => (await on.call('GET', '/v1/auth/me', { as })).status
const session = async (claims: Record<string, unknown> = {}) =>
  sessionBy(backend, await signIn(backend, id, provider, { claims }))

describe('a back-channel logout', () => {
  it('ends the session that it names, and no other, on every instance at the next request [IDP-25]', async () => {
    const environment = ON_LOOPBACK
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment })
    try {
      const [one, two] = [await session({ sid: 'one' }), await session({ sid: 'two' })]
      expect([await statusOf(one, other), await statusOf(two, other)]).toEqual([200, 200])
      const begun = performance.now()
      const { status, headers } = await logOut(await provider.logoutToken({ sid: 'one' }))
      expect([status, headers['cache-control']]).toEqual([204, 'no-store'])
      expect([await statusOf(one), await statusOf(one, other), await statusOf(two), await statusOf(two, other)]).toEqual([
        401, 401, 200, 200,
      ])
      expect(performance.now() - begun).toBeLessThan(5_000)
    } finally {
      await other.close()
    }
  })

  it('ends all sessions of a subject, and records it [IDP-26]', async () => {
    const mine = [await session(), await session({ sid: 'two' })]
    const theirs = await session({ sub: 'lin', email: 'lin@example.com' })
    expect((await logOut(await provider.logoutToken({ sub: 'ada' }))).status).toBe(204)
    expect(await Promise.all([...mine, theirs].map((as) => statusOf(as)))).toEqual([401, 401, 200])
    const events = backend.pool.db.selectFrom('security_event').select('details').where('type', '=', 'session.ended')
    expect((await events.execute()).filter(({ details }) => JSON.stringify(details).includes(id))).toHaveLength(2)
  })

  it('ends only sessions of its provider [IDP-27]', async () => {
    const as = await session({ sid: 'one' })
    const second = await addProvider(backend, owner, provider.issuer)
    expect((await logOut(await provider.logoutToken({ sid: 'one' }), second)).status).toBe(204)
    expect(await statusOf(as)).toBe(200)
  })

  it('accepts keys that rotated, once the pause between two readings is over [IDP-28]', async () => {
    await logOut(await provider.logoutToken({ sub: 'ada' }))
    await provider.rotate()
    const rotated = async () => (await logOut(await provider.logoutToken({ sub: 'ada' }))).status
    expect(await rotated()).toBe(400)
    // The library measures the pause on the clock of the machine.
    const later = Date.now() + 60_000
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => later)
    expect(await rotated()).toBe(204)
    clock.mockRestore()
  })
})

describe('a logout token that is refused, and ends nothing', () => {
  const refuse = async (token: string) => {
    const as = await session({ sid: 'one' })
    const { status, body } = await logOut(token)
    expect([status, body.error.details?.[0].path, await statusOf(as)]).toEqual([400, 'logout_token', 200])
  }
  const seconds = () => Math.floor(backend.clock.now() / 1000)
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each<[string, () => Record<string, unknown>]>([
    ['for another client', () => ({ aud: 'another' })],
    ['of another issuer', () => ({ iss: 'https://evil.example' })],
    ['without events', () => ({ events: undefined })],
    ['with another event', () => ({ events: { other: {} } })],
    ['with an event that is no object', () => ({ events: { 'http://schemas.openid.net/event/backchannel-logout': true } })],
    ['with a nonce', () => ({ nonce: 'n' })],
    ['without jti', () => ({ jti: undefined })],
    ['with neither subject nor session', () => ({ sid: undefined })],
    ['that is too old', () => ({ iat: seconds() - 331 })],
    ['of the future', () => ({ iat: seconds() + 60 })],
    ['without iat', () => ({ iat: undefined })],
    ['that has expired', () => ({ exp: seconds() - 60 })],
  ])('%s', async (_what, claims) => {
    const token = await provider.logoutToken({ sid: 'one', ...claims() })
    await expect(refuse(token)).resolves.toBeUndefined()
  })

  it('that was used before [IDP-29]', async () => {
    const token = await provider.logoutToken({ sid: 'one' })
    expect((await logOut(token)).status).toBe(204)
    await expect(refuse(token)).resolves.toBeUndefined()
  })

  it('without a signature, of another key, and no token at all [IDP-30]', async () => {
    const claims = JSON.parse(
      Buffer.from((await provider.logoutToken({ sid: 'one' })).split('.')[1] ?? '', 'base64url').toString(),
    )
    const other = await startIdentityProvider(() => backend.clock.now())
    try {
      for (const token of [`${base64({ alg: 'none' })}.${base64(claims)}.`, await other.sign(claims), 'nonsense'])
        await expect(refuse(token)).resolves.toBeUndefined()
    } finally {
      await other.close()
    }
  })

  it('an ID token [IDP-31]', async () => {
    const iat = seconds()
    const claims = { iss: provider.issuer, aud: 'vedette', sub: 'ada', sid: 'one', iat, exp: iat + 300, jti: 'a' }
    await expect(refuse(await provider.sign(claims))).resolves.toBeUndefined()
  })
})

describe('GET /v1/auth/oidc/:provider/logout', () => {
  it('leads to the logout of the provider, which leads back [IDP-32]', async () => {
    const { status, headers } = await backend.call('GET', `/v1/auth/oidc/${id}/logout`)
    const { origin, pathname, searchParams } = new URL(String(headers['location']))
    expect([status, origin + pathname]).toEqual([302, `${provider.issuer}/logout`])
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'vedette',
      post_logout_redirect_uri: 'https://vedette.example.com/',
    })
  })

  it('leads to the dashboard where the provider has no logout [IDP-33]', async () => {
    const github = await addProvider(backend, owner, 'https://github.com', { kind: 'github' })
    expect((await backend.call('GET', `/v1/auth/oidc/${github}/logout`)).headers['location']).toBe('/')
  })
})
