import { beforeEach, describe, expect, it } from 'vitest'
import { cookiesOf, sessionBy, signIn } from '../../../../test/provider-sign-in.ts'
import { me, memberNamed, refusalOf, refused, type Scene, useScene } from './scene.ts'

const scene = useScene()
let backend: Scene['backend']
let organization: Scene['organization']
let owner: Scene['owner']
let provider: Scene['provider']
let id: Scene['id']
beforeEach(() => {
  ;({ backend, organization, owner, provider, id } = scene)
})

const NO_EMAIL = 'sent no e-mail that it has verified'
const NO_ACCOUNT = 'may not sign in this account'

describe('people whom a provider may not sign in', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['an unverified e-mail', { email_verified: false }, NO_EMAIL],
    ['an e-mail of which nothing is said', { email_verified: undefined }, NO_EMAIL],
    ['an e-mail of a foreign domain', { email: 'ada@evil.example' }, 'e-mail of this domain'],
    ['a subdomain', { email: 'ada@sub.example.com' }, 'e-mail of this domain'],
    ['two domains', { email: 'ada@evil.example@example.com' }, NO_EMAIL],
    ['no e-mail', { email: undefined }, NO_EMAIL],
  ])('%s', async (_what, claims, reason) => {
    expect(await refusalOf(scene, await signIn(backend, id, provider, { claims, userinfo: {} }))).toEqual(refused(403, reason))
  })

  it('an owner: neither at the first sign-in, nor one who was linked before [IDP-34]', async () => {
    const userId = await memberNamed(scene, 'ada@example.com', 'owner')
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(
      refused(403, 'Owners sign in with their password'),
    )
    await backend.pool.db.updateTable('membership').set({ role: 'viewer' }).where('user_id', '=', userId).execute()
    const as = await sessionBy(backend, await signIn(backend, id, provider))
    await backend.pool.db.updateTable('membership').set({ role: 'owner' }).where('user_id', '=', userId).execute()
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(
      refused(403, 'Owners sign in with their password'),
    )
    expect((await backend.call('GET', '/v1/auth/me', { as })).status).toBe(401)
  })

  it('an account of another organization, of several, and of none [IDP-35]', async () => {
    const other = await backend.organization()
    const userId = await memberNamed({ ...scene, organization: other }, 'ada@example.com')
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(refused(403, NO_ACCOUNT))
    const joined_at = new Date(backend.clock.now())
    const membership = { user_id: userId, role: 'viewer' as const, joined_at }
    await backend.pool.db
      .insertInto('membership')
      .values({ ...membership, organization: organization.number })
      .execute()
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(refused(403, NO_ACCOUNT))
    await backend.pool.db.deleteFrom('membership').where('user_id', '=', userId).execute()
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(refused(403, NO_ACCOUNT))
  })

  it('somebody who joined another organization since: the session is over as well [IDP-36]', async () => {
    const as = await sessionBy(backend, await signIn(backend, id, provider))
    const { id: user } = await me(scene, as)
    const other = await backend.organization()
    const userId = (
      await backend.pool.db.selectFrom('app_user').select('id').where('email', '=', 'ada@example.com').executeTakeFirstOrThrow()
    ).id
    const membership = { user_id: userId, role: 'admin' as const, joined_at: new Date(backend.clock.now()) }
    await backend.pool.db
      .insertInto('membership')
      .values({ ...membership, organization: other.number })
      .execute()
    for (const headers of [{}, { 'x-organization-id': other.id }, { 'x-organization-id': organization.id }])
      expect((await backend.call('GET', '/v1/monitors', { as, headers })).status, user).toBe(401)
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(refused(403, NO_ACCOUNT))
  })

  it('another subject with the e-mail of a linked account [IDP-37]', async () => {
    await sessionBy(backend, await signIn(backend, id, provider))
    expect(await refusalOf(scene, await signIn(backend, id, provider, { claims: { sub: 'eve' } }))).toEqual(
      refused(403, 'another person at the identity provider'),
    )
  })

  it('somebody without an account, where none are created [IDP-38]', async () => {
    await backend.call('PATCH', `/v1/identity-providers/${id}`, { as: owner, body: { creates_accounts: false } })
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(refused(403, 'There is no account'))
    const { rows } = await backend.pool.pg.query(`select from app_user where email = 'ada@example.com'`)
    expect(rows).toHaveLength(0)
  })

  it('a member who was removed [IDP-39]', async () => {
    const as = await sessionBy(backend, await signIn(backend, id, provider))
    const { id: user } = await me(scene, as)
    const url = `/v1/organizations/${organization.id}/members/${String(user)}`
    expect((await backend.call('DELETE', url, { as: owner })).status).toBe(204)
    expect((await backend.call('GET', '/v1/auth/me', { as })).status).toBe(401)
    expect(await refusalOf(scene, await signIn(backend, id, provider))).toEqual(refused(403, NO_ACCOUNT))
  })
})

describe('a session of a provider', () => {
  it('cannot create an organization [IDP-40]', async () => {
    const as = await sessionBy(backend, await signIn(backend, id, provider))
    expect((await backend.call('POST', '/v1/organizations', { as, body: { name: 'Other' } })).status).toBe(403)
  })

  it.each(['disabled', 'deleted'])('ends when the provider is %s, which then signs nobody in', async (how) => {
    const answer = await signIn(backend, id, provider)
    const as = await sessionBy(backend, answer)
    const url = `/v1/identity-providers/${id}`
    if (how === 'deleted') await backend.call('DELETE', url, { as: owner })
    else await backend.call('PATCH', url, { as: owner, body: { enabled: false } })
    expect((await backend.call('GET', '/v1/auth/me', { as })).status).toBe(401)
    const headers = { cookie: `vedette_refresh=${cookiesOf(answer)['vedette_refresh']}`, 'x-requested-with': 'vedette' }
    expect((await backend.call('POST', '/v1/auth/refresh', { headers })).status).toBe(401)
    expect((await backend.call('GET', `/v1/auth/oidc/${id}/start`)).status).toBe(404)
    expect((await backend.call('GET', `/v1/auth/oidc/${id}/callback?code=a&state=b`)).status).toBe(404)
  })
})
