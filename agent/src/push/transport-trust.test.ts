import { createServer as createHttpsServer, type Server } from 'node:https'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../scripts/test-tools.ts'
import { type SelfSigned, selfSigned } from '../../test/tls.ts'
import { normalizeFingerprint } from './pinned-agent.ts'
import { createTransport, type TransportOptions } from './transport.ts'

let ours: SelfSigned
let other: SelfSigned
let server: Server
let port = 0
/** Keys that reached the backend: none may when it was not trusted. */
const keysSeen: unknown[] = []
/** Requests that reached the proxy. */
const proxied: string[] = []
const proxy = createHttpServer((request, response) => {
  proxied.push(`${request.method} ${request.url}`)
  response.end('by the proxy')
})
proxy.on('connect', (request, socket) => {
  proxied.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
  if (request.url?.startsWith('stall')) return
  const upstream = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.pipe(socket).pipe(upstream)
  })
  for (const end of [socket, upstream]) end.on('error', () => undefined)
})

const isSkipped = isMissing('openssl')
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

async function sendTwice(options: TransportOptions, url = `https://127.0.0.1:${port}/`, timeoutMs = 15_000) {
  keysSeen.length = proxied.length = 0
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
  test('a certificate of an unknown authority is refused before the token is sent', async () => {
    expect(await sendTwice({})).toMatchObject([{ status: 0, reason: expect.stringContaining('self-signed') }, { status: 0 }])
    expect(keysSeen).toEqual([])
  })

  test('the configured authority is trusted, and no other', async () => {
    expect(await sendTwice({ ca: ours.cert })).toMatchObject(good)
    expect(await sendTwice({ ca: other.cert })).toMatchObject([{ status: 0 }, { status: 0 }])
    expect(keysSeen).toEqual([])
  })

  test('a pinned certificate is trusted, and no other', async () => {
    const pin = (certificate: SelfSigned) => ({ fingerprint: normalizeFingerprint(certificate.fingerprint) ?? '' })
    expect(await sendTwice(pin(ours))).toMatchObject(good)
    expect(await sendTwice(pin(other))).toMatchObject([
      { status: 0, reason: expect.stringContaining('not the pinned one') },
      { status: 0 },
    ])
    expect(keysSeen).toEqual([])
    expect(await sendTwice(pin(ours), 'https://127.0.0.1:1/')).toMatchObject([
      { status: 0, reason: expect.stringContaining('ECONNREFUSED') },
      {},
    ])
  })

  test('fingerprints are accepted in the usual notations', () => {
    expect(normalizeFingerprint(ours.fingerprint)).toMatch(/^[0-9a-f]{64}$/)
    expect(normalizeFingerprint('ab:cd')).toBeUndefined()
  })
})

describe.skipIf(isSkipped)('a proxy', () => {
  const by = (userInfo = '') => `http://${userInfo}127.0.0.1:${(proxy.address() as AddressInfo).port}`

  test('is used for https through a tunnel with its credentials, and the certificate is still the backend’s', async () => {
    const viaProxy = { HTTPS_PROXY: by('ann:pass@') }
    expect(await sendTwice({ proxy: viaProxy, ca: ours.cert }, `https://vedette.test:${port}/`)).toMatchObject(good)
    expect(proxied).toEqual([`CONNECT vedette.test:${port} Basic ${Buffer.from('ann:pass').toString('base64')}`])
    const fingerprint = normalizeFingerprint(ours.fingerprint) ?? ''
    expect(await sendTwice({ proxy: viaProxy, fingerprint }, `https://vedette.test:${port}/`)).toMatchObject(good)
    const wrong = normalizeFingerprint(other.fingerprint) ?? ''
    expect(await sendTwice({ proxy: viaProxy, fingerprint: wrong }, `https://vedette.test:${port}/`)).toMatchObject([
      { status: 0 },
      { status: 0 },
    ])
    expect(keysSeen).toEqual([])
  })

  test('is used for http', async () => {
    expect(await sendTwice({ proxy: { HTTP_PROXY: by() } }, 'http://vedette.test/x')).toMatchObject([
      { body: 'by the proxy' },
      {},
    ])
    expect(proxied).toEqual(['GET http://vedette.test/x', 'GET http://vedette.test/x'])
  })

  test('is not used for loopback and the hosts of NO_PROXY', async () => {
    expect(await sendTwice({ proxy: { HTTPS_PROXY: by(), NO_PROXY: 'elsewhere' }, ca: ours.cert })).toMatchObject(good)
    expect(proxied).toEqual([])
  })

  test('that never answers ends in a timeout', async () => {
    const answers = await sendTwice({ proxy: { HTTPS_PROXY: by() } }, 'https://stall.test/', 300)
    expect(answers).toMatchObject([{ status: 0, reason: 'no answer within 0.3 s' }, { status: 0 }])
  })
})
