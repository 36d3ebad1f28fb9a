import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../test/harness.ts'

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('session tokens', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let token: string
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    token = (await backend.member(organization, 'owner')).authorization.slice('Bearer '.length)
  })
  afterAll(() => backend.close())

  const statusWith = async (authorization: string) => (await backend.call('GET', '/v1/servers', { as: { authorization } })).status

  it('lets its user in', async () => {
    expect(await statusWith(`Bearer ${token}`)).toBe(200)
    expect(await statusWith(`bearer ${token}`)).toBe(200)
  })

  it('is refused in every forged form', async () => {
    const [head, payload, signature] = token.split('.') as [string, string, string]
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
    const signed = (h: object, c: object, key = 'guess') => {
      const text = `${encode(h)}.${encode(c)}`
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    }
    const forged = [
      `${encode({ ...header, alg: 'none' })}.${payload}.`,
      `${encode({ ...header, alg: 'None' })}.${payload}.${signature}`,
      `${encode({ ...header, alg: 'HS512' })}.${payload}.${signature}`,
      `${encode({ ...header, alg: 'RS256' })}.${payload}.${signature}`,
      signed(header, claims),
      signed(header, claims, ''),
      signed({ ...header, kid: '../../dev/null' }, claims, ''),
      signed({ ...header, kid: null }, claims),
      signed({ alg: 'HS256', typ: 'JWT' }, claims),
      signed({ ...header, jwk: { kty: 'oct', k: 'Z3Vlc3M' } }, claims),
      signed({ ...header, jku: 'http://127.0.0.1/keys' }, claims),
      `${head}.${encode({ ...claims, sub: '00000000-0000-7000-8000-000000000000' })}.${signature}`,
      `${head}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      `${head}.${payload}.${signature}x`,
      `${head}.${payload}`,
      `${head}.${payload}.`,
      `.${payload}.${signature}`,
      `${token}.${token}`,
      'x'.repeat(8_000),
      `${encode([1])}.${encode([1])}.AAAA`,
      `${encode({ ...header, crit: ['b64'], b64: false })}.${payload}.${signature}`,
    ]
    for (const one of forged) expect(await statusWith(`Bearer ${one}`), one.slice(0, 80)).toBe(401)
    for (const one of [token, `Basic ${token}`, `Bearer  ${token}`, 'Bearer', ''])
      expect(await statusWith(one), one.slice(0, 20)).toBe(401)
  })

  it('is refused when its own key signed something that no login gives', async () => {
    const { sign } = backend.vedette.tokens
    const nowSeconds = Math.floor(backend.clock.now() / 1000)
    const row = await backend.pool.db.selectFrom('session').select(['id', 'user_id']).executeTakeFirstOrThrow()
    const good = { sub: row.user_id, jti: row.id, iat: nowSeconds, exp: nowSeconds + 43_200 }
    expect(await statusWith(`Bearer ${sign(good)}`)).toBe(200)
    const wrong = [
      { ...good, iat: nowSeconds + 3_600, exp: nowSeconds + 7_200 },
      { ...good, exp: nowSeconds - 1 },
      { ...good, exp: nowSeconds + 10 * 43_200 },
      { ...good, sub: 'nobody' },
      { ...good, sub: '00000000-0000-7000-8000-000000000000' },
      { ...good, jti: "' or 1=1" },
    ]
    for (const claims of wrong) expect(await statusWith(`Bearer ${sign(claims)}`), JSON.stringify(claims)).toBe(401)
  })

  it('ends after 12 hours', async () => {
    const other = await backend.member(organization, 'viewer')
    backend.clock.advance(12 * 3_600_000 - 11_000)
    expect((await backend.call('GET', '/v1/servers', { as: other })).status).toBe(200)
    backend.clock.advance(11_000)
    const { status, body } = await backend.call('GET', '/v1/servers', { as: other })
    expect([status, body.error.code]).toEqual([401, 'unauthorized'])
  })

  it('ends with its session, at the next request', async () => {
    const other = await backend.member(organization, 'viewer')
    expect((await backend.call('GET', '/v1/servers', { as: other })).status).toBe(200)
    await backend.pool.db
      .updateTable('session')
      .set({ ended_at: new Date(backend.clock.now()) })
      .where('user_id', '=', other.userId)
      .execute()
    expect((await backend.call('GET', '/v1/servers', { as: other })).status).toBe(401)
  })
})
