import { DAY_MS } from '@vedette/shared'
import { once } from 'node:events'
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  performServerHandshake,
} from 'node:http2'
import { type AddressInfo, connect, type Server } from 'node:net'
import { connect as connectTls, createServer, type TlsOptions, type TLSSocket } from 'node:tls'
import type { CheckResult, DefinitionOf } from '@vedette/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../index.ts'
import { certificateOfSession } from '../tls/session-certificate.ts'
import { makeCertificate, type TestCertificate } from './certificates.ts'
import { answerOf, define, startTarget, type Target, unhindered } from './targets.ts'

const authority = makeCertificate({ name: 'Test authority', isAuthority: true })
const good = makeCertificate({ names: ['localhost', '127.0.0.1'], issuer: authority })

let prober: Prober
const closing: (() => Promise<unknown>)[] = []

beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
})
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})
afterAll(() => prober.close())

/** A real TLS server; returns its URL for `localhost`. */
async function serve(
  certificate: TestCertificate,
  options: TlsOptions = {},
  onConnection: (socket: TLSSocket) => void = (socket) => socket.once('data', () => socket.end(answerOf('hello'))),
): Promise<string> {
  const { key, cert } = certificate
  const server = createServer({ key, cert, ...options }, (socket) => {
    socket.on('error', () => {})
    onConnection(socket)
  })
  server.on('tlsClientError', () => {})
  return listen(server)
}

async function listen(server: Server | Http2SecureServer, at = 0): Promise<string> {
  server.listen(at, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => void server.close(resolve)))
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

const check = (url: string, change: Partial<DefinitionOf<'http'>> = {}) => prober.check(define(url, change))
const reported = ({ outcome, error }: CheckResult) => [outcome, error?.code, error?.message]

describe('a certificate', () => {
  test('that is valid is up, and its facts are reported', async () => {
    const url = await serve(good)
    const result = await check(url)
    expect(result).toMatchObject({ outcome: 'up', error: null, http_version: '1.1', address: '127.0.0.1' })
    expect(result.certificate).toMatchObject({ issuer: 'Test authority', subject_names: ['localhost', '127.0.0.1'] })
    const daysLeft = (Date.parse(result.certificate?.expires_at ?? '') - Date.now()) / DAY_MS
    expect(daysLeft).toBeGreaterThan(29.9)
    expect(daysLeft).toBeLessThanOrEqual(30)
    const { dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms } = result
    const sum = [dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms].reduce<number>(
      (total, phase) => total + (phase ?? Number.NaN),
      0,
    )
    expect(result.response_ms).toBeCloseTo(sum, 6)
    expect((await check(url.replace('localhost', '127.0.0.1'))).outcome).toBe('up')
  })

  const now = Date.now()
  const chainless = makeCertificate({ name: 'Unknown authority', isAuthority: true })
  const refused: [string, TestCertificate, RegExp][] = [
    [
      'expired',
      makeCertificate({
        names: ['localhost'],
        issuer: authority,
        notBefore: new Date(now - 90 * DAY_MS),
        notAfter: new Date(now - DAY_MS),
      }),
      /^a certificate of the chain has expired: its own ends \d{4}-/,
    ],
    [
      'not valid yet',
      makeCertificate({ names: ['localhost'], issuer: authority, notBefore: new Date(now + DAY_MS) }),
      /^the certificate is not valid yet$/,
    ],
    [
      'for another host',
      makeCertificate({ names: ['a.example', 'b.example'], issuer: authority }),
      /^the certificate is not for localhost but for a\.example, b\.example$/,
    ],
    [
      'for nobody',
      makeCertificate({ name: 'x.example', issuer: authority }),
      /^the certificate is not for localhost but for x\.example$/,
    ],
    ['self-signed', makeCertificate({ names: ['localhost'] }), /^the certificate is self-signed$/],
    ['from an unknown authority', makeCertificate({ names: ['localhost'], issuer: chainless }), /authority that is not known/],
  ]

  test.each(refused)(
    'that is %s is a tls error, reported, and accepted without verification',
    async (_name, certificate, message) => {
      const url = await serve(certificate)
      const result = await check(url)
      expect(result).toMatchObject({ outcome: 'down', error: { code: 'tls' }, status_code: null, response_ms: null })
      expect(result.error?.message).toMatch(message)
      expect(result.certificate?.expires_at).toMatch(/^\d{4}-/)
      expect(await check(url, { verify_tls: false })).toMatchObject({
        outcome: 'up',
        status_code: 200,
        certificate: result.certificate,
      })
    },
  )

  test('no request is sent to a target whose certificate is refused', async () => {
    let bytes = 0
    const url = await serve(makeCertificate({ names: ['localhost'] }), {}, (socket) =>
      socket.on('data', (part) => (bytes += part.length)),
    )
    expect((await check(url, { headers: { Authorization: 's3cret' } })).error?.code).toBe('tls')
    expect(bytes).toBe(0)
  })

  test('is verified for each host that presents it', async () => {
    const url = await serve(makeCertificate({ names: ['localhost'], issuer: authority }))
    expect((await check(url)).outcome).toBe('up')
    expect(reported(await check(url.replace('localhost', '127.0.0.1')))).toEqual([
      'down',
      'tls',
      'the certificate is not for this address but for localhost',
    ])
    expect((await check(url)).outcome).toBe('up')
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('that a target replaces over %s is read again', async (maxVersion) => {
    const port = await freePort()
    const subjectNames = async (names: string[]) => {
      const { key, cert } = makeCertificate({ names, issuer: authority })
      const server = createServer({ key, cert, maxVersion }, (socket) => socket.once('data', () => socket.end(answerOf('hello'))))
      const url = await listen(server, port)
      const results = [await check(url), await check(url)]
      await closing.pop()?.()
      return results.map(({ certificate }) => certificate?.subject_names)
    }
    expect(await subjectNames(['localhost'])).toEqual([['localhost'], ['localhost']])
    expect(await subjectNames(['localhost', 'b.example'])).toEqual([
      ['localhost', 'b.example'],
      ['localhost', 'b.example'],
    ])
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('is found in the session of %s', async (maxVersion) => {
    const url = new URL(await serve(good, { maxVersion }))
    for (const servername of ['localhost', '']) {
      const socket = connectTls({ host: '127.0.0.1', port: Number(url.port), servername, rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      expect(certificateOfSession(socket.getSession())).toEqual(socket.getPeerX509Certificate()?.raw)
      socket.destroy()
    }
  })

  test('is not found in a session of another form', () => {
    for (const bytes of [[], [0x30], [0x30, 0x82, 1], [0x30, 4, 0xa3, 9, 1, 1], [0x02, 1, 1], [0x30, 3, 2, 1, 1]])
      expect(certificateOfSession(Buffer.from(bytes))).toBeUndefined()
    for (const prefix of ['\0nodejs:tls:session:1\0', '\0nodejs:tls:session:1\0\0', '\0nodejs:tls:session:1\0\xff\xff'])
      expect(certificateOfSession(Buffer.from(prefix, 'latin1'))).toBeUndefined()
  })

  test('its expiry can be asserted', async () => {
    const url = await serve(good)
    const assertion = (value: number) => [{ type: 'certificate_expiry', operator: 'greater_than', value } as const]
    expect((await check(url, { assertions: assertion(14) })).outcome).toBe('up')
    expect(await check(url, { assertions: assertion(31) })).toMatchObject({ outcome: 'degraded', error: { code: 'assertion' } })
  })
})

describe('a handshake', () => {
  test.each(['TLSv1', 'TLSv1.1'] as const)('of a target that speaks %s alone is a tls error', async (version) => {
    const url = await serve(good, { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' })
    expect(reported(await check(url))).toEqual(['down', 'tls', 'the target does not speak TLS 1.2 or newer'])
    expect((await check(url, { verify_tls: false })).error?.code).toBe('tls')
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('of %s is up with a full handshake each time', async (version) => {
    let reused = 0
    const url = await serve(good, { minVersion: version, maxVersion: version }, (socket) => {
      if (socket.isSessionReused()) reused++
      socket.once('data', () => socket.end(answerOf('hello')))
    })
    for (let times = 0; times < 3; times++) expect((await check(url)).outcome).toBe('up')
    expect(reused).toBe(0)
  })

  const raw = async (onConnection: Parameters<typeof startTarget>[0]): Promise<Target & { secure: string }> => {
    const target = await startTarget(onConnection)
    closing.push(() => target.close())
    return Object.assign(target, { secure: `https://localhost:${target.port}` })
  }

  test('that stalls after the ClientHello is a timeout that names the handshake', async () => {
    const { secure } = await raw((socket) => socket.resume())
    expect(reported(await unhindered(() => check(secure, { timeout: 1 })))).toEqual([
      'down',
      'timeout',
      'no answer within 1 s: still waiting for the TLS handshake',
    ])
  })

  test.each([
    ['closed at once', (socket) => socket.end(), 'the connection was closed during the handshake'],
    [
      'closed after the greeting',
      (socket) => socket.once('data', () => socket.end()),
      'the connection was closed during the handshake',
    ],
    ['reset', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'the connection was closed during the handshake'],
    [
      'answered in plain text',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 X\r\n\r\n')),
      'the target does not speak TLS on this port',
    ],
  ] as [string, Parameters<typeof startTarget>[0], string][])(
    'that is %s is a tls error',
    async (_name, onConnection, message) => {
      const { secure } = await raw(onConnection)
      expect(reported(await check(secure))).toEqual(['down', 'tls', message])
    },
  )

  test('that ends at any byte is a tls error; a response that does is a protocol error', async () => {
    // What a real server says, cut by a relay in front of it.
    const behind = new URL(await serve(good))
    const codes: string[] = []
    for (let upTo = 0; ; upTo += 50) {
      let isWhole = true
      const relay = await raw((socket) => {
        const inner = connect(Number(behind.port), '127.0.0.1')
        let passed = 0
        inner.on('error', () => {})
        socket.on('data', (bytes) => inner.write(bytes))
        socket.on('close', () => inner.destroy())
        inner.on('data', (bytes: Buffer) => {
          if (passed + bytes.length > upTo) isWhole = false
          socket.write(bytes.subarray(0, Math.max(0, upTo - passed)))
          passed += bytes.length
          if (!isWhole) socket.end()
        })
        inner.on('end', () => socket.end())
      })
      const result = await check(relay.secure)
      await relay.close()
      codes.push(result.error?.code ?? result.outcome)
      if (isWhole) break
    }
    expect(codes.length).toBeGreaterThan(10)
    expect(codes[0]).toBe('tls')
    expect(codes.at(-1)).toBe('up')
    // Behind the answer come the farewells of TLS, without which it is whole.
    expect(new Set(codes)).toEqual(new Set(['tls', 'protocol', 'up']))
  })
})

describe('HTTP/2', () => {
  type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void
  const page: Handler = (request, response) => {
    response.setHeader('x-seen', `${request.method} ${request.url} ${request.authority}`)
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.end('{"status":"ok"}')
  }

  async function serveHttp2(
    handler: Handler = page,
    options: object = {},
    at?: number,
  ): Promise<{ url: string; server: Http2SecureServer }> {
    const server = createSecureServer({ key: good.key, cert: good.cert, ...options }, handler)
    server.on('sessionError', () => {})
    server.on('unknownProtocol', (socket: TLSSocket) => socket.destroy())
    return { url: await listen(server, at), server }
  }

  test('is used with a target that speaks nothing else, and remembered', async () => {
    let connections = 0
    const { url, server } = await serveHttp2()
    server.on('connection', () => connections++)
    const assertions = [
      { type: 'json_path', operator: 'equals', property: '$.status', value: 'ok' },
      { type: 'header', operator: 'equals', property: 'x-seen', value: `GET /a?b=c ${new URL(url).host}` },
      { type: 'header', operator: 'contains', property: 'set-cookie', value: 'b=2' },
    ] as const
    const result = await check(`${url}/a?b=c`, { assertions: [...assertions] })
    expect(result).toMatchObject({ outcome: 'up', error: null, status_code: 200, http_version: '2' })
    expect(result.certificate?.issuer).toBe('Test authority')
    expect(connections).toBe(2)
    expect((await check(`${url}/a?b=c`)).outcome).toBe('up')
    expect(connections).toBe(3)
  })

  test('sends a body, a host and headers', async () => {
    const { url } = await serveHttp2((request, response) => {
      let body = ''
      request.on('data', (part: Buffer) => (body += String(part)))
      request.on('end', () => response.end(`${request.method} ${request.authority} ${String(request.headers['x-own'])} ${body}`))
    })
    const assertions = [{ type: 'body', operator: 'contains', value: 'POST other.example mine grüße' } as const]
    const change = { method: 'POST', body: 'grüße', headers: { Host: 'other.example', 'X-Own': 'mine' }, assertions } as const
    expect(await check(url, { ...change, assertions })).toMatchObject({ outcome: 'up', error: null })
  })

  test('is not used where HTTP/1.1 is available', async () => {
    const { url } = await serveHttp2(page, { allowHTTP1: true })
    expect(await check(url)).toMatchObject({ outcome: 'up', http_version: '1.1' })
  })

  test('is detected where a target does not negotiate', async () => {
    const url = await serve(good, {}, (socket) => {
      const session = performServerHandshake(socket)
      session.on('error', () => {})
      session.on('stream', (stream) => {
        stream.respond({ ':status': 200 })
        stream.end('hello')
      })
    })
    expect(await check(url)).toMatchObject({ outcome: 'up', http_version: '2' })
  })

  test('is forgotten when the target no longer speaks it', async () => {
    const port = await freePort()
    const first = await serveHttp2(page, {}, port)
    expect((await check(first.url)).http_version).toBe('2')
    await closing.pop()?.()
    const server = createServer({ key: good.key, cert: good.cert, ALPNProtocols: ['http/1.1'] }, (socket) =>
      socket.once('data', () => socket.end(answerOf('hello'))),
    )
    server.on('tlsClientError', () => {})
    await listen(server, port)
    expect(await check(first.url)).toMatchObject({ outcome: 'up', http_version: '1.1' })
  })

  test.each([
    [
      'an endless body',
      (_request, response) =>
        response.stream.on('drain', () => response.stream.write(Buffer.alloc(65_536))).write(Buffer.alloc(1_000_000)),
      'up',
      undefined,
    ],
    ['no answer', (request) => request.stream.close(2), 'down', 'protocol'],
    [
      'a broken answer',
      (_request, response) => {
        response.write('x')
        response.stream.close(2)
      },
      'down',
      'protocol',
    ],
    ['a connection that it drops', (request) => request.stream.session?.destroy(), 'down', 'protocol'],
    ['silence', () => {}, 'down', 'timeout'],
    [
      'a redirect loop',
      (_request, response) => {
        response.writeHead(302, { location: '/again' })
        response.end()
      },
      'down',
      'protocol',
    ],
    [
      'a status of error',
      (_request, response) => {
        response.writeHead(503)
        response.end()
      },
      'down',
      'status',
    ],
  ] as [string, Handler, string, string | undefined][])(
    'with %s ends with the right result',
    async (_name, handler, outcome, code) => {
      const { url } = await serveHttp2(handler)
      const result = await unhindered(() => check(url, { timeout: 1 }))
      expect([result.outcome, result.error?.code]).toEqual([outcome, code])
    },
  )
})
