import { createHash, createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, TEST_SECRET, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function partsOf(token: string) {
  const [head = '', payload = ''] = token.split('.')
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  return { header: parse(head), claims: parse(payload) }
}

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

  it('lets its user in [AUTH-06]', async () => {
    expect(await statusWith(`Bearer ${token}`)).toBe(200)
    expect(await statusWith(`bearer ${token}`)).toBe(200)
  })

  it('is refused in every forged form [AUTH-11, ERROR-06]', async () => {
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

  it('is refused when a public key stands in for the secret, in each form in which one is written down [AUTH-11]', async () => {
    const { header, claims } = partsOf(token)
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const spki = publicKey.export({ type: 'spki', format: 'pem' })
    const shapes = [
      spki,
      publicKey.export({ type: 'pkcs1', format: 'pem' }),
      spki.trimEnd(),
      spki.replaceAll('\n', '\r\n'),
      JSON.stringify(publicKey.export({ format: 'jwk' })),
    ]
    for (const shape of shapes) {
      const kid = createHash('sha256').update(shape).digest('hex').slice(0, 8)
      for (const keyId of [header['kid'], kid]) {
        const text = `${encode({ ...header, kid: keyId })}.${encode(claims)}`
        const forged = `${text}.${createHmac('sha256', shape).update(text).digest('base64url')}`
        expect(await statusWith(`Bearer ${forged}`), shape.slice(0, 40)).toBe(401)
      }
    }
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256']) {
      const jwk = publicKey.export({ format: 'jwk' })
      for (const extra of [{}, { jwk }, { jku: 'http://127.0.0.1/keys' }, { x5c: [spki] }, { x5u: 'http://127.0.0.1/cert' }]) {
        const text = `${encode({ ...header, ...extra, alg })}.${encode(claims)}`
        const forged = `${text}.${signWith('sha256', Buffer.from(text), privateKey).toString('base64url')}`
        expect(await statusWith(`Bearer ${forged}`), alg).toBe(401)
      }
    }
  })

  it('is refused with every kid that points somewhere', async () => {
    const { header, claims } = partsOf(token)
    const kids = [
      '/dev/null',
      '../../../../dev/null',
      'file:///dev/null',
      "x' union select 'guess",
      '0',
      '',
      [],
      {},
      0,
      true,
      `${String(header['kid'])}\\0`,
    ]
    for (const kid of kids)
      for (const key of ['', 'guess', '\0'.repeat(32)]) {
        const text = `${encode({ ...header, kid })}.${encode(claims)}`
        const forged = `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
        expect(await statusWith(`Bearer ${forged}`), JSON.stringify(kid)).toBe(401)
      }
  })

  it('is refused when the right key signed it for another use, or leaves out what every token has [AUTH-11, AUTH-12, AUTH-13]', async () => {
    const { claims } = partsOf(token)
    // The key as the installation derives it: what an insider or a bug of ours could sign.
    const [key] = createSecrets([TEST_SECRET]).derive('session token')
    const signed = (header: object, payload: object) => {
      const text = `${encode(header)}.${encode(payload)}`
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    }
    const { header } = partsOf(token)
    expect(await statusWith(`Bearer ${signed(header, claims)}`)).toBe(200)
    const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name))
    const wrong = [
      ...['iss', 'aud', 'sub', 'jti', 'iat', 'exp'].map(without),
      { ...claims, iss: 'vedette2' },
      { ...claims, iss: ['vedette', 'other'] },
      { ...claims, aud: 'vedette' },
      { ...claims, aud: ['other'] },
      { ...claims, exp: 'tomorrow' },
      { ...claims, exp: null },
      { ...claims, exp: 1e300 },
      { ...claims, iat: 'now' },
      { ...claims, iat: -1 },
      { ...claims, nbf: 9_999_999_999 },
      { ...claims, sub: [claims['sub']] },
      { ...claims, jti: null },
    ]
    for (const payload of wrong) expect(await statusWith(`Bearer ${signed(header, payload)}`), JSON.stringify(payload)).toBe(401)
    for (const alg of ['none', 'HS384', 'hs256', 'RS256', ''])
      expect(await statusWith(`Bearer ${signed({ ...header, alg }, claims)}`), alg).toBe(401)
    expect(await statusWith(`Bearer ${signed({ ...header, crit: ['exp'] }, claims)}`)).toBe(401)
    expect(await statusWith(`Bearer ${signed(header, { ...claims, more: 'x'.repeat(7_000) })}`)).not.toBe(500)
  })

  it('is refused when another installation signed it, or a key of this one for another purpose [AUTH-13]', async () => {
    const { header, claims } = partsOf(token)
    const other = createSecrets(['the secret of another installation, also 32 bytes long'])
    const own = createSecrets([TEST_SECRET])
    const keys = [other.derive('session token')[0], own.derive('totp')[0], own.derive('set-up code')[0], Buffer.from(TEST_SECRET)]
    for (const key of keys) {
      const kid = createHash('sha256').update(key).digest('hex').slice(0, 8)
      for (const keyId of [header['kid'], kid]) {
        const text = `${encode({ ...header, kid: keyId })}.${encode(claims)}`
        const forged = `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
        expect(await statusWith(`Bearer ${forged}`)).toBe(401)
      }
    }
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

  it('ends after 12 hours [AUTH-08, AUTH-09]', async () => {
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
