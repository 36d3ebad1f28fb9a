import { createServer as createHttpsServer, type Server } from 'node:https'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacks } from '../../scripts/test-tools.ts'
import { type SelfSigned, selfSigned } from '../test/tls.ts'
import { normalizeFingerprint } from './pinned-agent.ts'
import { createTransport, type TransportOptions } from './transport.ts'

let ours: SelfSigned
let other: SelfSigned
let server: Server
let port = 0
/** Keys that reached the backend: none may when it was not trusted. */
const keysSeen: unknown[] = []
/** What the proxy was asked for. */
const asked: string[] = []
const proxy = createHttpServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  response.end('by the proxy')
})
proxy.on('connect', (request, socket) => {
  asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
  if (request.url?.startsWith('stall')) return
  const upstream = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.pipe(socket).pipe(upstream)
  })
  for (const end of [socket, upstream]) end.on('error', () => undefined)
})

const isSkipped = lacks('openssl')
beforeAll(async () => {
  if (isSkipped) return
  ours = selfSigned('IP:127.0.0.1,DNS:vedette.test')
  other = selfSigned('IP:127.0.0.1')
  server = createHttpsServer(ours, (request, response) => {
    keysSeen.push(request.headers['x-api-key'])
    response.end('here')
  })
  for (const each of [server, proxy]) await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  for (const each of [server, proxy]) {
    each?.close()
    each?.closeAllConnections()
  }
})

async function ask(options: TransportOptions, url = `https://127.0.0.1:${port}/`, timeoutMs = 15_000) {
  keysSeen.length = asked.length = 0
  const transport = createTransport(options)
  // Twice: the second goes by the kept connection.
  const answers = [
    await transport.send({ method: 'GET', url, headers: { 'x-api-key': 'secret' }, timeoutMs }),
    await transport.send({ method: 'GET', url, headers: { 'x-api-key': 'secret' }, timeoutMs }),
  ]
  transport.close()
  return answers
}

const good = [
  { status: 200, body: 'here' },
  { status: 200, body: 'here' },
]

describe.skipIf(isSkipped)('trust', () => {
  test('a certificate of nobody known is refused before the token goes', async () => {
    expect(await ask({})).toMatchObject([{ status: 0, reason: expect.stringContaining('self-signed') }, { status: 0 }])
    expect(keysSeen).toEqual([])
  })

  test('an own authority is trusted, and no other', async () => {
    expect(await ask({ ca: ours.cert })).toMatchObject(good)
    expect(await ask({ ca: other.cert })).toMatchObject([{ status: 0 }, { status: 0 }])
    expect(keysSeen).toEqual([])
  })

  test('a pinned certificate is trusted, and no other', async () => {
    const pin = (certificate: SelfSigned) => ({ fingerprint: normalizeFingerprint(certificate.fingerprint) ?? '' })
    expect(await ask(pin(ours))).toMatchObject(good)
    expect(await ask(pin(other))).toMatchObject([
      { status: 0, reason: expect.stringContaining('not the pinned one') },
      { status: 0 },
    ])
    expect(keysSeen).toEqual([])
    expect(await ask(pin(ours), 'https://127.0.0.1:1/')).toMatchObject([
      { status: 0, reason: expect.stringContaining('ECONNREFUSED') },
      {},
    ])
  })

  test('fingerprints as people have them', () => {
    expect(normalizeFingerprint(ours.fingerprint)).toMatch(/^[0-9a-f]{64}$/)
    expect(normalizeFingerprint('ab:cd')).toBeUndefined()
  })
})

describe.skipIf(isSkipped)('a proxy', () => {
  const by = (userInfo = '') => `http://${userInfo}127.0.0.1:${(proxy.address() as AddressInfo).port}`

  test('takes https by a tunnel, with its own credentials; the certificate is still the backend’s', async () => {
    const viaProxy = { HTTPS_PROXY: by('ann:pass@') }
    expect(await ask({ proxy: viaProxy, ca: ours.cert }, `https://vedette.test:${port}/`)).toMatchObject(good)
    expect(asked).toEqual([`CONNECT vedette.test:${port} Basic ${Buffer.from('ann:pass').toString('base64')}`])
    const fingerprint = normalizeFingerprint(ours.fingerprint) ?? ''
    expect(await ask({ proxy: viaProxy, fingerprint }, `https://vedette.test:${port}/`)).toMatchObject(good)
    const wrong = normalizeFingerprint(other.fingerprint) ?? ''
    expect(await ask({ proxy: viaProxy, fingerprint: wrong }, `https://vedette.test:${port}/`)).toMatchObject([
      { status: 0 },
      { status: 0 },
    ])
    expect(keysSeen).toEqual([])
  })

  test('takes http as it is', async () => {
    expect(await ask({ proxy: { HTTP_PROXY: by() } }, 'http://vedette.test/x')).toMatchObject([{ body: 'by the proxy' }, {}])
    expect(asked).toEqual(['GET http://vedette.test/x', 'GET http://vedette.test/x'])
  })

  test('is not asked for loopback, nor for what NO_PROXY names', async () => {
    expect(await ask({ proxy: { HTTPS_PROXY: by(), NO_PROXY: 'elsewhere' }, ca: ours.cert })).toMatchObject(good)
    expect(asked).toEqual([])
  })

  test('that never answers is left in time', async () => {
    const answers = await ask({ proxy: { HTTPS_PROXY: by() } }, 'https://stall.test/', 300)
    expect(answers).toMatchObject([{ status: 0, reason: 'no answer within 0.3 s' }, { status: 0 }])
  })
})
