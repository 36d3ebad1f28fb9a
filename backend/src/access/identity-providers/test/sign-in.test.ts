import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestBackend } from '../../../../test/harness.ts'
import { begin, callBack, proveDomains, sessionBy, signIn } from '../../../../test/provider-sign-in.ts'
import { me, memberNamed, passwordLogin, rolesOf, type Scene, useScene } from './scene.ts'

const scene = useScene()
let backend: Scene['backend']
let organization: Scene['organization']
let owner: Scene['owner']
let provider: Scene['provider']
let id: Scene['id']
beforeEach(() => {
  ;({ backend, organization, owner, provider, id } = scene)
})

const newestAudit = () =>
  backend.pool.db
    .selectFrom('audit_event')
    .select(['action', 'actor_kind', 'details'])
    .where('organization', '=', organization.number)
    .orderBy('id', 'desc')
    .executeTakeFirst()

describe('a sign-in by an identity provider', () => {
  it('leads to the provider with PKCE, state, nonce and the callback, bound to the browser by a cookie [IDP-43]', async () => {
    const answer = await backend.call('GET', `/v1/auth/oidc/${id}/start`)
    const { origin, pathname, searchParams } = new URL(String(answer.headers['location']))
    expect([answer.status, origin + pathname]).toEqual([302, `${provider.issuer}/authorize`])
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'vedette',
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `https://vedette.example.com/v1/auth/oidc/${id}/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect([answer.headers['set-cookie']].flat().map(String)).toEqual([
      expect.stringMatching(/^vedette_oidc=[\w-]{43}; Max-Age=600; Path=\/v1\/auth\/oidc; HttpOnly; SameSite=Lax; Secure$/),
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('says where it leads before it goes to another host than that of the issuer', async () => {
    const elsewhere = 'https://elsewhere.example.com/authorize?a="<b>'
    provider.publish({ authorization_endpoint: elsewhere, end_session_endpoint: 'https://elsewhere.example.com/bye' })
    const start = await backend.call('GET', `/v1/auth/oidc/${id}/start`)
    expect([start.status, start.headers['location']]).toEqual([200, undefined])
    expect(String(start.body)).toContain('Go to elsewhere.example.com</a>')
    expect(String(start.body)).not.toContain('<b>')
    expect(String(start.headers['set-cookie'])).toMatch(/^vedette_oidc=/)
    const logout = await backend.call('GET', `/v1/auth/oidc/${id}/logout`)
    expect([logout.status, logout.headers['location']]).toEqual([200, undefined])
    expect(String(logout.body)).toContain('https://elsewhere.example.com/bye?')
  })

  it.each([
    ['authorization_endpoint', 'http://login.example.com/authorize'],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 'https://user@login.example.com/authorize'],
    ['token_endpoint', 'http://login.example.com/token'],
    ['jwks_uri', 'data:application/json,{}'],
    ['userinfo_endpoint', 'http://login.example.com/userinfo'],
    ['end_session_endpoint', 'http://login.example.com/bye'],
    ['end_session_endpoint', 'vbscript:x'],
  ])('is refused where the discovery document names the %s %s', async (name, url) => {
    provider.publish({ [name]: url })
    const statuses = [
      await backend.call('GET', `/v1/auth/oidc/${id}/start`),
      await backend.call('GET', `/v1/auth/oidc/${id}/logout`),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([503, 503])
  })

  it('creates the account of a person without one, and opens a session of 12 hours [IDP-44]', async () => {
    const begun = await begin(backend, id, '?return_to=/monitors%3Fpage%3D2')
    const answer = await callBack(backend, begun, provider.grant(begun.location))
    expect([answer.status, answer.headers['location']]).toEqual([302, '/monitors?page=2#signed-in'])
    const [refresh, request] = [answer.headers['set-cookie']].flat().map(String)
    expect(refresh).toMatch(/^vedette_refresh=[\w-]{64}; Max-Age=43200; Path=\/v1\/auth; HttpOnly; SameSite=Strict; Secure$/)
    expect(request).toMatch(/^vedette_oidc=; Max-Age=0;/)
    const as = await sessionBy(backend, answer)
    expect(await me(scene, as)).toMatchObject({ email: 'ada@example.com', email_verified: false, identity_provider_id: id })
    expect(await rolesOf(scene, as)).toEqual([[organization.id, 'viewer']])
    expect(await newestAudit()).toMatchObject({ action: 'member.joined', details: { identity_provider: id, role: 'viewer' } })
  })

  it('finds the account again by the subject, also with another e-mail [IDP-45]', async () => {
    const first = await me(scene, await sessionBy(backend, await signIn(backend, id, provider)))
    const again = await sessionBy(backend, await signIn(backend, id, provider, { claims: { email: 'lovelace@example.com' } }))
    expect([(await me(scene, again)).id, (await me(scene, again)).email]).toEqual([first.id, 'ada@example.com'])
  })

  it('links a member by the verified e-mail, who keeps the password [IDP-46]', async () => {
    await memberNamed(scene, 'ada@example.com')
    const as = await sessionBy(backend, await signIn(backend, id, provider))
    expect([(await rolesOf(scene, as))[0], (await passwordLogin(scene, 'ada@example.com')).status]).toEqual([
      [organization.id, 'viewer'],
      200,
    ])
  })

  it('takes the password from an account whose e-mail was never verified: it may be of somebody else [IDP-47]', async () => {
    const userId = await memberNamed(scene, 'ada@example.com')
    await backend.pool.db.updateTable('app_user').set({ email_verified_at: null }).where('id', '=', userId).execute()
    const before = (await passwordLogin(scene, 'ada@example.com')).body.token
    await sessionBy(backend, await signIn(backend, id, provider))
    const statuses = [
      (await passwordLogin(scene, 'ada@example.com')).status,
      (await backend.call('GET', '/v1/auth/me', { as: { authorization: `Bearer ${String(before)}` } })).status,
    ]
    expect(statuses).toEqual([401, 401])
  })

  it('reads e-mail and roles from the userinfo endpoint where the ID token has none [IDP-48]', async () => {
    const role = { role_claim: 'groups', role_mapping: [{ value: 'ops', role: 'admin' }] }
    expect((await backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body: role })).status).toBe(200)
    const userinfo = { email: 'ada@example.com', email_verified: true, groups: ['ops'] }
    const claims = { email: undefined, email_verified: undefined }
    const as = await sessionBy(backend, await signIn(backend, id, provider, { claims, userinfo }))
    expect(await rolesOf(scene, as)).toEqual([[organization.id, 'admin']])
  })

  it('applies the role of the claims each time [IDP-49]', async () => {
    const body = { role_claim: 'groups', role_mapping: [{ value: 'ops', role: 'admin' }], default_role: 'member' }
    await backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body })
    const roles: unknown[] = []
    for (const groups of [['ops'], [], ['owner'], ['ops']])
      roles.push(
        (await rolesOf(scene, await sessionBy(backend, await signIn(backend, id, provider, { claims: { groups } }))))[0][1],
      )
    expect(roles).toEqual(['admin', 'member', 'member', 'admin'])
    expect(await newestAudit()).toMatchObject({
      action: 'member.role_changed',
      actor_kind: 'system',
      details: { from: 'member', to: 'admin', identity_provider: id },
    })
  })

  it('accepts keys that rotated between start and callback [IDP-50]', async () => {
    const begun = await begin(backend, id)
    await provider.rotate()
    expect((await callBack(backend, begun, provider.grant(begun.location))).status).toBe(302)
  })

  it('does not demand the second factor of the organization: the provider vouches for it [IDP-51]', async () => {
    await backend.pool.db
      .updateTable('organization')
      .set({ require_second_factor: true })
      .where('number', '=', organization.number)
      .execute()
    const as = await sessionBy(backend, await signIn(backend, id, provider))
    expect([
      (await backend.call('GET', '/v1/monitors', { as })).status,
      (await me(scene, as)).organizations[0].needs_second_factor,
    ]).toEqual([200, false])
  })
})

describe('a navigation that another site caused', () => {
  it.each(['start', 'logout'])('is refused at %s, and one of our own pages, or without one, is not', async (path) => {
    const status = async (site?: string) => {
      const headers = site === undefined ? {} : { 'sec-fetch-site': site }
      return (await backend.call('GET', `/v1/auth/oidc/${id}/${path}`, { headers })).status
    }
    for (const site of ['cross-site', 'same-site', 'unknown']) expect([site, await status(site)]).toEqual([site, 403])
    for (const site of ['same-origin', 'none', undefined]) expect([site, await status(site)]).toEqual([site, 302])
  })
})

describe('GET /v1/auth/oidc/:provider/start', () => {
  it.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    '/a#b',
    'evil.example',
    '',
  ])('returns to no other place: %j', async (path) => {
    const answer = await backend.call('GET', `/v1/auth/oidc/${id}/start?return_to=${encodeURIComponent(path)}`)
    expect([answer.status, answer.headers['location']]).toEqual([400, undefined])
  })

  it('answers 404 for an unknown and a malformed id [IDP-52]', async () => {
    for (const unknown of ['idp_01m7z5b2dqf4s8y3v6k9x0c1wh', 'x', owner.userId ?? ''])
      expect((await backend.call('GET', `/v1/auth/oidc/${unknown}/start`)).status).toBe(404)
  })

  it('reaches private addresses only where the operator allows them [IDP-53]', async () => {
    const strict = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    try {
      const before = provider.requests.length
      const { status, body } = await strict.call('GET', `/v1/auth/oidc/${id}/start`)
      expect([status, body.error.code, provider.requests.length]).toEqual([503, 'unavailable', before])
      expect(body.error.message).not.toContain('127.0.0.1')
    } finally {
      await strict.close()
    }
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['redirects', (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()],
    ['redirects and repeats', (response) => response.writeHead(307, { location: '/jwks' }).end()],
    [
      'is too long',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`{"a":"${'a'.repeat(300_000)}"}`),
    ],
    ['is no JSON', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ])('answers 503 where the discovery document %s', async (_what, respond) => {
    provider.answer('/.well-known/openid-configuration', (_request, response) => respond(response))
    const { status, body } = await backend.call('GET', `/v1/auth/oidc/${id}/start`)
    expect([status, body.error.code]).toEqual([503, 'unavailable'])
  })
})

describe('POST /v1/auth/oidc/providers', () => {
  it('names the enabled providers of a domain, whether or not there is an account [IDP-54]', async () => {
    const find = async (email: string) =>
      (await backend.call('POST', '/v1/auth/oidc/providers', { body: { email } })).body.identity_providers
    const domain = `d${organization.number}.example`
    await backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body: { email_domains: [domain] } })
    await proveDomains(backend, owner, id)
    expect(await find(`Nobody@${domain}`)).toEqual([
      { id, name: 'Example', organization: organization.name, host: new URL(provider.issuer).host },
    ])
    expect(await find(`nobody@sub.${domain}`)).toEqual([])
    expect(await find('nobody')).toEqual([])
    await backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body: { enabled: false } })
    expect(await find(`nobody@${domain}`)).toEqual([])
  })
})
