import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { createUser, hashPassword } from '../index.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'a long and rare passphrase'

describe('POST /v1/auth/login', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_RATE_LIMITS: 'auth=10,read=100,write=30,agent=1000' } })
    await createUser(backend.pool.db, backend.clock, EMAIL, await hashPassword(PASSWORD))
  })
  afterAll(() => backend.close())

  let nextIp = 1
  const login = (body: unknown, ip = `198.51.100.${nextIp++}`) => backend.call('POST', '/v1/auth/login', { body, ip })

  it('answers a token and when it expires, and nothing else [AUTH-01, AUTH-02, AUTH-09]', async () => {
    const { status, body } = await login({ email: EMAIL, password: PASSWORD })
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['expires_at', 'token'])
    expect(body.expires_at).toBe('2026-11-21T06:07:10.000Z')
  })

  it('takes the e-mail in any capitals and the password in any composition [AUTH-19]', async () => {
    await createUser(backend.pool.db, backend.clock, 'zoe@example.com', await hashPassword('zoë\u0308 and the caf\u0065\u0301'))
    expect((await login({ email: 'ZOE@Example.com', password: 'zoë\u0308 and the caf\u00e9' })).status).toBe(200)
  })

  it.each([
    [{ email: EMAIL }, 'password'],
    [{ password: PASSWORD }, 'email'],
    [{ email: 7, password: PASSWORD }, 'email'],
    [{ email: EMAIL, password: null }, 'password'],
    [{ email: EMAIL, password: PASSWORD, session: true }, 'session'],
    [{ email: `${EMAIL}\0`, password: PASSWORD }, 'email'],
    [{ email: `${EMAIL}\ud800`, password: PASSWORD }, 'email'],
    [{ email: EMAIL, password: 'x'.repeat(1025) }, 'password'],
  ])('refuses %j and names the field [ERROR-02, WIRE-14]', async (given, path) => {
    const { status, body } = await login(given)
    expect(status).toBe(400)
    expect(body.error.code).toBe('validation_error')
    expect(body.error.details[0].path).toBe(path)
  })

  it('answers an unknown e-mail and a wrong password alike [AUTH-03]', async () => {
    const unknown = await login({ email: 'nobody@example.com', password: PASSWORD })
    const wrong = await login({ email: EMAIL, password: `${PASSWORD}!` })
    expect(unknown.status).toBe(401)
    expect(wrong.status).toBe(401)
    const { request_id: _one, ...first } = unknown.body.error
    const { request_id: _two, ...second } = wrong.body.error
    expect(first).toEqual(second)
    expect(first.code).toBe('unauthorized')
  })

  it('lets an address try ten times a minute [ERROR-16, LIMIT-06, LIMIT-08]', async () => {
    const tries = []
    for (let count = 0; count < 11; count += 1)
      tries.push(await login({ email: `try${count}@example.com`, password: 'wrong' }, '203.0.113.7'))
    expect(tries.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429])
    const last = tries[10]
    expect(last?.body.error.code).toBe('rate_limited')
    expect(last?.headers['retry-after']).toBe('50')
    expect(last?.headers['x-ratelimit-remaining']).toBe('0')
    backend.clock.advance(60_000)
    expect((await login({ email: EMAIL, password: PASSWORD }, '203.0.113.7')).status).toBe(200)
  })

  it('lets the addresses of one /56 of IPv6 try ten times a minute together [LIMIT-31]', async () => {
    const attempt = (count: number, ip: string) => login({ email: `six${count}@example.com`, password: 'wrong' }, ip)
    const statuses = []
    for (let count = 0; count < 10; count += 1) statuses.push((await attempt(count, `2001:db8:0:1${count}0::${count}`)).status)
    expect(statuses).toEqual(Array(10).fill(401))
    expect((await attempt(10, '2001:db8:0:1ff::1')).status).toBe(429)
    expect((await attempt(11, '2001:db8:0:200::1')).status).toBe(401)
  })

  it('lets an e-mail be tried ten times a minute, from however many addresses [LIMIT-16, LIMIT-32]', async () => {
    const answers = []
    for (let count = 0; count < 12; count += 1)
      answers.push(await login({ email: 'Eve@example.com', password: 'wrong' }, `198.51.100.${count}`))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429])
    expect(answers.slice(10).map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['0', '0'])
  })

  it('keeps the password as argon2id of the current parameters only [AUTH-21]', async () => {
    const row = await backend.pool.db
      .selectFrom('app_user')
      .select('password_hash')
      .where('email', '=', EMAIL)
      .executeTakeFirstOrThrow()
    expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })
})
