import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort, isMissing } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../test/kinds.ts'
import { makeServerFolder, type Server, startServer } from '../../test/servers.ts'
import { startTarget, type Target } from '../../test/targets.ts'
import { createServer } from 'node:tls'
import type { AddressInfo } from 'node:net'

let prober: Prober
const closing: (() => unknown)[] = []
const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'pbx', names: ['localhost'], issuer: authority })
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
})
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})
afterAll(() => prober.close())

const check = (url: string, more: KindCheck = {}) => checkKind(prober, 'sip', url, more)

/** Headers of a request that its response repeats. */
const repeated = (request: string) =>
  request
    .split('\r\n')
    .filter((line) => /^(?:Via|From|To|Call-ID|CSeq):/.test(line))
    .join('\r\n')
const response = (request: string, status: string, more = 'Server: pbx 1.2\r\nAllow: INVITE, OPTIONS\r\n', body = '') =>
  `SIP/2.0 ${status}\r\n${repeated(request)}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`

type Say = (request: string) => string[]
async function serveUdp(say: Say): Promise<string> {
  const socket: Socket = createSocket('udp4')
  closing.push(() => socket.close())
  socket.on('message', (request, from) => {
    for (const answer of say(request.toString())) socket.send(answer, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return `sip://127.0.0.1:${socket.address().port}`
}
async function serveTcp(say: Say): Promise<string> {
  const target: Target = await startTarget((socket) => {
    socket.on('data', (request: Buffer) => void socket.write(say(request.toString()).join('')))
  })
  closing.push(() => target.close())
  return `sip://127.0.0.1:${target.port}`
}
const BOTH = [
  ['udp', serveUdp],
  ['tcp', serveTcp],
] as const

describe.skipIf(isMissing('sipp'))('sipp as the other side', () => {
  const SCENARIO = `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="options">
  <recv request="OPTIONS"></recv>
  <send><![CDATA[
    SIP/2.0 200 OK
    [last_Via:]
    [last_From:]
    [last_To:];tag=[call_number]
    [last_Call-ID:]
    [last_CSeq:]
    Allow: INVITE, ACK, OPTIONS, BYE
    Server: sipp
    Content-Length: 0

  ]]></send>
</scenario>`
  test.each([
    ['udp', 'u1'],
    ['tcp', 't1'],
  ])('is up over %s', async (transport, mode) => {
    const port = await freePort()
    const folder = makeServerFolder({ 'options.xml': SCENARIO })
    const command = ['sipp', '-sf', 'options.xml', '-i', '127.0.0.1', '-p', String(port), '-t', mode, '-nostdin']
    // One connection shows that TCP is ready; UDP is tried until it answers.
    const sipp: Server = await startServer(command, { folder, port, isDatagrams: transport === 'udp' })
    closing.push(() => sipp.stop())
    await expect
      .poll(() => check(`sip://127.0.0.1:${port}`, { options: { transport } }), { timeout: 10_000 })
      .toMatchObject({
        outcome: 'up',
        facts: { server_version: 'sipp', methods: 'INVITE, ACK, OPTIONS, BYE' },
      })
  })
})

describe.each(BOTH)('over %s', (transport, serve) => {
  const options = { transport }

  test('a response is up, with what the server says of itself', async () => {
    const url = await serve((request) => [response(request, '200 OK')])
    expect(await check(url, { options })).toMatchObject({
      outcome: 'up',
      status_code: 200,
      facts: { server_version: 'pbx 1.2', methods: 'INVITE, OPTIONS' },
    })
  })

  test('provisional responses, and those to other requests, are passed over', async () => {
    const url = await serve((request) => [
      response(request, '100 Trying'),
      response(request, '200 OK').replace(/Call-ID: /, 'Call-ID: x'),
      response(request, '200 OK').replace(/branch=z9hG4bK/, 'branch=z9hG4bKx'),
      response(request, '200 OK').replace('1 OPTIONS', '2 OPTIONS'),
      response(request, '404 Not Found', 'Server: last\r\n'),
    ])
    expect(await check(url, { options })).toMatchObject({
      outcome: 'down',
      error: { code: 'status', message: 'status 404 (expected 200–399)' },
      status_code: 404,
      facts: { server_version: 'last' },
      answer: { status_line: '404 Not Found' },
    })
  })

  test('assertions see status and headers', async () => {
    const url = await serve((request) => [response(request, '403 Forbidden', 'Warning: 399 closed\r\n folded\r\n')])
    const assertions: KindCheck['assertions'] = [
      { type: 'status_code', operator: 'equals', value: 403 },
      { type: 'header', operator: 'equals', property: 'Warning', value: '399 closed folded' },
    ]
    expect(await check(url, { options, assertions })).toMatchObject({ outcome: 'up' })
  })

  test.each(['HTTP/1.1 200 OK\r\n\r\n', 'SIP/2.0 abc\r\n\r\n', 'SIP/2.0 200 OK\r\nno colon\r\n\r\n', 'nothing\r\n\r\n'])(
    '%j is no SIP',
    async (answer) => {
      const url = await serve(() => [answer])
      expect((await check(url, { options })).error).toEqual({ code: 'protocol', message: 'the target does not speak SIP' })
    },
  )

  test('the request is one of RFC 3261', async () => {
    let seen = ''
    const url = await serve((request) => {
      seen = request
      return [response(request, '200 OK')]
    })
    await check(url, { options: { transport, user: 'ada' } })
    const { host } = new URL(url)
    expect(seen).toMatch(new RegExp(`^OPTIONS sip:ada@${host} SIP/2\\.0\r\n`))
    expect(seen).toMatch(
      new RegExp(`\r\nVia: SIP/2\\.0/${transport.toUpperCase()} 127\\.0\\.0\\.1:\\d+;branch=z9hG4bK[0-9a-f]{16};rport\r\n`),
    )
    expect(seen).toMatch(/\r\nMax-Forwards: 70\r\n.*\r\nCSeq: 1 OPTIONS\r\n.*Content-Length: 0\r\n\r\n$/s)
  })
})

test('sips has TLS', async () => {
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', (request: Buffer) => void socket.write(response(request.toString(), '200 OK')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const url = `sips://localhost:${(server.address() as AddressInfo).port}`
  expect(await check(url)).toMatchObject({ outcome: 'up', status_code: 200, certificate: { subject_names: ['localhost'] } })
})

test('more responses to others than anybody sends are down', async () => {
  const url = await serveTcp((request) => Array.from({ length: 30 }, () => response(request, '100 Trying')))
  expect((await check(url, { options: { transport: 'tcp' } })).error?.message).toBe('the target sent more than 20 messages')
})

test('a body that is too large is down', async () => {
  const url = await serveTcp(() => ['SIP/2.0 200 OK\r\nContent-Length: 1000000000\r\n\r\n'])
  expect((await check(url, { options: { transport: 'tcp' } })).error?.message).toBe('the target sent a message that is too large')
})

test.each([
  ['sip://pbx.test', {}, []],
  ['sip://pbx.test/path', {}, ['url']],
  ['sip://pbx.test', { user: 'a b' }, ['options.user']],
  ['sip://pbx.test', { user: 'a\r\nX: y' }, ['options.user']],
  ['sip://pbx.test', { user: 'a@b' }, ['options.user']],
])('%s with %j has faults at %j', (url, options, paths) => {
  expect(faultsOf('sip', url, { options })).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
