import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountMails } from '../../../../test/account-mail.ts'
import { createTestAuthenticator } from '../../../../test/authenticator.ts'
import {
  type Credentials,
  PASSWORD,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { passkeysOf } from './scene.ts'

const LATER_MS = 301_000
const SMTP = { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9' }
let backend: TestBackend
let second: TestBackend
let organization: TestOrganization
let passkeys: ReturnType<typeof passkeysOf>
beforeAll(async () => {
  backend = await startTestBackend()
  second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
  organization = await backend.organization()
  passkeys = passkeysOf(backend)
})
afterAll(async () => {
  await second.close()
  await backend.close()
})

const member = () => backend.member(organization, 'member')
const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` })
const me = (as: Credentials, on = backend) => on.call('GET', '/v1/auth/me', { as })
const events = async (userId: string) =>
  backend.pool.db
    .selectFrom('security_event')
    .select(['type', 'details'])
    .where('user_id', '=', userId)
    .where('type', '!=', 'sign_in.succeeded')
    .orderBy('id')
    .execute()

describe('a passkey', () => {
  it('is added by the options of the session and signs in from then on, on every instance [PASSKEY-09]', async () => {
    const user = await member()
    const options = await passkeys.options(user)
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Vedette' },
      attestation: 'none',
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    expect(options.user.id).toHaveLength(22)
    const { id, key } = await passkeys.add(user)
    const listed = { id, name: 'Laptop', synced: false, created_at: new Date(backend.clock.now()).toISOString() }
    expect((await passkeys.call('GET', '', user)).body).toMatchObject({ total: 1, passkeys: [{ ...listed, last_used_at: null }] })

    const { status, body } = await passkeysOf(second).signIn(key)
    expect(status).toBe(200)
    expect((await me(bearer(body.token))).body).toMatchObject({ id: (await me(user)).body.id, totp_enabled: false })
    expect((await passkeys.call('GET', '', user)).body.passkeys[0].last_used_at).toBe(listed.created_at)
    expect((await passkeys.options(user)).excludeCredentials).toMatchObject([{ id: key.id, transports: ['internal'] }])
    expect(await events(user.userId)).toMatchObject([{ type: 'passkey.added', details: { passkey: id, name: 'Laptop' } }])
  })

  it('keeps a device signed in where that is wanted [PASSKEY-10]', async () => {
    const { key } = await passkeys.add(await member())
    const remembered = await passkeys.send(key.get(await passkeys.challenge()), { remember: true })
    expect(remembered.headers['set-cookie']).toContain('vedette_refresh=')
    expect((await passkeys.signIn(key)).headers['set-cookie']).toBeUndefined()
  })

  it('takes the place of password and code [PASSKEY-11]', async () => {
    const user = await member()
    const { secret } = (await backend.call('POST', '/v1/auth/totp', { as: user, body: {} })).body
    const code = await generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })
    expect((await backend.call('POST', '/v1/auth/totp', { as: user, body: { code } })).status).toBe(200)
    const { key } = await passkeys.add(user)
    expect((await passkeys.signIn(key)).status).toBe(200)
  })

  it('gets another name, of its user alone [PASSKEY-12]', async () => {
    const user = await member()
    const { id } = await passkeys.add(user)
    expect((await passkeys.call('PATCH', `/${id}`, user, { name: 'Phone' })).body).toMatchObject({ id, name: 'Phone' })
    const other = await member()
    expect((await passkeys.call('PATCH', `/${id}`, other, { name: 'Mine' })).status).toBe(404)
    expect((await passkeys.call('DELETE', `/${id}`, other, {})).status).toBe(404)
    expect((await passkeys.call('GET', '', user)).body.passkeys).toMatchObject([{ name: 'Phone' }])
  })

  it('is dead the moment it is removed, with the sessions that it opened [PASSKEY-13]', async () => {
    const user = await member()
    const { id, key } = await passkeys.add(user)
    const opened = bearer((await passkeys.signIn(key)).body.token)
    expect((await me(opened, second)).status).toBe(200)
    const early = key.get(await passkeys.challenge())
    // Many clients send no body with it.
    expect((await passkeys.call('DELETE', `/${id}`, user)).status).toBe(204)
    expect((await me(opened, second)).status).toBe(401)
    expect((await me(user)).status).toBe(200)
    expect([(await passkeys.send(early)).status, (await passkeys.signIn(key)).status]).toEqual([401, 401])
    const [, removed] = await events(user.userId)
    expect(removed).toMatchObject({ type: 'passkey.removed', details: { passkey: id, name: 'Laptop', sessions_ended: 1 } })
  })

  it('is changed by a session of under five minutes, or with the password [PASSKEY-14]', async () => {
    const user = await member()
    const { id } = await passkeys.add(user)
    backend.clock.advance(LATER_MS)
    for (const [method, path] of [
      ['POST', '/registration-options'],
      ['DELETE', `/${id}`],
    ] as const) {
      const { status, body } = await passkeys.call(method, path, user, {})
      expect([status, body.error.details]).toEqual([400, [expect.objectContaining({ path: 'password' })]])
      expect((await passkeys.call(method, path, user, { password: 'of somebody else' })).status).toBe(401)
    }
    await passkeys.options(user, { password: PASSWORD })
    expect((await passkeys.call('DELETE', `/${id}`, user, { password: PASSWORD })).status).toBe(204)
  })

  it('is mailed about, added and removed [PASSKEY-15]', async () => {
    const mailing = await startTestBackend({ environment: SMTP })
    const own = passkeysOf(mailing)
    const user = await mailing.member(await mailing.organization(), 'member')
    const { id } = await own.add(user)
    await own.call('DELETE', `/${id}`, user, {})
    const subjects = (await accountMails(mailing, user.userId)).map(({ subject }) => subject)
    expect(subjects).toEqual(['A passkey was added (Vedette)', 'A passkey was removed (Vedette)'])
    await mailing.close()
  })

  it('has at most 19 others [PASSKEY-16]', async () => {
    const user = await member()
    const early = await passkeys.options(user)
    for (let index = 0; index < 20; index += 1) await passkeys.add(user, `Key ${index}`)
    const { status, body } = await passkeys.call('POST', '/registration-options', user, {})
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('20')])
    const credential = createTestAuthenticator().create(early)
    expect((await passkeys.call('POST', '', user, { name: 'Late', credential })).status).toBe(409)
  })
})

describe('an organization that demands a second factor', () => {
  /** With an owner who demands it. */
  async function strict() {
    const shop = await backend.organization('Shop')
    const boss = await backend.member(shop, 'owner')
    const demand = () =>
      backend.call('PATCH', `/v1/organizations/${shop.id}`, { as: boss, body: { require_second_factor: true } })
    expect((await demand()).status).toBe(409)
    await passkeys.add(boss)
    expect((await demand()).status).toBe(200)
    const user = await backend.member(shop, 'member')
    const read = async (as: Credentials) =>
      (await backend.call('GET', '/v1/servers', { as, headers: { 'x-organization-id': shop.id } })).status
    return { shop, boss, user, read }
  }
  const passwordSession = async (userId: string): Promise<Credentials> => {
    const { db } = backend.pool
    const { email } = await db.selectFrom('app_user').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
    return bearer((await backend.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD } })).body.token)
  }

  it('accepts a passkey, and refuses the password alone [PASSKEY-17]', async () => {
    const { boss, user, read } = await strict()
    expect([await read(boss), await read(user)]).toEqual([200, 403])
    const { key } = await passkeys.add(user)
    expect(await read(user)).toBe(200)
    const byPassword = await passwordSession(user.userId)
    expect([await read(byPassword), (await me(byPassword)).body.organizations[0].needs_second_factor]).toEqual([403, true])
    const byPasskey = bearer((await passkeys.signIn(key)).body.token)
    expect([await read(byPasskey), (await me(byPasskey)).body.organizations[0].needs_second_factor]).toEqual([200, false])
  })

  it('lets nobody who knows the password alone add a factor or remove one [PASSKEY-18]', async () => {
    const { user, read } = await strict()
    const { id } = await passkeys.add(user)
    const thief = await passwordSession(user.userId)
    const totp = (body: object) => backend.call('POST', '/v1/auth/totp', { as: thief, body })
    for (const answer of [
      await passkeys.call('POST', '/registration-options', thief, { password: PASSWORD }),
      await passkeys.call('DELETE', `/${id}`, thief, { password: PASSWORD }),
      await totp({ password: PASSWORD }),
    ])
      expect([answer.status, answer.body.error.message]).toEqual([409, expect.stringContaining('"Shop"')])
    expect(await read(thief)).toBe(403)
  })

  it('lets no set-up of a factor that began before the passkey end after it [PASSKEY-19]', async () => {
    const { user } = await strict()
    const thief = await passwordSession(user.userId)
    const options = await passkeys.options(thief)
    const { secret } = (await backend.call('POST', '/v1/auth/totp', { as: thief, body: {} })).body
    await passkeys.add(user)
    const code = await generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })
    expect((await backend.call('POST', '/v1/auth/totp', { as: thief, body: { code } })).status).toBe(409)
    const credential = createTestAuthenticator().create(options)
    expect((await passkeys.call('POST', '', thief, { name: 'Mine', credential })).status).toBe(409)
  })

  it('keeps the last factor [PASSKEY-20]', async () => {
    const { user } = await strict()
    const [{ id }, other] = [await passkeys.add(user), await passkeys.add(user)]
    expect((await passkeys.call('DELETE', `/${other.id}`, user, {})).status).toBe(204)
    const { status, body } = await passkeys.call('DELETE', `/${id}`, user, {})
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('"Shop"')])
    expect((await passkeys.call('GET', '', user)).body.total).toBe(1)
  })
})
