import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { checkKind, faultsOf } from '../../test/kinds.ts'
import { startAnswering } from '../../test/targets.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'api', names: ['localhost'], issuer: authority })
const LONG_NAME = `shop.${'v'.repeat(300)}`

let server: Server
let port: number
let tlsPort: number
let prober: Prober

beforeAll(async () => {
  server = new Server()
  const states = { '': 'SERVING', 'shop.v1.Orders': 'SERVING', 'shop.v1.Stock': 'NOT_SERVING', [LONG_NAME]: 'SERVING' } as const
  new HealthImplementation(states).addToServer(server)
  const bind = promisify(server.bindAsync.bind(server))
  port = (await bind('127.0.0.1:0', ServerCredentials.createInsecure())) ?? 0
  const pair = { cert_chain: Buffer.from(certificate.cert), private_key: Buffer.from(certificate.key) }
  tlsPort = (await bind('127.0.0.1:0', ServerCredentials.createSsl(null, [pair]))) ?? 0
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
})
afterAll(() => {
  prober.close()
  server.forceShutdown()
})

const check = (service: string, more = {}) => checkKind(prober, 'grpc', `grpc://127.0.0.1:${port}/${service}`, more)

describe('a check of gRPC', () => {
  test.each(['', 'shop.v1.Orders', LONG_NAME])('is up when the service %j is serving', async (service) => {
    const result = await check(service)
    expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', tls_ms: null, status_code: null })
    expect(result.facts).toEqual({ serving_status: 'SERVING', grpc_status: 0 })
    const { connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test('is up over TLS, with a certificate that is verified', async () => {
    const result = await checkKind(prober, 'grpc', `grpcs://localhost:${tlsPort}`)
    expect(result).toMatchObject({ outcome: 'up', certificate: { subject_names: ['localhost'] } })
    const other = `grpcs://127.0.0.1:${tlsPort}`
    expect(await checkKind(prober, 'grpc', other)).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
    expect(await checkKind(prober, 'grpc', other, { options: { verify_tls: false } })).toMatchObject({ outcome: 'up' })
  })

  test('is down when the service is not serving, and when nobody knows it', async () => {
    expect(await check('shop.v1.Stock')).toMatchObject({
      outcome: 'down',
      error: { code: 'status', message: 'the service is NOT_SERVING' },
      facts: { serving_status: 'NOT_SERVING', grpc_status: 0 },
    })
    const unknown = await check('shop.v1.None')
    expect(unknown).toMatchObject({
      outcome: 'down',
      error: { code: 'status', message: expect.stringMatching(/grpc-status 5 NOT_FOUND/) },
      facts: { grpc_status: 5 },
    })
  })

  test('leaves the decision to an assertion on a status', async () => {
    const isNotServing = { type: 'serving_status', operator: 'equals', value: 'NOT_SERVING' }
    expect((await check('shop.v1.Stock', { assertions: [isNotServing] })).outcome).toBe('up')
    const isServing = await check('shop.v1.Orders', { assertions: [isNotServing] })
    expect(isServing).toMatchObject({ outcome: 'down', error: { code: 'assertion' } })
    const isUnknown = { type: 'grpc_status', operator: 'equals', value: 5 }
    expect((await check('shop.v1.None', { assertions: [isUnknown] })).outcome).toBe('up')
  })

  test('is down when the target does not speak HTTP/2', async () => {
    const target = await startAnswering('HTTP/1.1 400 Bad Request\r\n\r\n')
    const { error } = await checkKind(prober, 'grpc', `grpc://127.0.0.1:${target.port}`, { timeout: 1 })
    expect(error?.code).toMatch(/^(protocol|timeout)$/)
    await target.close()
  })
})

describe('a check of gRPC with a server that is made up', () => {
  let fake: Http2Server
  afterEach(() => void fake.close())
  const OK = { ':status': 200, 'content-type': 'application/grpc' }
  const ended =
    (bytes: number[], trailers: Record<string, string> = { 'grpc-status': '0' }) =>
    (stream: ServerHttp2Stream) => {
      stream.respond(OK, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers(trailers))
      stream.end(Buffer.from(bytes))
    }

  async function checkFake(answer: (stream: ServerHttp2Stream, authorization: unknown) => void, credentials = {}) {
    fake = createServer()
    fake.on('stream', (stream: ServerHttp2Stream, headers) => {
      stream.on('error', () => {})
      answer(stream, headers['authorization'])
    })
    fake.listen(0, '127.0.0.1')
    await once(fake, 'listening')
    return checkKind(prober, 'grpc', `grpc://127.0.0.1:${(fake.address() as AddressInfo).port}`, { timeout: 2, credentials })
  }

  test.each([
    [
      'answers as a web server',
      (stream: ServerHttp2Stream) => (stream.respond({ ':status': 404 }), stream.end()),
      /status 404 instead of 200/,
    ],
    [
      'sends a page',
      (stream: ServerHttp2Stream) => (stream.respond({ ':status': 200, 'content-type': 'text/html' }), stream.end()),
      /does not speak gRPC/,
    ],
    ['has no status', ended([0, 0, 0, 0, 2, 8, 1], {}), /without a status/],
    ['compresses', ended([1, 0, 0, 0, 2, 8, 1]), /compressed/],
    ['sends nothing', ended([]), /cut short/],
    ['sends half a message', ended([0, 0, 0, 0, 9, 8, 1]), /another length/],
    ['sends a number without end', ended([0, 0, 0, 0, 7, 8, 255, 255, 255, 255, 255, 255]), /invalid message/],
    ['sends a field of no type', ended([0, 0, 0, 0, 1, 0x0f]), /invalid message/],
    ['sends a text that is too long', ended([0, 0, 0, 0, 2, 0x12, 9]), /cut short/],
    ['sends without end', ended(Array.from({ length: 100_000 }, () => 0)), /larger than 4096 bytes/],
    ['resets the stream', (stream: ServerHttp2Stream) => stream.close(2), /closed before|rules of HTTP/],
  ])('is down when the target %s', async (_, answer, message) => {
    const { outcome, error } = await checkFake(answer)
    expect({ outcome, error }).toEqual({ outcome: 'down', error: { code: 'protocol', message: expect.stringMatching(message) } })
  })

  test('skips fields that are not of today', async () => {
    const result = await checkFake(ended([0, 0, 0, 0, 13, 0x12, 1, 97, 0x1d, 0, 0, 0, 0, 0x20, 200, 1, 8, 1]))
    expect(result).toMatchObject({ outcome: 'up', facts: { serving_status: 'SERVING' } })
  })

  test('sends a token, which nobody reads in its result', async () => {
    const bearer_token = 'of-the-service'
    const result = await checkFake(
      (stream, authorization) => ended([], { 'grpc-status': '16', 'grpc-message': `no%20${String(authorization)}` })(stream),
      { bearer_token },
    )
    expect(result).toMatchObject({
      outcome: 'down',
      error: { code: 'status', message: expect.stringContaining('UNAUTHENTICATED: no Bearer') },
    })
    expect(JSON.stringify(result)).not.toContain(bearer_token)
  })
})

test.each([
  ['grpc://api.test', []],
  ['grpcs://api.test:443/shop.v1.Orders', []],
  ['grpc://api.test/a/b', ['url']],
  ['http://api.test/', ['url']],
])('the URL %s has faults at %j', (url, paths) => {
  expect(faultsOf('grpc', url)).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
