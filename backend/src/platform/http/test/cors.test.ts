import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectPromises } from '../../../../test/fuzz/published-routes.ts'
import { type Answer, type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

const APP = 'https://app.example.com'
const LOCAL = 'http://localhost:5173'
const OTHERS = [
  'null',
  '*',
  '',
  'https://app.example.com.evil.example',
  'https://evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com/',
  'https://APP.example.com',
  'https://sub.app.example.com',
  `${APP}, https://evil.example`,
  `${APP} ${LOCAL}`,
  'undefined',
]
const QUESTION = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' }

/** Every header that has to do with it: that a file of the page comes compressed to who takes it so has not. */
const corsOf = ({ headers }: Answer) =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name, name === 'vary' ? String(value).replace(/(, )?accept-encoding/i, '') : value] as const)
      .filter(([name, value]) => /^(access-control-|vary$|timing-allow)/.test(name) && value !== ''),
  )

async function start(environment: Record<string, string>): Promise<{ backend: TestBackend; owner: Credentials }> {
  const backend = await startTestBackend({ environment })
  return { backend, owner: await backend.member(await backend.organization(), 'owner') }
}

describe('without VEDETTE_CORS_ORIGINS', () => {
  let backend: TestBackend
  let owner: Credentials
  beforeAll(async () => {
    ;({ backend, owner } = await start({}))
  })
  afterAll(() => backend.close())

  it.each([APP, 'http://127.0.0.1:8080', ...OTHERS])('no answer has a header of it, to the origin %j', async (origin) => {
    for (const url of ['/v1/servers', '/v1/nothing', '/v1/servers?x=1', '/', '/healthz', '/openapi.json']) {
      for (const [method, headers] of [
        ['GET', { origin }],
        ['OPTIONS', { origin, ...QUESTION }],
      ] as const) {
        expect(corsOf(await backend.call(method, url, { as: owner, headers })), `${method} ${url}`).toEqual({})
      }
    }
    const refused = await backend.call('OPTIONS', '/v1/servers', { headers: { origin, ...QUESTION } })
    expect([refused.status, refused.body.error.code]).toEqual([405, 'method_not_allowed'])
  })
})

describe('with VEDETTE_CORS_ORIGINS', () => {
  const EXPOSED =
    'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Retry-After, Location, ETag, Idempotent-Replayed, WWW-Authenticate'
  let backend: TestBackend
  let owner: Credentials
  beforeAll(async () => {
    ;({ backend, owner } = await start({ VEDETTE_CORS_ORIGINS: `${APP},${LOCAL}`, VEDETTE_RATE_LIMITS: 'read=40' }))
  })
  afterAll(() => backend.close())
  const call = (method: string, url: string, headers: Record<string, string>, as?: Credentials, ip = '198.51.100.1') =>
    backend.call(method, url, { headers, ip, ...(as ? { as } : {}) })

  it.each([APP, LOCAL])('a page of %s may read answers and refusals alike', async (origin) => {
    const granted = { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' }
    for (const [method, url, as, status] of [
      ['GET', '/v1/servers', owner, 200],
      ['GET', '/v1/servers', undefined, 401],
      ['GET', '/v1/servers?x=1', owner, 400],
      ['GET', '/v1/nothing', owner, 404],
      ['PUT', '/v1/servers', owner, 405],
      ['GET', '/v1/servers/%zz', owner, 400],
      ['GET', `/v1/servers/${'x'.repeat(9_000)}`, owner, 414],
      ['POST', '/v1/auth/login', undefined, 400],
    ] as const) {
      const answer = await call(method, url, { origin }, as)
      expect([answer.status, corsOf(answer)], `${method} ${url}`).toEqual([status, granted])
      expectPromises(answer)
    }
  })

  it('a preflight request is answered with the allowed methods and headers and with the limits', async () => {
    for (const [url, methods] of [
      ['/v1/servers', 'GET, HEAD'],
      ['/v1/servers/srv_x', 'DELETE, GET, HEAD, PATCH'],
      ['/v1/auth/login', 'POST'],
    ]) {
      const answer = await call('OPTIONS', url as string, { origin: APP, ...QUESTION })
      expect([answer.status, answer.body]).toEqual([204, undefined])
      expect(corsOf(answer)).toEqual({
        'access-control-allow-origin': APP,
        'access-control-expose-headers': EXPOSED,
        'access-control-allow-methods': methods,
        'access-control-allow-headers':
          'Authorization, X-API-Key, X-Organization-Id, Idempotency-Key, If-Match, If-None-Match, Content-Type, Last-Event-ID',
        'access-control-max-age': '7200',
        vary: 'Origin',
      })
      expectPromises(answer)
    }
  })

  it.each(OTHERS)('the origin %j is granted nothing', async (origin) => {
    for (const [method, headers, status] of [
      ['GET', {}, 200],
      ['OPTIONS', QUESTION, 405],
    ] as const) {
      const answer = await call(method, '/v1/servers', { origin, ...headers }, owner, '198.51.100.2')
      expect([answer.status, corsOf(answer)]).toEqual([status, { vary: 'Origin' }])
      expectPromises(answer)
    }
  })

  it('a request of no page is answered as ever, and pages outside the API grant nothing', async () => {
    expect(corsOf(await call('GET', '/v1/servers', {}, owner))).toEqual({ vary: 'Origin' })
    expect(corsOf(await call('OPTIONS', '/v1/servers', QUESTION))).toEqual({ vary: 'Origin' })
    expect((await call('OPTIONS', '/v1/servers', { origin: APP })).status).toBe(405)
    expect((await call('OPTIONS', '/v1/nothing', { origin: APP, ...QUESTION })).status).toBe(404)
    for (const url of ['/', '/healthz', '/openapi.json', '/docs', '/nothing'])
      expect(corsOf(await call('GET', url, { origin: APP })), url).toEqual({})
  })

  it('never lets a browser add cookies', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await call(method, '/v1/servers', { origin: APP, ...QUESTION }, undefined, '198.51.100.3')
      expect(headers).not.toHaveProperty('access-control-allow-credentials')
      expect(headers).not.toHaveProperty('set-cookie')
    }
  })

  it('preflight requests count as reads of the address and are refused beyond its limit', async () => {
    const preflight = () => call('OPTIONS', '/v1/servers', { origin: APP, ...QUESTION }, undefined, '198.51.100.4')
    for (let count = 39; count >= 0; count -= 1) {
      const { status, headers } = await preflight()
      expect([status, headers['x-ratelimit-remaining']]).toEqual([204, String(count)])
    }
    const answer = await preflight()
    expect([answer.status, answer.body.error.code]).toEqual([429, 'rate_limited'])
    expect(corsOf(answer)['access-control-allow-origin']).toBe(APP)
  })
})
