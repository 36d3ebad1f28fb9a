import { PERMISSIONS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { actionsIn, ascending, person, type Person, REFUSED, refusals, sessionOf } from './person.ts'

const NEW_PASSWORD = 'another long and rare passphrase'

describe('an account', () => {
  let backend: TestBackend
  let second: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend()
    second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    organization = await backend.organization('First')
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
  })

  const me = (as: Person['as'], on = backend) => on.call('GET', '/v1/auth/me', { as })

  describe('GET /v1/auth/me', () => {
    it('shows the user with their organizations, the one joined first before the others [AUTH-33]', async () => {
      const user = await person(backend, organization, 'viewer')
      const other = await backend.organization('Second')
      await backend.pool.db
        .insertInto('membership')
        .values({
          organization: other.number,
          user_id: user.userId,
          role: 'owner',
          joined_at: new Date(backend.clock.now() + 1),
        })
        .execute()
      const { status, body } = await me(user.as)
      expect(status).toBe(200)
      expect(body).toMatchObject({ email: user.email, totp_enabled: false, created_at: '2026-11-20T18:07:10.000Z' })
      expect(body.id).toMatch(/^usr_/)
      expect(Object.keys(body).sort()).toEqual([
        'created_at',
        'email',
        'email_verified',
        'id',
        'identity_provider_id',
        'name',
        'organizations',
        'pending_email',
        'totp_enabled',
      ])
      expect(body.organizations).toHaveLength(2)
      expect(body.organizations[0]).toEqual({
        id: expect.stringMatching(/^org_/),
        name: 'First',
        role: 'viewer',
        permissions: ['read', 'org:read'],
        joined_at: '2026-11-20T18:07:10.000Z',
        needs_second_factor: false,
        saved_views: [],
        quiet_time: null,
        weekly_summary: false,
      })
      // The others are of programs alone.
      const owned = PERMISSIONS.filter((name) => !['servers:register', 'metrics:write', 'series:write'].includes(name))
      expect(body.organizations[1]).toMatchObject({ name: 'Second', role: 'owner', permissions: owned })
    })

    it('is counted among sign-ins, and as `/v1/me` among reads: the page may be loaded again and again [AUTH-37, LIMIT-23]', async () => {
      const { as } = await person(backend, organization)
      const counted = async (path: string) => {
        const { body, headers } = await backend.call('GET', path, { as })
        return { body, limit: headers['x-ratelimit-limit'] }
      }
      const first = await counted('/v1/auth/me')
      const page = await counted('/v1/me')
      expect(page.body).toEqual(first.body)
      expect([first.limit, page.limit]).toEqual(['10', '100'])
      expect(await refusals(backend, organization, 'GET', '/v1/me')).toEqual(REFUSED)
    })

    it('shows a user without any organization [AUTH-33]', async () => {
      const user = await person(backend, organization)
      await backend.pool.db.deleteFrom('membership').where('user_id', '=', user.userId).execute()
      const { status, body } = await me(user.as)
      expect([status, body.organizations]).toEqual([200, []])
    })

    it('takes no parameters, and none but a signed-in user [AUTH-36, WIRE-15]', async () => {
      const { as } = await person(backend, organization)
      const { status, body } = await backend.call('GET', '/v1/auth/me?verbose=1', { as })
      expect([status, body.error.details[0].path]).toEqual([400, 'verbose'])
      expect(await refusals(backend, organization, 'GET', '/v1/auth/me')).toEqual(REFUSED)
    })
  })

  describe('POST /v1/auth/logout', () => {
    it('ends this session on every instance at the next request, and no other [AUTH-15, WIRE-13]', async () => {
      const user = await person(backend, organization)
      const other = sessionOf(await user.login())
      expect((await me(user.as, second)).status).toBe(200)
      const { status, body } = await backend.call('POST', '/v1/auth/logout', { as: user.as })
      expect([status, body]).toEqual([204, undefined])
      for (const on of [second, backend]) {
        const answer = await me(user.as, on)
        expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized'])
        expect((await me(other, on)).status).toBe(200)
      }
    })

    it('is written down [AUDIT-11]', async () => {
      const own = await backend.organization()
      const user = await person(backend, own)
      await backend.call('POST', '/v1/auth/logout', { as: user.as, ip: '198.51.100.9' })
      expect(await actionsIn(backend, own)).toEqual([
        expect.objectContaining({ action: 'session.ended', actor_id: user.userId, target_type: 'session', ip: '198.51.100.9' }),
      ])
    })

    it('takes no body, and none but a signed-in user [AUTH-36, WIRE-14]', async () => {
      const { as } = await person(backend, organization)
      const { status, body } = await backend.call('POST', '/v1/auth/logout', { as, body: { everywhere: true } })
      expect([status, body.error.details[0].path]).toEqual([400, 'everywhere'])
      expect((await me(as)).status).toBe(200)
      expect(await refusals(backend, organization, 'POST', '/v1/auth/logout')).toEqual(REFUSED)
    })
  })

  describe('POST /v1/auth/password', () => {
    const change = (as: Person['as'], body: unknown, on = backend) => on.call('POST', '/v1/auth/password', { as, body })
    const good = { current_password: PASSWORD, new_password: NEW_PASSWORD }

    it('ends every session on every instance, and answers a new one [AUTH-16, AUTH-17]', async () => {
      const user = await person(backend, organization)
      const sessions = [user.as, sessionOf(await user.login()), sessionOf(await user.login({}, second))]
      for (const as of sessions) expect((await me(as, second)).status).toBe(200)
      const answer = await change(user.as, good)
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.body).sort()).toEqual(['expires_at', 'token'])
      for (const as of sessions) for (const on of [second, backend]) expect((await me(as, on)).status).toBe(401)
      expect((await me(sessionOf(answer), second)).status).toBe(200)
      expect((await user.login()).status).toBe(401)
      expect((await user.login({ password: NEW_PASSWORD })).status).toBe(200)
    })

    it('leaves nobody in who signed in with the old password meanwhile', async () => {
      const user = await person(backend, organization)
      const answers = await Promise.all([...Array.from({ length: 8 }, () => user.login({}, second)), change(user.as, good)])
      const changed = answers.at(-1)
      expect(changed?.status).toBe(200)
      const signedIn = answers.slice(0, -1).filter(({ status }) => status === 200)
      for (const answer of signedIn) expect((await me(sessionOf(answer))).status).toBe(401)
    })

    it('lets one of two changes at once through', async () => {
      const user = await person(backend, organization)
      const other = sessionOf(await user.login())
      const answers = await Promise.all([
        change(user.as, good),
        change(other, { ...good, new_password: `${NEW_PASSWORD}!` }, second),
      ])
      expect(answers.map(({ status }) => status).sort(ascending)).toEqual([200, 401])
    })

    it('is written down in each organization, without the passwords [AUDIT-11, AUDIT-13]', async () => {
      const own = await backend.organization()
      const user = await person(backend, own)
      await user.login()
      await change(user.as, good)
      const events = await actionsIn(backend, own)
      expect(events).toEqual([
        expect.objectContaining({
          action: 'user.password_changed',
          actor_kind: 'user',
          actor_id: user.userId,
          target_type: 'user',
          target_id: user.userId,
          details: { sessions_ended: 2 },
        }),
      ])
      expect(JSON.stringify(events)).not.toContain('passphrase')
    })

    it('refuses a wrong current password, and ends nothing [ERROR-06, ERROR-24]', async () => {
      const user = await person(backend, organization)
      const { status, body } = await change(user.as, { ...good, current_password: 'not the password' })
      expect([status, body.error.code]).toEqual([401, 'unauthorized'])
      // Credentials before the body: a caller without the password learns nothing about the rules.
      expect((await change(user.as, { current_password: 'wrong', new_password: 'password1234' })).status).toBe(401)
      expect((await me(user.as)).status).toBe(200)
      expect((await user.login()).status).toBe(200)
    })

    it.each([
      [{ current_password: PASSWORD }, 'new_password'],
      [{ new_password: NEW_PASSWORD }, 'current_password'],
      [{ ...good, new_password: 'too short' }, 'new_password'],
      [{ ...good, new_password: 'x'.repeat(129) }, 'new_password'],
      [{ ...good, new_password: 'password1234' }, 'new_password'],
      [{ ...good, new_password: 7 }, 'new_password'],
      [{ ...good, new_password: `${NEW_PASSWORD}\0` }, 'new_password'],
      [{ ...good, keep_sessions: true }, 'keep_sessions'],
    ])('refuses %j and names the field [AUTH-18, AUTH-20, ERROR-02]', async (body, path) => {
      const user = await person(backend, organization)
      const answer = await change(user.as, body)
      expect([answer.status, answer.body.error.code, answer.body.error.details[0].path]).toEqual([400, 'validation_error', path])
      expect((await me(user.as)).status).toBe(200)
    })

    it('is for signed-in users alone [AUTH-36]', async () => {
      expect(await refusals(backend, organization, 'POST', '/v1/auth/password', good)).toEqual(REFUSED)
    })
  })

  it('is limited to ten requests a minute [LIMIT-05, LIMIT-23]', async () => {
    const limited = await startTestBackend({
      databaseUrl: backend.databaseUrl,
      clock: backend.clock,
      environment: { VEDETTE_RATE_LIMITS: 'auth=10' },
    })
    const user = await person(backend, organization)
    const urls = ['GET /v1/auth/me', 'GET /v1/auth/totp', 'GET /v1/auth/sessions', 'POST /v1/auth/password', 'POST /v1/auth/totp']
    const statuses = []
    for (let count = 0; count < 12; count += 1) {
      const [method = '', url = ''] = (urls[count % urls.length] ?? '').split(' ')
      const body = method === 'POST' ? { body: { nonsense: 1 } } : {}
      statuses.push((await limited.call(method, url, { as: user.as, ...body })).status)
    }
    expect(statuses.slice(0, 10)).not.toContain(429)
    expect(statuses.slice(10)).toEqual([429, 429])
    await limited.close()
  })
})
