import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { accountMails } from '../../../../test/account-mail.ts'
import { queuedToken } from '../../../../test/queued-mail.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { resetTotp } from '../index.ts'
import { person, type Person, sessionOf } from './person.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The time in which a replaced cookie is taken. */
const GRACE_MS = 30_000

describe('POST /v1/auth/refresh', () => {
  let backend: TestBackend
  let other: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_TRUST_PROXY: '1' } })
    const environment = { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9', VEDETTE_PUBLIC_URL: 'https://vedette.example.com' }
    other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment })
    organization = await backend.organization()
  })
  afterAll(async () => {
    await other.close()
    await backend.close()
  })

  /** What a browser stores of an answer: the cookie as it sends it; undefined where the answer sets none, empty where it removes it. */
  const cookieIn = ({ headers }: Answer): string | undefined =>
    /^vedette_refresh=([^;]*)/.exec(String(headers['set-cookie'] ?? ''))?.[1]
  const attributesIn = ({ headers }: Answer) => String(headers['set-cookie']).split('; ').slice(1)
  const refresh = (value: string | undefined, headers: Record<string, string> = {}, on = backend) =>
    on.call('POST', '/v1/auth/refresh', {
      headers: {
        'x-requested-with': 'vedette',
        ...(value === undefined ? {} : { cookie: `a=b; vedette_refresh=${value}` }),
        ...headers,
      },
      ip: '203.0.113.9',
    })
  const signIn = async (user: Person, more: object = {}) => {
    const answer = await user.login({ remember: true, ...more })
    return { answer, as: sessionOf(answer), cookie: cookieIn(answer) ?? '' }
  }
  const readMe = async (answer: Answer, on = backend) => (await on.call('GET', '/v1/auth/me', { as: sessionOf(answer) })).status
  const remembered = async () => {
    const user = await person(backend, organization)
    return { user, ...(await signIn(user)) }
  }
  const events = async (type: string, { userId }: Person) =>
    backend.pool.db
      .selectFrom('security_event')
      .select(['ip', 'details'])
      .where('type', '=', type)
      .where('user_id', '=', userId)
      .execute()

  describe('the cookie', () => {
    it('is HttpOnly, SameSite=Strict, for /v1/auth alone and for 30 days [AUTH-38]', async () => {
      const { answer } = await remembered()
      expect(Object.keys(answer.body).sort()).toEqual(['expires_at', 'token'])
      expect(attributesIn(answer)).toEqual([`Max-Age=${30 * 86_400}`, 'Path=/v1/auth', 'HttpOnly', 'SameSite=Strict'])
      expect(Date.parse(answer.body.expires_at) - backend.clock.now()).toBeLessThanOrEqual(12 * HOUR_MS)
    })

    it('is Secure where the request came over HTTPS, also to a proxy, trusted or not [AUTH-38]', async () => {
      const { email } = await person(backend, organization)
      const body = { email, password: PASSWORD, remember: true }
      for (const headers of [{ 'x-forwarded-proto': 'https' }, { origin: 'https://vedette.example.com' }])
        expect(attributesIn(await backend.call('POST', '/v1/auth/login', { body, headers })), JSON.stringify(headers)).toContain(
          'Secure',
        )
      const headers = { 'x-forwarded-proto': 'http', origin: 'http://vedette.example.com' }
      expect(attributesIn(await backend.call('POST', '/v1/auth/login', { body, headers }))).not.toContain('Secure')
    })

    it('is set only for who chose it, and one of before is removed', async () => {
      const user = await person(backend, organization)
      for (const more of [{}, { remember: false }]) expect((await user.login(more)).headers).not.toHaveProperty('set-cookie')
      const { cookie } = await signIn(user)
      const body = { email: user.email, password: PASSWORD }
      const answer = await backend.call('POST', '/v1/auth/login', { body, headers: { cookie: `vedette_refresh=${cookie}` } })
      expect([cookieIn(answer), attributesIn(answer)[0]]).toEqual(['', 'Max-Age=0'])
    })

    it('is stored as digests only', async () => {
      const { cookie } = await remembered()
      const second = cookieIn(await refresh(cookie)) ?? ''
      const { rows } = await backend.pool.pg.query('select * from session_refresh')
      const stored = JSON.stringify(rows, (_, value) =>
        value?.type === 'Buffer' ? Buffer.from(value.data).toString('hex') : value,
      )
      for (const value of [cookie, second]) {
        const bytes = Buffer.from(value, 'base64url')
        for (const part of [bytes.subarray(0, 16), bytes.subarray(16)]) expect(stored).not.toContain(part.toString('hex'))
      }
    })

    it('is given by an invitation, a reset and a change of the password too', async () => {
      const owner = await backend.member(organization, 'owner')
      const path = `/v1/organizations/${organization.id}/members/invite`
      const invited = await backend.call('POST', path, { as: owner, body: { email: 'guest@example.com', role: 'viewer' } })
      const token = new URL(invited.body.accept_url).searchParams.get('token') ?? (await queuedToken(backend, invited.body.id))
      const body = { token, password: PASSWORD, remember: true }
      const accepted = await backend.call('POST', '/v1/auth/invitations/accept', { body })
      expect(await readMe(await refresh(cookieIn(accepted)))).toBe(200)
      const change = { current_password: PASSWORD, new_password: `another ${PASSWORD}`, remember: true }
      const changed = await backend.call('POST', '/v1/auth/password', { as: sessionOf(accepted), body: change })
      expect(await readMe(await refresh(cookieIn(changed)))).toBe(200)
    })
  })

  describe('a refresh', () => {
    it('answers a new token of the same session, and the next cookie [AUTH-39]', async () => {
      const { user, answer, cookie } = await remembered()
      backend.clock.advance(13 * HOUR_MS)
      expect(await readMe(answer)).toBe(401)
      const next = await refresh(cookie, {}, other)
      expect([next.status, Object.keys(next.body).sort()]).toEqual([200, ['expires_at', 'token']])
      expect(await readMe(next)).toBe(200)
      expect(cookieIn(next)).toMatch(/^[\w-]{64}$/)
      expect(cookieIn(next)).not.toBe(cookie)
      const { sessions } = (await backend.call('GET', '/v1/auth/sessions', { as: sessionOf(next) })).body
      expect(sessions).toHaveLength(1)
      expect(sessions[0]).toMatchObject({ current: true, remembered: true })
      // Refreshes are no sign-ins.
      expect(await events('sign_in.succeeded', user)).toHaveLength(2)
    })

    it('goes on for 30 days from the sign-in and no longer [AUTH-38]', async () => {
      const { answer, cookie } = await remembered()
      const start = Date.parse(answer.body.expires_at) - 12 * HOUR_MS
      let present = cookie
      backend.clock.advance(start + 29 * DAY_MS - backend.clock.now())
      const late = await refresh(present)
      expect([late.status, attributesIn(late)[0]]).toEqual([200, 'Max-Age=86400'])
      present = cookieIn(late) ?? ''
      backend.clock.advance(DAY_MS - HOUR_MS)
      const last = await refresh(present)
      // The token does not outlive the session either.
      expect(last.body.expires_at).toBe(new Date(start + 30 * DAY_MS).toISOString())
      backend.clock.advance(HOUR_MS)
      expect(await readMe(last)).toBe(401)
      const refused = await refresh(cookieIn(last))
      expect([refused.status, cookieIn(refused)]).toEqual([401, ''])
      await backend.jobs.deleteExpired()
      expect(await backend.pool.db.selectFrom('session_refresh').selectAll().execute()).toEqual([])
    })

    it('is refused without a cookie, with one that is none, and with one of an unknown session', async () => {
      const unknown = Buffer.alloc(48, 7).toString('base64url')
      for (const value of [undefined, '', 'nonsense', `${unknown}A`, '%00', unknown]) {
        const { status, body } = await refresh(value)
        expect([value, status, body.error.code]).toEqual([value, 401, 'unauthorized'])
      }
    })

    it('makes a session no younger: a second factor still needs the password', async () => {
      const { cookie } = await remembered()
      backend.clock.advance(DAY_MS)
      const as = sessionOf(await refresh(cookie))
      const { status, body } = await backend.call('POST', '/v1/auth/totp', { as, body: {} })
      expect([status, body.error.details[0].path]).toEqual([400, 'password'])
    })

    it('is no way around a second factor that the organization demands', async () => {
      const own = await backend.organization('Demanding')
      const user = await person(backend, own)
      const { cookie } = await signIn(user)
      await backend.pool.db
        .updateTable('organization')
        .set({ require_second_factor: true })
        .where('number', '=', own.number)
        .execute()
      const as = sessionOf(await refresh(cookie))
      expect((await backend.call('GET', '/v1/servers', { as })).status).toBe(403)
    })

    it('counts against the limit of its user, and without a valid cookie against that of the address', async () => {
      const limited = await startTestBackend({
        databaseUrl: backend.databaseUrl,
        clock: backend.clock,
        environment: { VEDETTE_RATE_LIMITS: 'auth=2,read=100,write=30,agent=1000' },
      })
      try {
        const { cookie } = await remembered()
        const { cookie: colleague } = await remembered()
        const statusesOf = async (value: string) => {
          const statuses = []
          for (let count = 0; count < 3; count += 1) statuses.push((await refresh(value, {}, limited)).status)
          return statuses
        }
        expect(await statusesOf('nonsense')).toEqual([401, 401, 429])
        expect(await statusesOf(cookie)).toEqual([200, 200, 429])
        expect((await refresh(colleague, {}, limited)).status).toBe(200)
      } finally {
        await limited.close()
      }
    })
  })

  describe('a cookie that was replaced', () => {
    it('ends the session on every instance when it is sent again, is in the security log, and is mailed [AUTH-40]', async () => {
      const { user, cookie } = await remembered()
      const next = await refresh(cookie)
      backend.clock.advance(GRACE_MS)
      const stolen = await refresh(cookie, {}, other)
      expect([stolen.status, cookieIn(stolen)]).toEqual([401, ''])
      expect(await readMe(next)).toBe(401)
      expect((await refresh(cookieIn(next))).status).toBe(401)
      const [event, ...more] = await events('session.reuse_detected', user)
      expect(event).toMatchObject({ ip: '203.0.113.9', details: { session_id: expect.stringMatching(/^ses_/) } })
      expect(more).toEqual([])
      expect((await accountMails(backend, user.userId)).map(({ subject }) => subject)).toEqual(['A session was ended (Vedette)'])
    })

    it('ends it also when two later ones were made in the meantime', async () => {
      const { cookie } = await remembered()
      const second = cookieIn(await refresh(cookie))
      backend.clock.advance(GRACE_MS)
      const third = await refresh(second)
      expect((await refresh(cookie)).status).toBe(401)
      expect(await readMe(third)).toBe(401)
    })

    it('is taken for 30 s, and gets the cookie that replaced it: two tabs refresh at once [AUTH-40]', async () => {
      const { cookie } = await remembered()
      const answers = await Promise.all([backend, other, backend, other].map((on) => refresh(cookie, {}, on)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const [second = '', ...others] = new Set(answers.map(cookieIn))
      expect([second === cookie, others]).toEqual([false, []])
      backend.clock.advance(GRACE_MS - 1)
      // The present one stays as well, so that the one before it is never replaced twice within its grace.
      expect([cookieIn(await refresh(second)), cookieIn(await refresh(cookie))]).toEqual([second, second])
      backend.clock.advance(1)
      expect(cookieIn(await refresh(second))).not.toBe(second)
    })
  })

  describe('a request that another site caused', () => {
    const FOREIGN: Record<string, Record<string, string>> = {
      'without the header': { 'x-requested-with': '' },
      'with another value of the header': { 'x-requested-with': 'XMLHttpRequest' },
      'of another site': { 'sec-fetch-site': 'cross-site' },
      'of another origin of the same site': { 'sec-fetch-site': 'same-site', origin: 'http://localhost' },
      'of no page': { 'sec-fetch-site': 'none' },
      'of another origin, from an older browser': { origin: 'http://evil.example.com' },
      'of another port': { origin: 'http://localhost:81' },
      'of an origin that is none': { origin: 'null' },
    }
    it.each(Object.entries(FOREIGN))('is refused %s, and changes nothing [AUTH-41]', async (_, headers) => {
      const { cookie } = await remembered()
      const { status, body, headers: answered } = await refresh(cookie, { host: 'localhost', ...headers })
      expect([status, body.error.code, answered['set-cookie']]).toEqual([403, 'forbidden', undefined])
      expect((await refresh(cookie)).status).toBe(200)
    })

    it('is not one of the page itself, behind a proxy or without one', async () => {
      const OWN = [
        { 'sec-fetch-site': 'same-origin', origin: 'https://vedette.example.com' },
        { origin: 'http://localhost' },
        { origin: 'https://vedette.example.com', 'x-forwarded-host': 'vedette.example.com' },
      ]
      for (const headers of OWN) {
        const { cookie } = await remembered()
        expect((await refresh(cookie, { host: 'localhost', ...headers })).status, JSON.stringify(headers)).toBe(200)
      }
      // The proxy may not pass the Host header on, or without its port.
      const { cookie } = await remembered()
      expect((await refresh(cookie, { host: 'backend', origin: 'https://vedette.example.com' }, other)).status).toBe(200)
    })
  })

  describe('is refused on every instance from the moment that', () => {
    type Way = (given: Awaited<ReturnType<typeof remembered>>) => Promise<Answer | void>
    const call = (method: string, url: string, { as, cookie }: { as: object; cookie: string }, body?: unknown) =>
      backend.call(method, url, { as, headers: { cookie: `vedette_refresh=${cookie}` }, ...(body === undefined ? {} : { body }) })
    const idOf = async ({ as }: { as: object }, isCurrent = true) => {
      const { sessions } = (await backend.call('GET', '/v1/auth/sessions', { as })).body
      return sessions.find(({ current }: { current: boolean }) => current === isCurrent).id as string
    }
    const WAYS: Record<string, Way> = {
      'the user signs out': (given) => call('POST', '/v1/auth/logout', given),
      'the session ends itself': async (given) => call('DELETE', `/v1/auth/sessions/${await idOf(given)}`, given),
      'the session is ended from another': async (given) => {
        const as = sessionOf(await given.user.login())
        await backend.call('DELETE', `/v1/auth/sessions/${await idOf(given)}`, { as })
      },
      'the password is changed': (given) =>
        call('POST', '/v1/auth/password', given, { current_password: PASSWORD, new_password: `another ${PASSWORD}` }),
      'a second factor is enabled in another session': async ({ user }) => {
        const as = sessionOf(await user.login())
        const { secret } = (await backend.call('POST', '/v1/auth/totp', { as, body: {} })).body
        const code = await generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })
        expect((await backend.call('POST', '/v1/auth/totp', { as, body: { code } })).status).toBe(200)
      },
      'an operator removes the second factor': async ({ user }) => {
        const at = new Date(backend.clock.now())
        const factor = { user_id: user.userId, secret: Buffer.alloc(1), created_at: at, enabled_at: at, last_step: 0 }
        await backend.pool.db.insertInto('user_totp').values(factor).execute()
        await inTransaction(backend.pool.db, (db) => resetTotp(db, user.userId, at))
      },
      'the account is deleted': (given) => call('DELETE', '/v1/auth/me', given, { password: PASSWORD }),
    }

    it.each(Object.entries(WAYS))('%s, and the browser that asks loses its cookie [AUTH-42]', async (_, end) => {
      const given = await remembered()
      const answer = await end(given)
      expect(answer ? [answer.status < 300, cookieIn(answer)] : [true, '']).toEqual([true, ''])
      for (const on of [backend, other]) expect((await refresh(given.cookie, {}, on)).status).toBe(401)
    })
  })
})
