import { randomBytes, randomUUID } from 'node:crypto'
import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { sessionIdOf } from '../../../../test/path-resources.ts'
import { actionsIn, ascending, person, type Person, REFUSED, refusals, sessionOf } from './person.ts'

const STEP_MS = 30_000

describe('a second factor', () => {
  let backend: TestBackend
  let second: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend()
    second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    organization = await backend.organization()
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
  })

  const state = (as: Person['as']) => backend.call('GET', '/v1/auth/totp', { as })
  const post = (as: Person['as'], body: unknown = {}) => backend.call('POST', '/v1/auth/totp', { as, body })
  const remove = (as: Person['as'], body: unknown) => backend.call('DELETE', '/v1/auth/totp', { as, body })
  /** What the authenticator shows, so many steps from now. */
  const codeOf = (secret: string, steps = 0) =>
    generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) + steps * (STEP_MS / 1000) })
  /** A code of six digits that fits none of the steps around now. */
  const wrongCode = async (secret: string) => {
    const near = await Promise.all([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps)))
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) as string
  }
  /** Someone whose second factor is enabled; the step of the confirmation is spent, so the clock moves on. */
  async function guarded(on: TestOrganization = organization) {
    const user = await person(backend, on)
    const { body } = await post(user.as)
    const { secret, recovery_codes: recoveryCodes } = body as { secret: string; recovery_codes: string[] }
    expect((await post(user.as, { code: await codeOf(secret) })).status).toBe(200)
    backend.clock.advance(STEP_MS)
    return { ...user, secret, recoveryCodes }
  }

  describe('set-up', () => {
    it('shows the secret and recovery codes once, and asks for nothing until it is confirmed [AUTH-27, AUTH-28, AUTH-29]', async () => {
      const user = await person(backend, organization)
      expect((await state(user.as)).body).toEqual({ enabled: false, enabled_at: null, recovery_codes_left: 0 })
      const { status, body } = await post(user.as)
      expect(status).toBe(201)
      expect(Object.keys(body).sort()).toEqual(['otpauth_url', 'recovery_codes', 'secret'])
      expect(body.secret).toMatch(/^[A-Z2-7]{32}$/)
      const url = new URL(body.otpauth_url)
      expect(`${url.protocol}//${url.host}`).toBe('otpauth://totp')
      expect(decodeURIComponent(url.pathname)).toBe(`/Vedette:${user.email}`)
      expect(Object.fromEntries(url.searchParams)).toMatchObject({ secret: body.secret, issuer: 'Vedette' })
      expect(new Set(body.recovery_codes).size).toBe(10)
      for (const code of body.recovery_codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
      expect((await user.login()).status).toBe(200)
      expect((await state(user.as)).body).toMatchObject({ enabled: false })
    })

    it('is confirmed by a code, and asked for from then on [AUDIT-11, AUTH-29, ERROR-07]', async () => {
      const own = await backend.organization()
      const user = await person(backend, own)
      const { secret } = (await post(user.as)).body
      const at = new Date(backend.clock.now()).toISOString()
      const { status, body } = await post(user.as, { code: await codeOf(secret) })
      expect([status, body]).toEqual([200, { enabled: true, enabled_at: at, recovery_codes_left: 10 }])
      expect((await state(user.as)).body).toEqual(body)
      expect((await backend.call('GET', '/v1/auth/me', { as: user.as })).body.totp_enabled).toBe(true)
      const refused = await user.login()
      expect([refused.status, refused.body.error.code]).toEqual([401, 'totp_required'])
      expect((await actionsIn(backend, own)).map(({ action }) => action)).toEqual(['user.totp_enabled'])
    })

    it('ends the other sessions with their cookies and notifications, and not the one that enables it', async () => {
      const own = await backend.organization()
      const user = await person(backend, own)
      const others = [sessionOf(await user.login()), sessionOf(await user.login({ remember: true }, second))]
      const colleague = await person(backend, own)
      const subscribe = (session: string | null) =>
        backend.pool.db
          .insertInto('push_subscription')
          .values({
            id: randomUUID(),
            user_id: user.userId,
            session_id: session,
            endpoint_hash: randomBytes(32),
            encrypted: Buffer.alloc(1),
            user_agent: '',
            created_at: new Date(backend.clock.now()),
          })
          .execute()
      const sessions = [user.as, ...others].map(({ authorization }) => sessionIdOf(authorization as string))
      // One whose session has expired as well.
      for (const session of [...sessions, null]) await subscribe(session)
      const { secret } = (await post(user.as)).body
      expect((await post(user.as, { code: await wrongCode(secret) })).status).toBe(400)
      for (const as of others) expect((await state(as)).status).toBe(200)
      expect((await post(user.as, { code: await codeOf(secret) })).status).toBe(200)
      for (const on of [backend, second])
        for (const as of others) expect((await on.call('GET', '/v1/auth/totp', { as })).status).toBe(401)
      for (const as of [user.as, colleague.as]) expect((await state(as)).status).toBe(200)
      const kept = await backend.pool.db
        .selectFrom('push_subscription')
        .select('session_id')
        .where('user_id', '=', user.userId)
        .execute()
      expect(kept).toEqual([{ session_id: sessions[0] }])
      expect(await actionsIn(backend, own)).toMatchObject([{ action: 'user.totp_enabled', details: { sessions_ended: 2 } }])
    })

    it('takes the place of one that was not confirmed', async () => {
      const user = await person(backend, organization)
      const { secret: first } = (await post(user.as)).body
      const { secret } = (await post(user.as)).body
      expect(secret).not.toBe(first)
      expect((await post(user.as, { code: await codeOf(first) })).status).toBe(400)
      expect((await post(user.as, { code: await codeOf(secret) })).status).toBe(200)
    })

    it('refuses a code that does not come from the secret, and names it', async () => {
      const user = await person(backend, organization)
      const { secret, recovery_codes } = (await post(user.as)).body
      for (const code of [await wrongCode(secret), await codeOf(secret, -3), await codeOf(secret, 3), recovery_codes[0], 'abc']) {
        const { status, body } = await post(user.as, { code })
        expect([code, status, body.error.details[0].path]).toEqual([code, 400, 'code'])
      }
      expect((await user.login()).status).toBe(200)
    })

    it.each([
      [{ code: 123456 }, 'code'],
      [{ code: '' }, 'code'],
      [{ code: '1'.repeat(65) }, 'code'],
      [{ totp: '123456' }, 'totp'],
    ])('refuses %j and names the field', async (given, path) => {
      const user = await person(backend, organization)
      const { status, body } = await post(user.as, given)
      expect([status, body.error.details[0].path]).toEqual([400, path])
    })

    it('is a conflict where it is done already, and where none was started', async () => {
      const user = await guarded()
      for (const body of [{}, { code: await codeOf(user.secret) }]) expect((await post(user.as, body)).status).toBe(409)
      const other = await person(backend, organization)
      const { status, body } = await post(other.as, { code: '123456' })
      expect([status, body.error.code]).toEqual([409, 'conflict'])
    })

    it('is for signed-in users alone [AUTH-36]', async () => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const body = method === 'GET' ? undefined : {}
        expect(await refusals(backend, organization, method, '/v1/auth/totp', body)).toEqual(REFUSED)
      }
    })

    it('keeps nothing that a thief of the database could use [SECRET-03]', async () => {
      const user = await guarded()
      const { db } = backend.pool
      const totp = await db.selectFrom('user_totp').select('secret').where('user_id', '=', user.userId).executeTakeFirstOrThrow()
      expect(totp.secret.includes(user.secret)).toBe(false)
      const codes = await db.selectFrom('recovery_code').select('hash').where('user_id', '=', user.userId).execute()
      expect(codes).toHaveLength(10)
      for (const { hash } of codes) expect(hash).toHaveLength(32)
      // Copied to another user, the row opens nothing.
      const thief = await guarded()
      await db.updateTable('user_totp').set({ secret: totp.secret }).where('user_id', '=', thief.userId).execute()
      expect((await thief.login({ totp_code: await codeOf(user.secret) })).status).toBe(401)
    })
  })

  describe('at a login', () => {
    it('accepts the code of the current, previous or next time step [AUTH-31]', async () => {
      for (const steps of [-1, 0, 1]) {
        const user = await guarded()
        backend.clock.advance(2 * STEP_MS)
        const { status, body } = await user.login({ totp_code: await codeOf(user.secret, steps) })
        expect([steps, status]).toEqual([steps, 200])
        expect((await state(sessionOf({ status, body, headers: {} }))).status).toBe(200)
      }
      for (const steps of [-2, 2]) {
        const user = await guarded()
        backend.clock.advance(2 * STEP_MS)
        expect((await user.login({ totp_code: await codeOf(user.secret, steps) })).status).toBe(401)
      }
    })

    it('is taken once, on every instance, also when all come at once [AUTH-32]', async () => {
      const user = await guarded()
      const code = await codeOf(user.secret)
      // Fewer than the wrong codes after which the next has to wait, with the two below.
      const tries = Array.from({ length: 7 }, (_, index) => user.login({ totp_code: code }, index % 2 ? second : backend))
      const statuses = (await Promise.all(tries)).map(({ status }) => status).sort(ascending)
      expect(statuses).toEqual([200, ...Array(6).fill(401)])
      expect((await user.login({ totp_code: code })).status).toBe(401)
      // Nor an older one, that was never used.
      expect((await user.login({ totp_code: await codeOf(user.secret, -1) })).status).toBe(401)
      expect((await user.login({ totp_code: await codeOf(user.secret, 1) })).status).toBe(200)
    })

    it('is not the code that confirmed the set-up [AUTH-32]', async () => {
      const user = await person(backend, organization)
      const { secret } = (await post(user.as)).body
      const code = await codeOf(secret)
      await post(user.as, { code })
      expect((await user.login({ totp_code: code })).status).toBe(401)
    })

    it('may be typed with spaces', async () => {
      const user = await guarded()
      const code = await codeOf(user.secret)
      expect((await user.login({ totp_code: ` ${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200)
    })

    it('is refused when it is wrong, and asked for only after the right password', async () => {
      const user = await guarded()
      const totp_code = await wrongCode(user.secret)
      const wrong = await user.login({ totp_code })
      expect([wrong.status, wrong.body.error.code]).toEqual([401, 'unauthorized'])
      for (const more of [{}, { totp_code }, { totp_code: await codeOf(user.secret) }]) {
        const { status, body } = await user.login({ password: 'not the password', ...more })
        expect([status, body.error.code, body.error.message]).toEqual([
          401,
          'unauthorized',
          'The e-mail or the password is wrong.',
        ])
      }
      expect((await user.login({ totp_code: await codeOf(user.secret) })).status).toBe(200)
    })

    it('is each recovery code once, in capitals and without dashes too [AUTH-31, AUTH-32]', async () => {
      const user = await guarded()
      const [one = '', two = '', three = ''] = user.recoveryCodes
      expect((await user.login({ totp_code: one })).status).toBe(200)
      expect((await user.login({ totp_code: one })).status).toBe(401)
      expect((await user.login({ totp_code: two.toUpperCase().replaceAll('-', ' ') })).status).toBe(200)
      const statuses = (await Promise.all([1, 2, 3, 4].map(() => user.login({ totp_code: three })))).map(({ status }) => status)
      expect(statuses.sort(ascending)).toEqual([200, 401, 401, 401])
      expect((await state(user.as)).body.recovery_codes_left).toBe(7)
      const other = await guarded()
      expect((await other.login({ totp_code: user.recoveryCodes[4] })).status).toBe(401)
    })

    it('may be sent by who has none', async () => {
      const user = await person(backend, organization)
      expect((await user.login({ totp_code: '123456' })).status).toBe(200)
    })

    it.each([[7], [''], [null], ['1'.repeat(65)]])('refuses %j as a code and names it', async (totp_code) => {
      const user = await person(backend, organization)
      const { status, body } = await user.login({ totp_code })
      expect([status, body.error.details[0].path]).toEqual([400, 'totp_code'])
    })

    it('can be tried as often as a login, and no more', async () => {
      const limited = await startTestBackend({
        databaseUrl: backend.databaseUrl,
        clock: backend.clock,
        environment: { VEDETTE_RATE_LIMITS: 'auth=10' },
      })
      const user = await guarded()
      const totp_code = await wrongCode(user.secret)
      const statuses = []
      for (let count = 0; count < 12; count += 1) {
        const ip = `198.51.100.${count}`
        statuses.push(
          (await limited.call('POST', '/v1/auth/login', { body: { email: user.email, password: PASSWORD, totp_code }, ip }))
            .status,
        )
      }
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
      await limited.close()
    })
  })

  describe('removal', () => {
    it('takes a code, a recovery code or the password, and is written down [AUDIT-11, AUTH-30, WIRE-13]', async () => {
      const own = await backend.organization()
      const proofs = [
        async (user: Awaited<ReturnType<typeof guarded>>) => ({ code: await codeOf(user.secret) }),
        async (user: Awaited<ReturnType<typeof guarded>>) => ({ code: user.recoveryCodes[0] }),
        async () => ({ password: PASSWORD }),
      ]
      for (const proof of proofs) {
        const user = await guarded(own)
        const { status, body } = await remove(user.as, await proof(user))
        expect([status, body]).toEqual([204, undefined])
        expect((await state(user.as)).body).toEqual({ enabled: false, enabled_at: null, recovery_codes_left: 0 })
        expect((await user.login()).status).toBe(200)
      }
      expect((await actionsIn(backend, own)).map(({ action }) => action)).toEqual(
        proofs.flatMap(() => ['user.totp_enabled', 'user.totp_disabled']),
      )
    })

    it('is refused to who holds the session alone', async () => {
      const user = await guarded()
      for (const body of [{ code: await wrongCode(user.secret) }, { code: 'nonsense' }, { password: 'not the password' }]) {
        const answer = await remove(user.as, body)
        expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized'])
      }
      expect((await user.login()).body.error.code).toBe('totp_required')
    })

    it('is refused with a code that let somebody in already', async () => {
      const user = await guarded()
      const code = await codeOf(user.secret)
      await user.login({ totp_code: code })
      expect((await remove(user.as, { code })).status).toBe(401)
    })

    it.each([
      [{}, 'code'],
      [{ code: '123456', password: PASSWORD }, 'code'],
      [{ code: 1 }, 'code'],
      [{ password: '' }, 'password'],
      [{ force: true }, 'force'],
    ])('refuses %j and names the field', async (body, path) => {
      const user = await guarded()
      const answer = await remove(user.as, body)
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
    })

    it('is a 404 where there is nothing to remove', async () => {
      const user = await person(backend, organization)
      for (const body of [{ code: '123456' }, { password: PASSWORD }]) expect((await remove(user.as, body)).status).toBe(404)
    })
  })
})
