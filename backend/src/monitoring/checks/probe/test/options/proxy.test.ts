import { createServer as createHttp2 } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { CheckTypeId } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, isMissing } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../certificates.ts'
import { startDnsServer } from '../dns-server.ts'
import { checkKind, faultsOf, type KindCheck } from '../kinds.ts'
import { answerOf, define, startAnswering, startTarget, type Target } from '../targets.ts'
import { PROXY_PASSWORD, PROXY_USER, type ProxyServer, startMicrosocks, startTinyproxy } from './proxy-servers.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'here', names: ['localhost'], issuer: authority })

let prober: Prober
beforeAll(() => void (prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })))
afterAll(() => prober.close())

const PROXIES = [
  { scheme: 'http', tool: 'tinyproxy', start: startTinyproxy },
  { scheme: 'socks5', tool: 'microsocks', start: startMicrosocks },
] as const

describe.each(PROXIES)('a check through $tool', ({ scheme, tool, start }) => {
  describe.skipIf(isMissing(tool))('of Debian', () => {
    let open: ProxyServer
    let closed: ProxyServer
    beforeAll(async () => void ([open, closed] = await Promise.all([start(false), start(true)])))
    afterAll(() => Promise.all([open.stop(), closed.stop()]))
    const through = (more: object = {}): KindCheck => ({ options: { proxy_url: `${scheme}://${open.at}`, ...more } })
    const check = (type: CheckTypeId, url: string, more?: object) => checkKind(prober, type, url, through(more))

    test('of HTTP reaches its target, whose address it reports', async () => {
      const target = await startAnswering(answerOf('hello'))
      const result = await prober.check(define(target.url, { options: { proxy_url: `${scheme}://${open.at}` } }))
      expect(result).toMatchObject({ outcome: 'up', status_code: 200, address: '127.0.0.1' })
      expect(target.connections).toBe(1)
      await target.close()
    })

    test('of TLS sees the certificate of the target', async () => {
      const server = createTlsServer({ key: certificate.key, cert: certificate.cert }, (socket) => socket.on('error', () => {}))
      const port = await new Promise<number>((resolve) =>
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
      )
      const url = `tls://localhost:${port}`
      const result = await check('tls', url, { connect_to: '127.0.0.1' })
      expect(result).toMatchObject({ outcome: 'up', certificate: { subject_names: ['localhost'] } })
      await new Promise((resolve) => server.close(resolve))
    })

    test('of a server that speaks first gets all of what it says', async () => {
      const target = await startTarget((socket) => void socket.write('* OK here\r\n'))
      const result = await check('tcp', `tcp://127.0.0.1:${target.port}`, { expect: 'OK here' })
      expect(result.outcome).toBe('up')
      await target.close()
    })

    test('of HTTP/2 without TLS is up', async () => {
      const server = createHttp2((_, response) => response.end('two'))
      const port = await new Promise<number>((resolve) =>
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
      )
      const options = { proxy_url: `${scheme}://${open.at}`, http_version: '2' as const }
      expect(await prober.check(define(`http://127.0.0.1:${port}/`, { options }))).toMatchObject({
        outcome: 'up',
        http_version: '2',
      })
      await new Promise((resolve) => server.close(resolve))
    })

    test('is down where the proxy cannot connect to the target', async () => {
      const result = await check('tcp', `tcp://127.0.0.1:${await freePort()}`)
      expect(result).toMatchObject({ outcome: 'down', error: { code: 'connect' } })
      expect(result.error?.message).toMatch(/^the proxy (?:could not connect to|was refused the connection to) the target/)
    })

    test('logs in, and is inconclusive without the right password, which no message repeats', async () => {
      const target = await startTarget((socket) => socket.end('hello\n'))
      const url = `tcp://127.0.0.1:${target.port}`
      const as = (user: string, password?: string) =>
        checkKind(prober, 'tcp', url, {
          options: { proxy_url: `${scheme}://${user}${closed.at}` },
          ...(password !== undefined && { credentials: { proxy_password: password } }),
        })
      expect((await as(`${PROXY_USER}@`, PROXY_PASSWORD)).outcome).toBe('up')
      for (const result of [await as(`${PROXY_USER}@`, 'wrong-password'), await as('')]) {
        expect(result).toMatchObject({ outcome: 'inconclusive', error: { code: 'internal' } })
        expect(result.error?.message).toMatch(/^the proxy (?:refused|wants|accepts)/)
        expect(JSON.stringify(result)).not.toContain('wrong-password')
      }
      expect(target.connections).toBe(1)
      await target.close()
    })

    test('gives it a name only with proxy_resolves', async () => {
      const dns = await startDnsServer(() => ({ addresses: ['127.0.0.1'] }))
      const target = await startTarget((socket) => socket.end('hello\n'))
      const url = `tcp://localhost:${target.port}`
      expect((await check('tcp', url, { proxy_resolves: true })).address).toBe('localhost')
      expect((await check('tcp', `tcp://only-here.test:${target.port}`, { dns_servers: [dns.address] })).address).toBe(
        '127.0.0.1',
      )
      await Promise.all([target.close(), dns.close()])
    })
  })
})

/** A proxy that follows a script: what it says to each piece that it gets. */
const scripted = (answers: readonly (string | Buffer)[], ending: (socket: Socket) => void) =>
  startTarget((socket) => {
    const left = [...answers]
    socket.on('data', () => {
      const next = left.shift()
      if (next !== undefined) socket.write(next)
      if (left.length === 0) ending(socket)
    })
  })
const bytes = (...all: number[]) => Buffer.from(all)
const throughIt = async (scheme: string, proxy: Target, timeout = 10) => {
  const options = { proxy_url: `${scheme}://ada@127.0.0.1:${proxy.port}` }
  const found = await checkKind(prober, 'tcp', 'tcp://127.0.0.1:9', { options, timeout, credentials: { proxy_password: 'p' } })
  await proxy.close()
  return `${found.outcome} ${found.error?.code}: ${found.error?.message}`
}
const floods = (piece: string | Buffer) => (socket: Socket) => {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
    if (!socket.destroyed) socket.once('drain', more)
  }
  more()
}
const closes = (socket: Socket) => void socket.end()
const stalls = () => {}

const HTTP_ANSWERS = ['HTTP/1.1 200 Connection established\r\nVia: a\r\n\r\n']
const SOCKS_ANSWERS = [bytes(5, 2), bytes(1, 0), bytes(5, 0, 0, 1, 127, 0, 0, 1, 0, 9)]

describe.each([
  { scheme: 'http', answers: HTTP_ANSWERS.map((text) => Buffer.from(text)) },
  { scheme: 'socks5', answers: SOCKS_ANSWERS },
])('a hostile proxy over $scheme', ({ scheme, answers }) => {
  const total = answers.reduce((sum, { length }) => sum + length, 0)
  /** The answers up to a number of bytes. */
  const upTo = (most: number) => {
    let left = most
    return answers.flatMap((answer) => {
      const part = answer.subarray(0, Math.max(0, left))
      left -= answer.length
      return part.length > 0 ? [part] : []
    })
  }

  test('leaves the check inconclusive when it closes after any byte', async () => {
    const found = await Promise.all(
      Array.from({ length: total }, async (_, most) => throughIt(scheme, await scripted(upTo(most), closes))),
    )
    expect(found.filter((text) => !text.startsWith('inconclusive internal: the proxy closed the connection'))).toEqual([])
    expect(await throughIt(scheme, await scripted(answers, stalls))).toBe('up undefined: undefined')
  })

  test('ends with the timeout when it says nothing after any byte', async () => {
    const found = await Promise.all(
      Array.from({ length: total }, async (_, most) => throughIt(scheme, await scripted(upTo(most), stalls), 1)),
    )
    const waiting = /^(?:inconclusive internal|down timeout): no answer within 1 s: still waiting for the proxy/
    expect(found.filter((text) => !waiting.test(text))).toEqual([])
  })

  test.each([
    ['zeros', Buffer.alloc(65_536)],
    ['letters', Buffer.alloc(65_536, 'a')],
    ['lines', Buffer.from('HTTP/1.1 100 wait\r\n'.repeat(3_000))],
    ['fives', Buffer.alloc(65_536, 5)],
  ])('is left when it sends %s without end', async (_, piece) => {
    const found = await throughIt(scheme, await scripted([piece], floods(piece)))
    expect(found).toMatch(/^inconclusive internal: the proxy (?:does not speak|answered with more than 8192 bytes)/)
  })
})

test.each([
  ['http', ['HTTP/1.1 407 Login\r\n\r\n'], 'inconclusive internal: the proxy refused the user name or the password'],
  ['http', ['HTTP/1.1 403 No\r\n\r\n'], 'inconclusive internal: the proxy refused to connect to the target: it answered 403 No'],
  ['http', ['HTTP/1.1 504 Late\r\n\r\n'], 'down connect: the proxy could not connect to the target: it answered 504 Late'],
  ['http', ['SSH-2.0-x\r\n'], 'inconclusive internal: the proxy does not speak HTTP'],
  ['socks5', [bytes(4, 0)], 'inconclusive internal: the proxy does not speak SOCKS5'],
  ['socks5', [bytes(5, 255)], 'inconclusive internal: the proxy accepts no user name and password'],
  ['socks5', [bytes(5, 2), bytes(1, 1)], 'inconclusive internal: the proxy refused the user name or the password'],
  ['socks5', [bytes(5, 0), bytes(5, 5, 0, 1, 0)], 'down connect: the proxy was refused the connection to the target'],
  ['socks5', [bytes(5, 0), bytes(5, 2, 0, 1, 0)], 'inconclusive internal: the proxy does not allow the connection'],
  ['socks5', [bytes(5, 0), bytes(5, 0, 0, 9, 0)], 'inconclusive internal: the proxy does not speak SOCKS5'],
] as const)('a proxy over %s that answers %j', async (scheme, answers, expected) => {
  expect(await throughIt(scheme, await scripted(answers, stalls))).toBe(expected)
})

test('a proxy that is not there leaves the check inconclusive', async () => {
  const options = { proxy_url: `http://127.0.0.1:${await freePort()}` }
  expect(await checkKind(prober, 'tcp', 'tcp://127.0.0.1:9', { options })).toMatchObject({
    outcome: 'inconclusive',
    error: { message: 'the proxy cannot be reached: the connection was refused' },
  })
})

test('the options of a proxy have faults in words', () => {
  const faults = (options: object, credentials = {}) => faultsOf('tcp', 'tcp://db.test:1', { options, credentials })
  expect(faults({ proxy_url: 'https://a.test' })[0]).toMatch(
    /^options.proxy_url: must be a URL that begins with http:\/\/ or socks5/,
  )
  expect(faults({ proxy_url: 'http://a:b@a.test' })).toEqual([
    'options.proxy_url: must not contain a password: it belongs to credentials.proxy_password',
  ])
  expect(faults({ proxy_url: 'socks5://a.test/x' })).toEqual(['options.proxy_url: must have nothing after the port'])
  expect(faults({ proxy_url: 'http://a.test:25' })).toEqual(['options.proxy_url: must not have port 25'])
  expect(faults({ proxy_resolves: true })).toEqual(['options.proxy_resolves: needs options.proxy_url'])
  expect(faults({}, { proxy_password: 'x' })).toEqual(['credentials.proxy_password: must be left out without options.proxy_url'])
  expect(faultsOf('udp', 'udp://db.test:1', { options: { proxy_url: 'http://a.test' } })).toEqual([
    'options.proxy_url: is not possible for checks of type udp: a proxy carries connections over TCP alone',
  ])
  expect(faultsOf('sip', 'sip://db.test', { options: { proxy_url: 'http://a.test' } })[0]).toMatch(
    /over UDP: .*choose another transport$/,
  )
})
