import { createSecureServer } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { NetworkOptions } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../certificates.ts'
import { type DnsServer, startDnsServer } from '../dns-server.ts'
import { checkKind, faultsOf, type KindCheck } from '../kinds.ts'
import { answerOf, define, startAnswering, startTarget, type Target } from '../targets.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'here', names: ['shop.test'], issuer: authority })

let prober: Prober
let dns: DnsServer
beforeAll(async () => {
  // `both.test` has an address of each family.
  dns = await startDnsServer((_, family) => ({ addresses: family === 4 ? ['127.0.0.1'] : ['::1'] }))
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
})
afterAll(async () => {
  prober.close()
  await dns.close()
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return (server.address() as AddressInfo).port
}
const http = (url: string, options: NetworkOptions) => prober.check(define(url, { options }))
const both = (options: NetworkOptions = {}): KindCheck => ({ options: { dns_servers: [dns.address], ...options } })

describe('connect_to', () => {
  test('connects there and keeps the host of the URL for SNI, Host and certificate', async () => {
    const seen: unknown[] = []
    const server = createHttps({ key: certificate.key, cert: certificate.cert }, (request, response) => {
      seen.push(request.headers.host, (request.socket as { servername?: string }).servername)
      response.end('ok')
    })
    const port = await listen(server)
    const result = await http('https://shop.test/', { connect_to: `127.0.0.1:${port}` })
    expect(result).toMatchObject({ outcome: 'up', status_code: 200, address: '127.0.0.1' })
    expect(seen).toEqual(['shop.test', 'shop.test'])
    server.close()
  })

  test('with a port is for the port of the URL alone, and without one for each of its host', async () => {
    const second = await startAnswering(answerOf('second'), '127.0.0.2')
    const first = await startAnswering(
      `HTTP/1.1 302 Go\r\nLocation: http://shop.test:${second.port}/\r\nContent-Length: 0\r\n\r\n`,
      '127.0.0.2',
    )
    const url = `http://shop.test:${first.port}/`
    expect(await http(url, { connect_to: '127.0.0.2' })).toMatchObject({ outcome: 'up', status_code: 200 })
    // The second host is looked up, and there is none.
    const narrow = await http(url, { connect_to: `127.0.0.2:${first.port}`, dns_servers: [dns.address] })
    expect(narrow).toMatchObject({ outcome: 'down', error: { code: 'connect' }, address: '127.0.0.2' })
    await Promise.all([first.close(), second.close()])
  })

  test('sends datagrams there too', async () => {
    const result = await checkKind(prober, 'dns', 'dns://ns.test/both.test?type=A', { options: { connect_to: dns.address } })
    expect(result).toMatchObject({ outcome: 'up', facts: { values: '127.0.0.1' } })
  })
})

describe('ip_family', () => {
  let target: Target
  let six: Target
  beforeAll(async () => {
    target = await startTarget((socket) => socket.end('hello\n'))
    six = await startTarget((socket) => socket.end('hello\n'), '::1', target.port)
  })
  afterAll(() => Promise.all([target.close(), six.close()]))
  const check = (options: NetworkOptions, more: KindCheck = {}) =>
    checkKind(prober, 'tcp', `tcp://both.test:${target.port}`, { ...more, ...both(options) })

  test('chooses the address', async () => {
    expect((await check({ ip_family: 'ipv4' })).address).toBe('127.0.0.1')
    expect((await check({ ip_family: 'ipv6' })).address).toBe('::1')
    const literal = await checkKind(prober, 'tcp', `tcp://127.0.0.1:${target.port}`, { options: { ip_family: 'ipv6' } })
    expect(literal).toMatchObject({ outcome: 'down', error: { code: 'dns', message: 'the host has no IPv6 address' } })
  })

  test('both makes two connections and reports the time of each', async () => {
    const before = [target.connections, six.connections]
    const result = await check({ ip_family: 'both' })
    expect(result.outcome).toBe('up')
    expect(result.facts).toEqual({ ipv4_ms: expect.any(Number), ipv6_ms: expect.any(Number) })
    expect([target.connections, six.connections]).toEqual(before.map((count) => count + 1))
    const assertions = [{ type: 'ipv6_ms', operator: 'less_than', value: 0 } as const]
    expect(await check({ ip_family: 'both' }, { assertions })).toMatchObject({
      outcome: 'degraded',
      error: { message: expect.stringMatching(/^over IPv6: Response time over IPv6 .* ms \(expected below 0 ms\)$/) },
    })
  })

  test('both is down if one family fails, and says which', async () => {
    const only = await startTarget((socket) => socket.end('hello\n'))
    const result = await checkKind(prober, 'tcp', `tcp://both.test:${only.port}`, both({ ip_family: 'both' }))
    expect(result).toMatchObject({
      outcome: 'down',
      error: { code: 'connect', message: 'over IPv6: the connection was refused' },
      facts: { ipv4_ms: expect.any(Number) },
    })
    await only.close()
  })
})

test('source_address is where connections and datagrams come from', async () => {
  const from: (string | undefined)[] = []
  const target = await startTarget((socket) => {
    from.push(socket.remoteAddress)
    socket.end('hello\n')
  })
  const url = `tcp://127.0.0.1:${target.port}`
  const check = (source: string) => checkKind(prober, 'tcp', url, { options: { source_address: source } })
  expect((await check('127.0.0.7')).outcome).toBe('up')
  expect(from).toEqual(['127.0.0.7'])
  // An address for documentation, which no machine has.
  expect(await check('192.0.2.7')).toMatchObject({
    outcome: 'inconclusive',
    error: { message: 'the checker cannot use the address 192.0.2.7' },
  })
  expect(await check('::1')).toMatchObject({ error: { message: 'the host has no IPv6 address' } })
  const options = { source_address: '127.0.0.7' }
  expect((await checkKind(prober, 'dns', `dns://${dns.address}/both.test?type=A`, { options })).outcome).toBe('up')
  await target.close()
})

test('dns_servers answer for this check alone', async () => {
  const target = await startTarget((socket) => socket.end('hello\n'))
  const url = `tcp://only-there.test:${target.port}`
  const before = dns.queries.length
  expect((await checkKind(prober, 'tcp', url, both())).outcome).toBe('up')
  expect(dns.queries.length).toBeGreaterThan(before)
  // The URL without a host takes them as its servers.
  expect((await checkKind(prober, 'dns', 'dns:///only-there.test?type=A', both())).facts['values']).toBe('127.0.0.1')
  await target.close()
})

describe('http_version and alpn', () => {
  let port: number
  const offered: (readonly string[] | undefined)[] = []
  const server = createSecureServer({ key: certificate.key, cert: certificate.cert, allowHTTP1: true }, (request, response) => {
    offered.push([request.httpVersion])
    response.end('ok')
  })
  beforeAll(async () => void (port = await listen(server as unknown as Server)))
  afterAll(() => void server.close())
  const check = (options: NetworkOptions) => http(`https://shop.test/`, { connect_to: `127.0.0.1:${port}`, ...options })

  test.each([
    [{}, '1.1'],
    [{ http_version: 'auto' }, '1.1'],
    [{ http_version: '1.1' }, '1.1'],
    [{ http_version: '2' }, '2'],
    [{ alpn: ['h2', 'http/1.1'] }, '2'],
    [{ alpn: ['http/1.1'] }, '1.1'],
  ] as const)('%j is HTTP/%s', async (options, version) => {
    expect(await check(options)).toMatchObject({ outcome: 'up', http_version: version, status_code: 200 })
  })

  test('a target without HTTP/2 is down where it is wanted', async () => {
    const old = createHttps({ key: certificate.key, cert: certificate.cert, ALPNProtocols: ['http/1.1'] }, (_, response) =>
      response.end(),
    )
    const at = `127.0.0.1:${await listen(old)}`
    const result = await http('https://shop.test/', { connect_to: at, http_version: '2' })
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
    old.close()
  })

  test('alpn is offered in the handshake of other kinds, and what is chosen is a fact of TLS', async () => {
    const tls = (alpn: string[]) =>
      checkKind(prober, 'tls', 'tls://shop.test', { options: { connect_to: `127.0.0.1:${port}`, alpn } })
    expect((await tls(['h2'])).facts['alpn']).toBe('h2')
    expect(await tls(['unheard-of'])).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
  })
})

test('options that a kind cannot have are refused in words at their field', () => {
  const faults = (type: Parameters<typeof faultsOf>[0], url: string, options: object) => faultsOf(type, url, { options })
  expect(faults('icmp', 'icmp://a.test', { source_address: '192.0.2.1', http_version: '2', connect_to: 'a:1' })).toEqual([
    'options.source_address: is not possible for checks of type icmp: the pings of all checks leave by one socket',
    'options.http_version: is not possible for checks of type icmp: only http, steps and upstream send requests that may be of either',
  ])
  expect(faults('icmp', 'icmp://a.test', { connect_to: 'a:1' })).toEqual([
    'options.connect_to: must not contain a port: ICMP has none',
  ])
  const schedule = { period_seconds: 60, grace_seconds: 60 }
  expect(faults('heartbeat', 'heartbeat://', { schedule, invert: true })).toEqual([
    'options.invert: is not possible for checks of type heartbeat: they make no connection',
  ])
  expect(faults('http', 'http://a.test', { alpn: ['spdy/1'] })).toEqual([
    'options.alpn: must contain h2 or http/1.1 alone: other protocols carry no request',
  ])
  expect(faults('tcp', 'tcp://a.test:1', { connect_to: 'a.test:25' })).toEqual([
    'options.connect_to: must not have port 25: mail ports are open to checks of type smtp alone',
  ])
  expect(faults('tcp', 'tcp://a.test:1', { source_address: '1.2.3', dns_servers: ['ns.test'] })).toEqual([
    'options.source_address: must be an IPv4 or IPv6 address without a zone, such as 192.0.2.10',
    'options.dns_servers: must contain addresses, with or without a port other than a mail port, such as 192.0.2.53 or [2001:db8::53]:5353',
  ])
})

test('the final URL and the size of the body are those of the last response', async () => {
  const last = await startAnswering(answerOf('hello'))
  const first = await startAnswering(`HTTP/1.1 302 Go\r\nLocation: ${last.url}/home?a=b\r\nContent-Length: 0\r\n\r\n`)
  const assertions = [
    { type: 'final_url', operator: 'equals', value: `${last.url}/home?a=b` },
    { type: 'body_size', operator: 'equals', value: 5 },
  ] as const
  expect(await prober.check(define(first.url, { assertions: [...assertions] }))).toMatchObject({ outcome: 'up', error: null })
  await Promise.all([first.close(), last.close()])
})

test('as much of the body of a failed check is kept as the definition wants', async () => {
  const body = 'abcdefghij'.repeat(20_000)
  const target = await startAnswering(`HTTP/1.1 500 No\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const answerWith = async (options: NetworkOptions) => (await http(target.url, options)).answer
  expect(await answerWith({})).toEqual({ status_line: 'HTTP/1.1 500 No', body: body.slice(0, 1_024) })
  expect(await answerWith({ max_body_bytes: 10 })).toEqual({ status_line: 'HTTP/1.1 500 No', body: body.slice(0, 10) })
  expect(await answerWith({ max_body_bytes: 65_536 })).toEqual({
    status_line: 'HTTP/1.1 500 No',
    body: body.slice(0, 1_024),
    whole: body.slice(0, 65_536),
  })
  expect(await answerWith({ keep_response: 'never', max_body_bytes: 65_536 })).toBeUndefined()
  // What passes although it should fail is evidence too.
  const passing = await startAnswering(answerOf('hello'))
  expect((await http(passing.url, { invert: true })).answer).toEqual({ status_line: 'HTTP/1.1 200 OK', body: 'hello' })
  await Promise.all([target.close(), passing.close()])
})
