import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { Assertion, CheckResult, DefinitionOf } from '@vedette/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createProber, type Prober } from '../index.ts'
import { answerOf, define, readRequest, startAnswering, startTarget, type Target, unhindered } from './targets.ts'

let prober: Prober
const targets: Target[] = []
const open = async (target: Promise<Target>) => {
  targets.push(await target)
  return targets.at(-1) as Target
}
const check = (url: string, change: Partial<DefinitionOf<'http'>> = {}) => prober.check(define(url, change))
const bodyIs = (value: string): Assertion[] => [{ type: 'body', operator: 'contains', value }]

beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()))
})
afterAll(() => prober.close())

/** The phases add up, and those that were not gone through are null. */
function expectPhases(result: CheckResult): void {
  const phases = [result.dns_ms, result.connect_ms, result.tls_ms, result.first_byte_ms, result.transfer_ms]
  const sum = phases.reduce<number>((total, phase) => total + (phase ?? 0), 0)
  expect(result.response_ms).toBeCloseTo(sum, 6)
  for (const phase of phases) expect(phase === null || phase >= 0).toBe(true)
}

describe('a request', () => {
  test('contains what the definition says and closes its connection [CHECK-02]', async () => {
    let seen = ''
    const target = await open(startAnswering((request) => ((seen = request), answerOf('ok'))))
    const headers = { 'X-Check': 'caf\u00e9', 'user-agent': 'mine' }
    const result = await check(`${target.url}/a%20b?c=d#e`, { method: 'POST', headers, body: 'grüße' })
    expect(result).toMatchObject({ outcome: 'up', status_code: 200, error: null, http_version: '1.1', address: '127.0.0.1' })
    expectPhases(result)
    expect(result).toMatchObject({ dns_ms: null, tls_ms: null, certificate: null })
    const [head = '', body] = seen.split('\r\n\r\n')
    expect(head.split('\r\n')).toEqual([
      'POST /a%20b?c=d HTTP/1.1',
      `Host: 127.0.0.1:${target.port}`,
      'Accept: */*',
      'Accept-Encoding: gzip, deflate, br, zstd',
      'X-Check: caf\u00e9',
      'user-agent: mine',
      'Content-Length: 7',
      'Connection: close',
    ])
    expect(body).toBe(Buffer.from('grüße').toString('latin1'))
  })

  test.each(['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('may be a %s', async (method) => {
    let seen = ''
    const target = await open(startAnswering((request) => ((seen = request), 'HTTP/1.1 204 No Content\r\n\r\n')))
    expect(await check(target.url, { method })).toMatchObject({ outcome: 'up', status_code: 204 })
    expect(seen.startsWith(`${method} / HTTP/1.1\r\n`)).toBe(true)
    expect(seen.includes('Content-Length: 0')).toBe(method === 'PUT' || method === 'PATCH')
  })

  test('that fails keeps an excerpt of the response, one that passes does not [INCIDENT-08]', async () => {
    const answers = new Map([
      ['/sick', `HTTP/1.1 503 Out of order\r\nContent-Length: 21\r\n\r\nkey abcdef is unknown`],
      ['/cut', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
      ['/mute', ''],
    ])
    const target = await open(startAnswering((request) => answers.get(/ (\/\w*)/.exec(request)?.[1] ?? '') ?? answerOf('ok')))
    const headers = { 'X-Key': 'abcdef' }
    const answerTo = async (path: string, change = {}) => (await check(`${target.url}${path}`, { headers, ...change })).answer
    expect(await answerTo('/sick')).toEqual({ status_line: 'HTTP/1.1 503 Out of order', body: 'key ••• is unknown' })
    expect(await answerTo('/fine', { assertions: bodyIs('more') })).toEqual({ status_line: 'HTTP/1.1 200 OK', body: 'ok' })
    expect(await answerTo('/cut')).toEqual({ status_line: 'HTTP/1.1 200 OK', body: null })
    expect(await answerTo('/mute')).toBeUndefined()
    expect(await answerTo('/fine')).toBeUndefined()
  })

  test('uses a new connection each time [CHECK-01]', async () => {
    const target = await open(
      startTarget((socket) => readRequest(socket, () => socket.write(answerOf('ok', 'Connection: keep-alive\r\n')))),
    )
    for (let times = 0; times < 3; times++) expect((await check(target.url)).outcome).toBe('up')
    expect(target.connections).toBe(3)
  })

  test('sends the Host header of the definition', async () => {
    let seen = ''
    const target = await open(startAnswering((request) => ((seen = request), answerOf('ok'))))
    await check(target.url, { headers: { host: 'other.example' } })
    expect(seen.match(/host: .*/gi)).toEqual(['Host: other.example'])
  })
})

describe('a response', () => {
  const chunked = (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`

  test.each([
    ['with a length', answerOf('hello')],
    ['up to the end of the connection', 'HTTP/1.1 200 OK\r\n\r\nhello'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nhello'],
    ['in chunks', chunked('2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n')],
    ['in chunks with extensions and trailers', chunked('2;a=b;c="d"\r\nhe\r\n003 \r\nllo\r\n0;x\r\nTrailer: x\r\nB: y\r\n\r\n')],
    ['in chunks with bare line feeds', chunked('5\nhello\n0\n\n')],
    ['with bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello'],
    ['without a reason', 'HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello'],
    ['with a folded field', 'HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length:\t5 \r\n\r\nhello'],
    ['with lines that are no field', 'HTTP/1.1 200 OK\r\nnonsense\r\nX Y: z\r\nContent-Length: 5\r\n\r\nhello'],
    ['with its length twice', answerOf('hello', 'Content-Length: 5\r\n')],
    ['with a length that chunks overrule', chunked('5\r\nhello\r\n0\r\n\r\n').replace('\r\n', '\r\nContent-Length: 3\r\n')],
    ['behind interim ones', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${answerOf('hello')}`],
    ['with more than its length', `${answerOf('hello')} and what else`],
  ])('%s is read, in one piece and byte by byte', async (_name, answer) => {
    const whole = await open(startAnswering(answer))
    expect(await check(whole.url, { assertions: bodyIs('hello') })).toMatchObject({ outcome: 'up', error: null })
    const dripping = await open(startTarget((socket) => readRequest(socket, () => drip(socket, answer))))
    const result = await check(dripping.url, { assertions: bodyIs('hello') })
    expect(result).toMatchObject({ outcome: 'up', error: null })
    expectPhases(result)
  })

  test('of HTTP/1.0 is reported with that version', async () => {
    const target = await open(startAnswering('HTTP/1.0 200 OK\r\n\r\n'))
    expect((await check(target.url)).http_version).toBe('1.0')
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['GZIP, br', (body: Buffer) => brotliCompressSync(gzipSync(body))],
    ['identity', (body: Buffer) => body],
    ['unheard-of', (body: Buffer) => body],
  ])('in %s is decompressed, small and large', async (coding, pack) => {
    for (const size of [10, 300_000]) {
      const text = `${'random words '.repeat(size / 10)}the end`
      const body = pack(Buffer.from(text))
      const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`
      const target = await open(startAnswering(Buffer.concat([Buffer.from(head), body])))
      expect(await check(target.url, { assertions: bodyIs('the end') })).toMatchObject({ outcome: 'up', error: null })
    }
  })

  test('to HEAD has no body, whatever its headers say', async () => {
    const target = await open(startAnswering('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nContent-Encoding: gzip\r\n\r\n'))
    expect(await check(target.url, { method: 'HEAD' })).toMatchObject({ outcome: 'up', transfer_ms: 0 })
  })

  test('is evaluated by the assertions', async () => {
    const target = await open(startAnswering(answerOf('{"status":"slow"}', 'X-Version: 7\r\n')))
    const assertions: Assertion[] = [
      { type: 'status_code', operator: 'equals', value: 200 },
      { type: 'header', operator: 'greater_than', property: 'x-version', value: 6 },
      { type: 'json_path', operator: 'equals', property: '$.status', value: 'ok' },
    ]
    const result = await check(target.url, { assertions })
    expect(result.outcome).toBe('down')
    expect(result.error).toEqual({ code: 'assertion', message: 'JSON path $.status is "slow" (expected "ok")' })
    expect(result.response_ms).not.toBeNull()
    const degraded = await check(target.url, { assertions: [{ type: 'response_time', operator: 'less_than', value: 0 }] })
    expect(degraded).toMatchObject({ outcome: 'degraded', error: { code: 'assertion' } })
  })
})

describe('a radio stream', () => {
  /** Sends a head and then music, without an end. */
  const play = (head: string) =>
    open(
      startTarget((socket) => {
        readRequest(socket, () => {
          socket.write(`${head}\r\n\r\n`)
          const more = setInterval(() => socket.write('music'), 20)
          socket.on('close', () => clearInterval(more))
        })
      }),
    )

  test.each([
    ['ICY 200 OK\r\nicy-notice1:<BR>This stream\r\nicy-br:128', '1.0'],
    ['ICY 200 OK\r\nContent-Type: audio/mpeg', '1.0'],
    ['HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Radio', '1.0'],
    ['HTTP/1.1 200 OK\r\nicy-name: Radio\r\nTransfer-Encoding: chunked', '1.1'],
  ])('that begins with %j is up by its head', async (head, version) => {
    const target = await play(head)
    expect(await check(target.url)).toMatchObject({ outcome: 'up', status_code: 200, http_version: version, error: null })
  })

  test('that is refused is down with its status', async () => {
    const target = await open(startAnswering('ICY 404 Resource Not Found\r\nicy-notice1:<BR>none\r\n\r\n'))
    expect(await check(target.url)).toMatchObject({ outcome: 'down', status_code: 404, error: { code: 'status' } })
  })

  test.each(['ICY\r\n\r\n', 'ICY 20 OK\r\n\r\n', 'ICYX 200 OK\r\n\r\n', 'ICE 200 OK\r\n\r\n'])('is not %j', async (bytes) => {
    const target = await open(startAnswering(bytes))
    expect(await check(target.url)).toMatchObject({ outcome: 'down', error: { code: 'protocol' } })
  })
})

describe('a field that is repeated', () => {
  const END = 'Content-Length: 0\r\n\r\n'

  test.each([
    ['Location', 'HTTP/1.1 302 X\r\nLocation: /in\r\nLocation: /in\r\n'],
    ['Location in other letters, behind others', 'HTTP/1.1 301 X\r\nlocation: /in\r\nX: y\r\nX: z\r\nLOCATION:   /in\r\n'],
    ['Location, in two lines each', 'HTTP/1.1 308 X\r\nLocation:\r\n /in\r\nLocation:\r\n /in\r\n'],
  ])('as it is counts once: %s', async (_, head) => {
    const target = await open(
      startAnswering((request) =>
        request.startsWith('GET / ') ? head + END : request.startsWith('GET /in ') ? answerOf('ok') : '',
      ),
    )
    expect(await check(target.url)).toMatchObject({ outcome: 'up', status_code: 200, error: null })
  })

  test.each([
    ['Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n', gzipSync('hello')],
    ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', Buffer.from('5\r\nhello\r\n0\r\n\r\n')],
    ['Content-Length: 5\r\nContent-Length: 5\r\n', Buffer.from('hello')],
    ['Content-Type: text/html; charset=utf-8\r\nContent-Type: text/html; charset=utf-8\r\n', Buffer.from('hello')],
  ])('is read once in %j', async (lines, body) => {
    const target = await open(startAnswering(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n`), body])))
    expect(await check(target.url, { assertions: bodyIs('hello') })).toMatchObject({ outcome: 'up', error: null })
  })

  test('is one value for assertions, and other values are joined', async () => {
    const target = await open(startAnswering(answerOf('ok', 'X-A: 1\r\nX-B: 1\r\nX-A: 1\r\nX-B: 2\r\nX-B: 1\r\n')))
    const is = (property: string, value: string): Assertion => ({ type: 'header', operator: 'equals', property, value })
    expect(await check(target.url, { assertions: [is('x-a', '1'), is('x-b', '1, 2')] })).toMatchObject({
      outcome: 'up',
      error: null,
    })
  })
})

function drip(socket: Parameters<Parameters<typeof startTarget>[0]>[0], text: string): void {
  const bytes = Buffer.from(text)
  let at = 0
  const next = () => {
    if (at === bytes.length) return socket.end()
    socket.write(bytes.subarray(at, ++at), () => setImmediate(next))
  }
  next()
}

describe('redirects', () => {
  const redirect = (status: number, location: string) =>
    `HTTP/1.1 ${status} X\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
  const SECRETS = { Authorization: 'Bearer s3cret', Cookie: 'a=s3cret', 'X-Own': 's3cret', 'Content-Type': 'application/json' }

  /** Two servers; the first sends to `/end` of the second (or its own) with a status, and each records its requests. */
  async function pair(status: number, isSame = false) {
    const calls: string[] = []
    const last = await open(startAnswering((request) => (calls.push(request), answerOf('there'))))
    const first: Target = await open(
      startAnswering((request) => {
        calls.push(request)
        if (request.includes(' /end')) return answerOf('there')
        return redirect(status, isSame ? '/end' : `${last.url}/end`)
      }),
    )
    return { url: first.url, calls }
  }

  test.each([
    [301, 'GET', 'GET', false],
    [302, 'HEAD', 'HEAD', false],
    [303, 'HEAD', 'HEAD', false],
    [301, 'POST', 'GET', false],
    [302, 'POST', 'GET', false],
    [303, 'POST', 'GET', false],
    [303, 'PUT', 'GET', false],
    [301, 'PUT', 'PUT', true],
    [302, 'DELETE', 'DELETE', true],
    [307, 'POST', 'POST', true],
    [308, 'PATCH', 'PATCH', true],
  ] as const)('a %d after %s asks with %s', async (status, method, then, keepsBody) => {
    const body = method === 'GET' || method === 'HEAD' ? null : '{"a":1}'
    for (const isSame of keepsBody ? [true] : [true, false]) {
      const { url, calls } = await pair(status, isSame)
      const result = await check(url, { method, body, headers: SECRETS })
      expect(result).toMatchObject({ outcome: 'up', status_code: 200 })
      expectPhases(result)
      const request = calls[1] ?? ''
      expect(request.startsWith(`${then} /end HTTP/1.1`)).toBe(true)
      expect(request.endsWith('\r\n\r\n{"a":1}')).toBe(keepsBody)
      expect(/content-type/i.test(request)).toBe(keepsBody || (isSame && body === null))
      expect(request.includes('s3cret')).toBe(isSame)
    }
  })

  test.each([
    [301, 'PUT'],
    [302, 'DELETE'],
    [307, 'POST'],
    [308, 'PATCH'],
  ] as const)('a %d after %s sends no body to another origin [CHECK-28]', async (status, method) => {
    const { url, calls } = await pair(status)
    const message = 'the target redirects to another origin, and the request has a body'
    const result = await check(url, { method, body: 'password=s3cret', headers: SECRETS })
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'blocked', message } })
    expect(calls.length).toBe(1)
  })

  test('headers stay dropped when a redirect leads back to the first origin', async () => {
    const calls: string[] = []
    const other: Target = await open(startAnswering((request) => (calls.push(request), redirect(307, `${home.url}/back`))))
    const home: Target = await open(
      startAnswering((request) => (calls.push(request), request.includes('/back') ? answerOf('ok') : redirect(307, other.url))),
    )
    expect((await check(home.url, { headers: SECRETS })).outcome).toBe('up')
    expect(calls.map((request) => request.includes('s3cret'))).toEqual([true, false, false])
  })

  describe('that set cookies', () => {
    const setting = (location: string, ...cookies: string[]) =>
      redirect(302, location).replace('\r\n', `\r\n${cookies.map((cookie) => `Set-Cookie: ${cookie}\r\n`).join('')}`)
    const cookieOf = (request: string) => /^cookie: (.*)\r$/im.exec(request)?.[1]

    test('get them sent to the same address, which answers', async () => {
      const cookies = ['seen=1; Path=/; HttpOnly', 'lang=de; Expires=Wed, 29 Nov 2220 12:00:00 GMT']
      const target = await open(
        startAnswering((request) => (cookieOf(request) === 'seen=1; lang=de' ? answerOf('ok') : setting('/', ...cookies))),
      )
      expect(await check(target.url)).toMatchObject({ outcome: 'up', status_code: 200, error: null })
      expect(target.connections).toBe(2)
    })

    test('replace those of the monitor, and delete them', async () => {
      const calls: (string | undefined)[] = []
      const answers = [
        setting('/', 'a=new; Path=/'),
        setting('/', 'b=; Max-Age=0', 'c=3'),
        setting('/', 'a=; Max-Age=0'),
        answerOf('ok'),
      ]
      const target = await open(startAnswering((request) => (calls.push(cookieOf(request)), answers[calls.length - 1] ?? '')))
      expect(await check(target.url, { headers: { Cookie: 'a=old; b=mine' } })).toMatchObject({ outcome: 'up' })
      expect(calls).toEqual(['a=old; b=mine', 'b=mine; a=new', 'a=new; c=3', 'c=3'])
    })

    test('get them at no other origin, and again at their own', async () => {
      const calls: string[] = []
      const other: Target = await open(
        startAnswering((request) => (calls.push(request), setting(`${home.url}/back`, 'other=s3cret'))),
      )
      const home: Target = await open(
        startAnswering(
          (request) => (calls.push(request), request.includes('/back') ? answerOf('ok') : setting(other.url, 'home=1')),
        ),
      )
      expect(await check(home.url, { headers: SECRETS })).toMatchObject({ outcome: 'up' })
      expect(calls.map(cookieOf)).toEqual(['a=s3cret', undefined, 'home=1'])
    })

    test('get none when redirects are not followed, and none in the next check', async () => {
      const calls: string[] = []
      const target = await open(startAnswering((request) => (calls.push(request), setting('/', 'seen=1'))))
      await check(target.url, { follow_redirects: false })
      await check(target.url, { follow_redirects: false })
      expect(calls.map(cookieOf)).toEqual([undefined, undefined])
    })
  })

  test('are followed five times, and not a sixth', async () => {
    const target: Target = await open(
      startAnswering((request) => {
        const left = Number(/ \/(\d+)/.exec(request)?.[1])
        return left === 0 ? answerOf('ok') : redirect(302, `/${left - 1}`)
      }),
    )
    expect(await check(`${target.url}/5`)).toMatchObject({ outcome: 'up', status_code: 200 })
    expect(target.connections).toBe(6)
    expect(await check(`${target.url}/6`)).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: 'the target redirects more than 5 times' },
    })
    expect(target.connections).toBe(12)
  })

  test('are ordinary responses when they are not followed or have no location', async () => {
    const target = await open(startAnswering(redirect(302, '/elsewhere')))
    expect(await check(target.url, { follow_redirects: false })).toMatchObject({ outcome: 'up', status_code: 302 })
    const nowhere = await open(startAnswering('HTTP/1.1 301 X\r\nContent-Length: 0\r\n\r\n'))
    expect(await check(nowhere.url)).toMatchObject({ outcome: 'up', status_code: 301 })
    const broken = await open(startAnswering(redirect(302, 'http://[::1')))
    expect(await check(broken.url)).toMatchObject({ outcome: 'down', error: { code: 'protocol' } })
  })
})

describe('a prober', () => {
  test('limits concurrent checks per host', async () => {
    const narrow = createProber({ allowPrivateTargets: 'all', perHostInFlight: 2 })
    let inFlight = 0
    let most = 0
    const order: string[] = []
    const target = await open(
      startTarget((socket) => {
        most = Math.max(most, ++inFlight)
        readRequest(socket, (request) => {
          order.push(/ \/(\d+)/.exec(request)?.[1] ?? '')
          setImmediate(() => {
            inFlight--
            socket.end(answerOf('ok'))
          })
        })
      }),
    )
    const results = await Promise.all(Array.from({ length: 10 }, (_, index) => narrow.check(define(`${target.url}/${index}`))))
    expect(results.every(({ outcome }) => outcome === 'up')).toBe(true)
    expect(most).toBe(2)
    expect(order.map(Number).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(narrow.stats()).toMatchObject({ checks: 10, inFlight: 0, inconclusive: 0 })
    narrow.close()
  })

  test('reports an overload as inconclusive when no slot is free in time', async () => {
    const narrow = createProber({ allowPrivateTargets: 'all', perHostInFlight: 1 })
    const target = await open(startTarget(() => {}))
    let second: CheckResult | undefined
    const first = await unhindered(async () => {
      const both = [2, 1].map((timeout) => narrow.check(define(target.url, { timeout })))
      second = await both[1]
      return both[0] as Promise<CheckResult>
    })
    expect(first).toMatchObject({ outcome: 'down', error: { code: 'timeout' } })
    expect(second).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal' }, response_ms: null })
    narrow.close()
  })

  test('ends a canceled check, and all checks when it closes', async () => {
    const own = createProber({ allowPrivateTargets: 'all', perHostInFlight: 1 })
    const target = await open(startTarget(() => {}))
    const controller = new AbortController()
    const checks = [
      own.check(define(target.url), { signal: controller.signal }),
      own.check(define(target.url)),
      own.check(define(target.url)),
    ]
    controller.abort()
    expect(await checks[0]).toMatchObject({
      outcome: 'inconclusive',
      error: { code: 'internal', message: 'the check was canceled' },
    })
    own.close()
    for (const result of await Promise.all(checks)) expect(result.outcome).toBe('inconclusive')
    expect((await own.check(define(target.url))).outcome).toBe('inconclusive')
    expect(own.stats().inFlight).toBe(0)
  })

  test('reports a check that cannot begin as inconclusive instead of down', async () => {
    const result = await prober.check(define('not a URL'))
    expect(result).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal' } })
    const unknown = { ...define('http://127.0.0.1'), type: 'carrier-pigeon' as 'http' }
    expect((await prober.check(unknown)).error?.message).toContain('carrier-pigeon')
  })
})
