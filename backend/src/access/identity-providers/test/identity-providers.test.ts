import { beforeEach, describe, expect, it } from 'vitest'
import { CLIENT } from '../../../../test/identity-provider.ts'
import { addProvider, begin, callBack, sessionBy, signIn } from '../../../../test/provider-sign-in.ts'
import { me, refusalOf, refused, rolesOf, type Scene, useScene } from './scene.ts'

const scene = useScene()
let backend: Scene['backend']
let owner: Scene['owner']
let provider: Scene['provider']
let id: Scene['id']
let organization: Scene['organization']
beforeEach(() => {
  ;({ backend, owner, provider, id, organization } = scene)
})

const LEAST = { name: 'Login', issuer: 'https://login.example.com', ...CLIENT, email_domains: ['example.com'] }
const create = (more: object) => backend.call('POST', '/v1/identity-providers', { as: owner, body: { ...LEAST, ...more } })

describe('POST /v1/identity-providers', () => {
  it('creates a provider that makes no accounts, and never returns its secret [IDP-17]', async () => {
    const { status, body } = await create({})
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^idp_/),
        name: 'Login',
        kind: 'oidc',
        issuer: 'https://login.example.com',
        client_id: 'vedette',
        email_domains: ['example.com'],
        creates_accounts: false,
        default_role: 'viewer',
        role_claim: null,
        role_mapping: [],
        enabled: true,
        domain_token: expect.stringMatching(/^[0-9a-f]{32}$/),
        domains: [{ name: 'example.com', proved_at: null }],
        callback_url: `https://vedette.example.com/v1/auth/oidc/${body.id}/callback`,
        back_channel_logout_url: `https://vedette.example.com/v1/auth/oidc/${body.id}/back-channel-logout`,
        managed: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
  })

  it.each<[string, object]>([
    ['default_role', { default_role: 'owner' }],
    ['role_mapping.0.role', { role_claim: 'groups', role_mapping: [{ value: 'boss', role: 'owner' }] }],
    ['role_mapping', { role_mapping: [{ value: 'ops', role: 'admin' }] }],
    ['role_claim', { kind: 'github', role_claim: 'groups' }],
    ['issuer', { issuer: 'http://login.example.com' }],
    ['issuer', { issuer: 'http://127.0.0.1.example.com' }],
    ['issuer', { issuer: 'https://user:password@login.example.com' }],
    ['issuer', { issuer: 'https://login.example.com/?a=b' }],
    ['issuer', { issuer: 'file:///etc/passwd' }],
    ['issuer', { issuer: 'login' }],
    ['issuer', { issuer: undefined }],
    ['email_domains.0', { email_domains: ['Example.com'] }],
    ['email_domains.0', { email_domains: ['*'] }],
    ['email_domains', { email_domains: [] }],
    ['client_secret', { client_secret: '' }],
  ])('refuses %s of %j', async (path, more) => {
    const { status, body } = await create(more)
    expect([status, body.error.details?.[0].path]).toEqual([400, path])
  })

  it('allows 20 for each organization [IDP-18]', async () => {
    for (let count = 1; count < 20; count += 1) expect((await create({})).status).toBe(201)
    const { status, body } = await create({})
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('At most 20 identity providers')])
  })
})

describe('PATCH and DELETE /v1/identity-providers/:id', () => {
  it('changes what is named, and records it without the secret [IDP-19]', async () => {
    const body = { name: 'Other', client_secret: 'another secret', email_domains: ['example.org'] }
    const { status, body: changed } = await backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body })
    expect([status, changed.name, changed.email_domains, changed.creates_accounts]).toEqual([200, 'Other', ['example.org'], true])
    const events = backend.pool.db.selectFrom('audit_event').select(['action', 'details']).orderBy('id', 'desc')
    expect(await events.where('organization', '=', organization.number).executeTakeFirst()).toEqual({
      action: 'identity_provider.updated',
      details: { name: 'Other', changed: ['client_secret', 'email_domains', 'name'] },
    })
  })

  it.each([{ issuer: 'https://evil.example' }, { kind: 'github' }, { default_role: 'owner' }, {}])('refuses %j', async (body) => {
    expect((await backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body })).status).toBe(400)
  })

  it('uses the new client secret at the next sign-in [IDP-20]', async () => {
    await backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body: { client_secret: 'wrong' } })
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(refused(401, 'invalid_grant'))
  })
})

describe('what is kept of sign-ins', () => {
  const count = async () => Number((await backend.pool.pg.query('select count(*) from identity_request')).rows[0].count)

  it('is deleted once it is too old [IDP-21]', async () => {
    const before = await count()
    await begin(backend, id)
    expect(await count()).toBe(before + 1)
    backend.clock.advance(600_000)
    await backend.jobs.deleteExpired()
    expect(await count()).toBe(0)
  })

  it('is at most 10,000 sign-ins of one provider: the oldest are given up [IDP-22]', async () => {
    const { rows } = await backend.pool.pg.query('select id from identity_provider order by created_at desc, id desc limit 1')
    await backend.pool.pg.query(
      `insert into identity_request select decode(md5(n::text), 'hex'), $1, '', '', '/', $2::timestamptz + n * interval '1 microsecond'
       from generate_series(1, 10000) as n`,
      [rows[0].id, new Date(backend.clock.now() + 1_000)],
    )
    await begin(backend, id)
    expect(await count()).toBe(10_000)
  })

  it('names neither state nor cookie, nonce nor verifier [IDP-23]', async () => {
    const begun = await begin(backend, id)
    const state = new URL(begun.location).searchParams.get('state') ?? ''
    const { rows } = await backend.pool.pg.query('select t::text as line from identity_request as t')
    expect(rows.filter(({ line }) => line.includes(state) || line.includes(begun.cookie))).toEqual([])
  })
})

describe('GitHub', () => {
  /** A GitHub Enterprise Server at the address of the fake. */
  async function github(user: object, emails: unknown) {
    const json = (path: string, body: unknown) =>
      provider.answer(path, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
    json('/login/oauth/access_token', { access_token: 'a token', token_type: 'bearer', scope: 'user:email' })
    json('/api/v3/user', user)
    json('/api/v3/user/emails', emails)
    const enterprise = await addProvider(backend, owner, provider.issuer, { kind: 'github', default_role: 'member' })
    const begun = await begin(backend, enterprise)
    const { pathname, searchParams } = new URL(begun.location)
    expect([pathname, searchParams.get('scope'), searchParams.get('code_challenge_method'), searchParams.get('nonce')]).toEqual([
      '/login/oauth/authorize',
      'user:email',
      'S256',
      null,
    ])
    return callBack(backend, begun, new URLSearchParams({ code: 'a code', state: searchParams.get('state') ?? '' }))
  }
  const primary = { email: 'Ada@example.com', primary: true, verified: true }

  it('signs in by the primary and verified e-mail [IDP-24]', async () => {
    const answer = await github({ id: 17 }, [{ email: 'ada@evil.example', primary: false, verified: true }, primary])
    const as = await sessionBy(backend, answer)
    expect([(await me(scene, as)).email, (await rolesOf(scene, as))[0][1]]).toEqual(['ada@example.com', 'member'])
  })

  it.each<[string, object, unknown, number, string]>([
    ['an e-mail that is not verified', { id: 17 }, [{ ...primary, verified: false }], 403, 'sent no e-mail'],
    ['an e-mail that is not the primary one', { id: 17 }, [{ ...primary, primary: false }], 403, 'sent no e-mail'],
    ['a foreign domain', { id: 17 }, [{ ...primary, email: 'ada@evil.example' }], 403, 'e-mail of this domain'],
    ['no e-mail', { id: 17 }, [], 403, 'sent no e-mail'],
    ['no id', {}, [primary], 401, 'GitHub sent no user'],
    ['emails that are no list', { id: 17 }, { message: 'no' }, 401, 'GitHub sent no user'],
  ])('refuses %s', async (_what, user, emails, status, reason) => {
    expect(await refusalOf(scene, await github(user, emails))).toEqual(refused(status, reason))
  })
})
