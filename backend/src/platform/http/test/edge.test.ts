import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from '../../../../test/answer.ts'
import { type Answer, type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

function expectEnvelope(answer: Pick<Answer, 'headers' | 'body'>, code: string): void {
  expect(answer.body.error).toMatchObject({ code, message: expect.stringMatching(/\w/) })
  expect(answer.body.error.request_id).toBe(answer.headers['x-request-id'])
  for (const name of LIMIT_HEADERS) expect(String(answer.headers[name]), name).toMatch(/^\d+$/)
}

describe('the HTTP server', () => {
  let backend: TestBackend
  let viewer: Credentials
  let agent: Credentials
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_RATE_LIMITS: 'auth=1000,read=100000,write=100000,agent=100000' } })
    const organization = await backend.organization()
    viewer = await backend.member(organization, 'viewer')
    agent = (await backend.server(organization)).as
    await backend.listen()
  })
  afterAll(() => backend.close())

  async function expectRefusal(method: string, url: string, status: number, code: string) {
    const answer = await backend.call(method, url, { as: viewer })
    expect(answer.status).toBe(status)
    expectEnvelope(answer, code)
  }

  it.each([
    ['GET', '/v1/nothing', 404, 'not_found'],
    ['GET', '/nothing', 404, 'not_found'],
    ['GET', '/v1/servers/', 404, 'not_found'],
    ['GET', '/v1//servers', 404, 'not_found'],
    ['GET', '/V1/servers', 404, 'not_found'],
  ])('answers %s %s, an unknown path, with %s %s in the envelope, with the limits [ERROR-01, ERROR-03, LIMIT-10]', expectRefusal)

  it.each([
    ['PUT', '/v1/servers', 405, 'method_not_allowed'],
    ['OPTIONS', '/v1/servers', 405, 'method_not_allowed'],
    ['DELETE', '/v1/auth/login', 405, 'method_not_allowed'],
  ])('answers %s %s, a method that the path does not support, with %s %s in the envelope [ERROR-11]', expectRefusal)

  it.each([
    ['GET', '/v1/servers/%zz', 400, 'validation_error'],
    ['GET', '/%', 400, 'validation_error'],
    ['GET', `/v1/servers/${'x'.repeat(9_000)}`, 414, 'uri_too_long'],
  ])('answers %s %s, a malformed or too long URL, with %s %s in the envelope [ERROR-05, ERROR-20]', expectRefusal)

  it.each([
    ['GET', `/v1/servers/${'x'.repeat(8_000)}`, 404, 'not_found'],
    ['GET', '/v1/servers/%00', 404, 'not_found'],
    ['GET', '/v1/servers/srv_01h455vb4pex5vsknk084sn02q', 404, 'not_found'],
    ['GET', '/v1/servers/SRV_01H455VB4PEX5VSKNK084SN02Q', 404, 'not_found'],
    ['GET', '/v1/servers/mon_01h455vb4pex5vsknk084sn02q', 404, 'not_found'],
    ['GET', '/v1/servers/srv_81h455vb4pex5vsknk084sn02q', 404, 'not_found'],
  ])('answers %s %s, an unknown or malformed id, with %s %s in the envelope [ERROR-09, WIRE-07, WIRE-08]', expectRefusal)

  it.each([
    ['GET', '/v1/servers?page=0', 400, 'validation_error'],
    ['GET', '/v1/servers?page=99999999999999999999', 400, 'validation_error'],
    ['GET', '/v1/servers?page=1e999', 400, 'validation_error'],
    ['GET', '/v1/servers?page=1.5', 400, 'validation_error'],
    ['GET', '/v1/servers?page=', 400, 'validation_error'],
    ['GET', '/v1/servers?limit=101', 400, 'validation_error'],
    ['GET', '/v1/servers?limit=-1', 400, 'validation_error'],
  ])('answers %s %s, a page or limit out of range, with %s %s in the envelope [LIST-03, LIST-04]', expectRefusal)

  it.each([
    ['GET', '/v1/servers?page=1&page=2', 400, 'validation_error'],
    ['GET', '/v1/servers?statuss=online', 400, 'validation_error'],
    ['GET', '/v1/servers?status=up', 400, 'validation_error'],
    ['GET', '/v1/servers?status=online&status=offline', 400, 'validation_error'],
    ['GET', '/v1/servers?sort=id', 400, 'validation_error'],
    ['GET', '/v1/servers?q=%00', 400, 'validation_error'],
    ['GET', '/v1/servers?q=%ff', 400, 'validation_error'],
    ['GET', '/v1/servers?q=%zz', 400, 'validation_error'],
    ['GET', '/v1/setup?x=1', 400, 'validation_error'],
  ])('answers %s %s, an unknown, repeated or invalid parameter, with %s %s in the envelope [WIRE-15, WIRE-16]', expectRefusal)

  it('names the methods that a path takes', async () => {
    const { headers } = await backend.call('PUT', '/v1/servers', { as: viewer })
    expect(headers['allow']).toBe('GET, HEAD')
  })

  it('names the query parameter that is wrong [ERROR-02, WIRE-15]', async () => {
    const { body } = await backend.call('GET', '/v1/servers?limit=101', { as: viewer })
    expect(body.error.details).toEqual([{ path: 'limit', message: 'must be at most 100 (sent 101)' }])
    const typo = await backend.call('GET', '/v1/servers?statuss=online', { as: viewer })
    expect(typo.body.error.details[0].path).toBe('statuss')
  })

  it('carries the limits on success and outside /v1 too, and counts only below /v1 [LIMIT-10, LIMIT-11]', async () => {
    const remaining = async (url: string) => {
      const { headers } = await backend.call('GET', url, { as: viewer, ip: '198.51.100.200' })
      for (const name of LIMIT_HEADERS) expect(String(headers[name]), `${url} ${name}`).toMatch(/^\d+$/)
      return Number(headers['x-ratelimit-remaining'])
    }
    const before = await remaining('/v1/servers')
    expect(await remaining('/v1/servers')).toBe(before - 1)
    for (const url of ['/healthz', '/readyz', '/', '/icon.svg', '/openapi.json', '/docs']) await remaining(url)
    expect(await remaining('/v1/servers')).toBe(before - 2)
  })

  const raw = (text: string | Buffer, headers: Record<string, string> = {}) =>
    backend.call('POST', '/v1/agent/metrics', { as: agent, body: text, headers })

  it.each([
    ['{"a":', {}, 400, 'validation_error'],
    ['{"__proto__":{"admin":true}}', {}, 400, 'validation_error'],
    ['{"constructor":{"prototype":{"admin":true}}}', {}, 400, 'validation_error'],
    ['null', {}, 400, 'validation_error'],
    ['[]', {}, 400, 'validation_error'],
    ['"text"', {}, 400, 'validation_error'],
    ['[['.repeat(100_000), {}, 400, 'validation_error'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, {}, 400, 'validation_error'],
    ['a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['<a/>', { 'content-type': 'text/xml' }, 415, 'unsupported_media_type'],
    ['{}', { 'content-type': 'nonsense' }, 415, 'unsupported_media_type'],
    [`"${'x'.repeat(1_048_576)}"`, {}, 413, 'payload_too_large'],
    ['{}', { 'content-encoding': 'br' }, 415, 'unsupported_media_type'],
    ['{}', { 'content-encoding': 'deflate' }, 415, 'unsupported_media_type'],
    ['{}', { 'content-encoding': 'gzip' }, 400, 'validation_error'],
    [Buffer.from('{"a":"\xff"}', 'latin1'), {}, 400, 'validation_error'],
    [Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'), {}, 400, 'validation_error'],
    [gzipSync(Buffer.from('{"a":"\xff"}', 'latin1')), { 'content-encoding': 'gzip' }, 400, 'validation_error'],
  ])('answers the body %s with %j: %s %s [ERROR-04, ERROR-14, ERROR-15]', async (text, headers, status, code) => {
    const answer = await raw(text, headers)
    expect(answer.status).toBe(status)
    expectEnvelope(answer, code)
  })

  it.each([
    ['a field', '/v1/auth/login', `{"email":"a","password":"b","${'k'.repeat(100_000)}":1}`],
    ['depth', '/v1/setup', `{"code":${'['.repeat(100_000)}"\\u0000"${']'.repeat(100_000)}}`],
    ['a query parameter', `/v1/setup?${'k'.repeat(8_000)}=1`, '{}'],
  ])('does not repeat the length of %s that it refuses', async (_, url, body) => {
    const answer = await backend.call('POST', url, { body })
    expect(answer.status).toBe(400)
    expectEnvelope(answer, 'validation_error')
    expect(JSON.stringify(answer.body).length).toBeLessThan(2_000)
  })

  it('does not inflate a body beyond the limit, and accepts gzip only for pushes [PUSH-14]', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const answer = await raw(bomb, { 'content-encoding': 'gzip' })
    expect(answer.status).toBe(413)
    expectEnvelope(answer, 'payload_too_large')
    const login = await backend.call('POST', '/v1/auth/login', { body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } })
    expect(login.status).toBe(415)
  })

  /** What a raw connection is answered until it is closed. */
  function exchange(text: string): Promise<string> {
    const { port } = backend.vedette.app.server.address() as AddressInfo
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.on('error', reject)
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    })
  }

  it.each([
    ['nonsense\r\n\r\n', 400, 'validation_error'],
    ['GET / HTTP/9.9\r\n\r\n', 400, 'validation_error'],
    [`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['POST /v1/setup HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n', 400, 'validation_error'],
    ['POST /v1/setup HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n', 400, 'validation_error'],
    ['GET /v1/setup HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'validation_error'],
    ['GET /v1/setup HTTP/1.1\r\nHost: a\r\nhOsT: b\r\nConnection: close\r\n\r\n', 400, 'validation_error'],
    ['GET /v1/setup HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n', 400, 'validation_error'],
    ['GET /v1/servers HTTP/1.1\r\nHost: a\r\nExpect: nonsense\r\nConnection: close\r\n\r\n', 401, 'unauthorized'],
    ['CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'validation_error'],
    ['GET http://a/v1/servers HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 401, 'unauthorized'],
  ])(
    'answers malformed requests (%j) in the envelope, with the limits [ERROR-21, ERROR-22, ERROR-23]',
    async (text, status, code) => {
      const answer = await exchange(text)
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      const [statusLine = '', ...lines] = head.split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => line.split(': ')).map(([name = '', value]) => [name.toLowerCase(), value]),
      )
      expect(statusLine).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expectEnvelope({ headers, body: JSON.parse(body) }, code)
    },
  )

  it.each(['/%76%31/servers', '/v%31/servers'])('requires credentials under the spelling %s too', async (url) => {
    const answer = await backend.call('GET', url)
    expect(answer.status).toBe(401)
    expectEnvelope(answer, 'unauthorized')
    expect((await backend.call('GET', url, { as: viewer })).status).toBe(200)
  })

  it('takes no body for an empty one wherever each of its fields is optional, but for a change', async () => {
    const { body: document } = await backend.call('GET', '/openapi.json')
    const schemaOf = ({ $ref = '' }: { $ref?: string }) => document.components.schemas[$ref.split('/').at(-1) ?? '']
    const operations = Object.entries<Record<string, Loose>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) => {
        const schema = requestBody && schemaOf(requestBody.content['application/json']?.schema ?? {})
        return schema?.type === 'object' && !schema.required?.length && !schema.minProperties ? [[method, path] as const] : []
      }),
    )
    const owner = await backend.member(await backend.organization(), 'owner')
    const answers = operations.map(async ([method, path]) => {
      const { status, body } = await backend.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), { as: owner })
      return [method, path, status === 400 && body.error.details[0].path === ''] as const
    })
    const refused = (await Promise.all(answers)).filter(([, , isRefused]) => isRefused)
    expect(operations.length).toBeGreaterThan(8)
    expect(refused.filter(([method]) => method !== 'patch')).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
  })

  it('counts every spelling of a path in one group', async () => {
    const remaining = async (url: string) =>
      Number((await backend.call('POST', url, { body: {}, ip: '198.51.100.88' })).headers['x-ratelimit-remaining'])
    const first = await remaining('/v1/auth/login')
    expect(await remaining('/%76%31/auth/login')).toBe(first - 1)
  })

  it('counts by the address of the connection: X-Forwarded-For is only trusted from configured proxies [LIMIT-17]', async () => {
    const remaining = async (headers: Record<string, string>) =>
      Number((await backend.call('GET', '/v1/nothing', { headers, ip: '198.51.100.77' })).headers['x-ratelimit-remaining'])
    const first = await remaining({})
    expect(await remaining({ 'x-forwarded-for': '203.0.113.1' })).toBe(first - 1)
    expect(await remaining({ 'x-forwarded-for': '203.0.113.2', 'x-real-ip': '203.0.113.3', forwarded: 'for=203.0.113.4' })).toBe(
      first - 2,
    )
  })
})

describe('a backend behind one trusted proxy', () => {
  it('counts the address that the proxy saw, not the one that the client claims [LIMIT-18]', async () => {
    const backend = await startTestBackend({
      environment: { VEDETTE_TRUST_PROXY: '1', VEDETTE_RATE_LIMITS: 'auth=10,read=100,write=30,agent=1000' },
    })
    const remaining = async (forwarded: string) =>
      Number(
        (await backend.call('GET', '/v1/nothing', { headers: { 'x-forwarded-for': forwarded } })).headers[
          'x-ratelimit-remaining'
        ],
      )
    expect(await remaining('203.0.113.1')).toBe(99)
    expect(await remaining('9.9.9.9, 203.0.113.1')).toBe(98)
    expect(await remaining('203.0.113.2')).toBe(99)
    await backend.close()
  })
})

describe('what anybody may ask for outside the API', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_RATE_LIMITS: 'auth=10,read=3,write=30,agent=1000' } })
  })
  afterAll(() => backend.close())

  it.each([
    ['/readyz', 200, 1],
    ['/openapi.json', 200, 2],
    ['/docs/', 200, 3],
    ['/calendars/vdt_cal_x', 404, 4],
    ['/chat-actions/slack/chn_x', 405, 5],
  ])('%s has the limit of reads, for each address, apart from the API [LIMIT-11]', async (url, expected, number) => {
    const [ip, another] = [`192.0.2.${number}`, `198.51.100.${number}`]
    const status = async (path: string, from: string) => (await backend.call('GET', path, { ip: from })).status
    const answers = [await status(url, ip), await status(url, ip), await status(url, ip)]
    expect(answers).toEqual([expected, expected, expected])
    const refused = await backend.call('GET', url, { ip })
    expectEnvelope(refused, 'rate_limited')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect([await status(url, another), await status('/healthz', ip), await status('/v1/servers', ip)]).toEqual([
      expected,
      200,
      401,
    ])
  })

  it('security.txt names the contact of the setting, and is a 404 without it', async () => {
    expect((await backend.call('GET', '/.well-known/security.txt', { ip: '192.0.2.6' })).status).toBe(404)
    const named = await startTestBackend({ environment: { VEDETTE_SECURITY_CONTACT: 'mailto:security@example.com' } })
    const { headers, body } = await named.call('GET', '/.well-known/security.txt')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    const expires =
      /^Contact: mailto:security@example\.com\nExpires: (\S+Z)\nPreferred-Languages: en\n$/.exec(String(body))?.[1] ?? ''
    const days = (Date.parse(expires) - named.clock.now()) / 86_400_000
    expect(days).toBeGreaterThan(80)
    expect(days).toBeLessThan(366)
    await named.close()
  })
})
