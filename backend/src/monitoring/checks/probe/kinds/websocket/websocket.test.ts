import { createHash } from 'node:crypto'
import { createServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { checkKind, faultsOf } from '../../test/kinds.ts'
import { startAnswering, startTarget } from '../../test/targets.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'live', names: ['localhost'], issuer: authority })

let server: WebSocketServer
let secure: ReturnType<typeof createServer>
let prober: Prober
let port: number
const closed: number[] = []
const authorizations: (string | undefined)[] = []

/** `/echo` sends back what it receives; `/talk` speaks first, in parts and with pings between them; `/leave` closes. */
function serve(socket: WebSocket, path: string): void {
  socket.on('close', (code) => closed.push(code))
  if (path === '/echo') socket.on('message', (bytes, isBinary) => socket.send(bytes, { binary: isBinary }))
  if (path === '/leave') socket.close(1008, 'not for\nyou')
  if (path !== '/talk') return
  for (const text of ['{"a":1}', 'second']) {
    socket.ping('still there?')
    socket.send(text.slice(0, 3), { fin: false })
    socket.send(text.slice(3))
  }
  socket.send('x'.repeat(200_000))
  socket.send('the end')
}

beforeAll(async () => {
  server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    handleProtocols: (offered) => (offered.has('chat.v1') ? 'chat.v1' : false),
  })
  server.on('connection', (socket, request) => {
    authorizations.push(request.headers.authorization)
    serve(socket, request.url ?? '')
  })
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  secure = createServer({ key: certificate.key, cert: certificate.cert })
  const overTls = new WebSocketServer({ server: secure })
  overTls.on('connection', (socket) => serve(socket, '/silent'))
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
})
afterAll(() => {
  prober.close()
  for (const client of server.clients) client.terminate()
  server.close()
  secure.closeAllConnections()
  secure.close()
})

const urlOf = (path: string) => `ws://127.0.0.1:${port}${path}`
const bodyIs = (value: string) => [{ type: 'body', operator: 'contains', value } as const]

describe('a check of a WebSocket', () => {
  test('is up after a pong, says goodbye, and its phases are its response time', async () => {
    const result = await checkKind(prober, 'websocket', urlOf('/silent'))
    expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', tls_ms: null, status_code: null })
    const { connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
    await expect.poll(() => closed).toContain(1000)
  })

  test.each([
    ['what is sent comes back', '/echo', { send: 'größer', expect: 'größer' }, []],
    ['a long message comes back', '/echo', { send: 'y'.repeat(4_000), expect: 'y'.repeat(1_000) }, []],
    [
      'a message comes in parts between pings',
      '/talk',
      {},
      [{ type: 'json_path', operator: 'equals', property: '$.a', value: 1 }],
    ],
    ['the second message has the text', '/talk', { expect: 'second' }, bodyIs('second')],
    ['a message comes behind a large one', '/talk', { expect: 'the end' }, []],
    ['the subprotocol is accepted', '/silent', { subprotocol: 'chat.v1' }, []],
  ] as const)('is up when %s', async (_, path, options, assertions) => {
    const result = await checkKind(prober, 'websocket', urlOf(path), { options, assertions: [...assertions] })
    expect(result).toMatchObject({ outcome: 'up', error: null })
  })

  test('sends a token, which nobody reads in its result', async () => {
    const bearer_token = 'of-the-websocket'
    const options = { send: `it is ${bearer_token}` }
    const result = await checkKind(prober, 'websocket', urlOf('/echo'), {
      options,
      credentials: { bearer_token },
      assertions: bodyIs('z'),
    })
    expect(authorizations).toContain(`Bearer ${bearer_token}`)
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'assertion' } })
    expect(JSON.stringify(result)).not.toContain(bearer_token)
  })

  test('is up over TLS, with a certificate that is verified', async () => {
    const { port: tlsPort } = secure.address() as AddressInfo
    const result = await checkKind(prober, 'websocket', `wss://localhost:${tlsPort}/`)
    expect(result).toMatchObject({ outcome: 'up', certificate: { subject_names: ['localhost'] } })
    const other = `wss://127.0.0.1:${tlsPort}/`
    expect(await checkKind(prober, 'websocket', other)).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
    expect(await checkKind(prober, 'websocket', other, { options: { verify_tls: false } })).toMatchObject({ outcome: 'up' })
  })

  test.each([
    ['the server closes', '/leave', {}, 'the target closed the WebSocket (1008 not for you)'],
    ['the subprotocol is not accepted', '/silent', { subprotocol: 'other' }, 'the target did not accept the subprotocol'],
  ])('is down when %s', async (_, path, options, message) => {
    const { error } = await checkKind(prober, 'websocket', urlOf(path), { options })
    expect(error).toEqual({ code: 'protocol', message })
  })

  const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\n'
  const UPGRADE = 'Upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n'
  test.each([
    ['redirects', 'HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1/\r\n\r\n', /status 302 instead of 101/],
    ['refuses', 'HTTP/1.1 403 Forbidden\r\n\r\n', /status 403 instead of 101/],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', /does not speak HTTP/],
    ['changes to something else', `${SWITCH}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n`, /did not change to WebSocket/],
    ['does not hash the key', `${SWITCH}${UPGRADE}Sec-WebSocket-Accept: AAAA\r\n\r\n`, /another handshake/],
    ['has fields without end', `${SWITCH}${'X: y\r\n'.repeat(201)}`, /more than 200 lines/],
  ])('is down when the target %s', async (_, answer, message) => {
    const target = await startAnswering(answer)
    const { error } = await checkKind(prober, 'websocket', `ws://127.0.0.1:${target.port}/`)
    expect(error).toEqual({ code: 'protocol', message: expect.stringMatching(message) })
    await target.close()
  })

  test.each([
    ['a masked frame', [0x81, 0x81, 1, 2, 3, 4, 5], /masked/],
    ['a compressed frame', [0xc1, 1, 97], /that WebSockets do not have/],
    ['an unknown frame', [0x83, 1, 97], /that WebSockets do not have/],
    ['a long ping', [0x89, 126, 0, 200], /control frame/],
    ['a ping in parts', [0x09, 1, 97], /control frame/],
    ['a continuation of nothing', [0x80, 1, 97], /mixes the parts/],
    ['a message within a message', [0x01, 1, 97, 0x81, 1, 97], /mixes the parts/],
    ['a message of 2^60 bytes', [0x81, 127, 0x10, 0, 0, 0, 0, 0, 0, 0], /too large/],
    [
      'a message of a billion parts',
      Array.from({ length: 30_000 }, (_, index) => (index === 0 ? 1 : 0)),
      /more than 10000 messages/,
    ],
    ['nothing more', [], /closed/],
  ])('is down when the target sends %s', async (_, bytes, message) => {
    const target = await startTarget((socket) => {
      socket.once('data', (request: Buffer) => {
        const key = /Sec-WebSocket-Key: (\S+)/.exec(request.toString())?.[1] ?? ''
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
        socket.write(`${SWITCH}${UPGRADE}Sec-WebSocket-Accept: ${accept}\r\n\r\n`)
        socket.end(Buffer.from(bytes))
      })
    })
    const { error } = await checkKind(prober, 'websocket', `ws://127.0.0.1:${target.port}/`, { options: { expect: 'x' } })
    expect(error).toEqual({ code: 'protocol', message: expect.stringMatching(message) })
    await target.close()
  })
})

describe('the head of a handshake', () => {
  const handshake = (lines: (accept: string) => readonly string[]) =>
    startTarget((socket) => {
      socket.once('data', (bytes) => {
        const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(String(bytes))?.[1] ?? ''
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines(accept).join('\r\n')}\r\n\r\n\x81\x02ok`, 'latin1')
      })
    })
  const ACCEPT = (accept: string) => `Sec-WebSocket-Accept: ${accept}`

  test.each<[string, (accept: string) => string[]]>([
    [
      'each field twice',
      (accept) => ['Upgrade: websocket', 'Connection: Upgrade', ACCEPT(accept)].flatMap((line) => [line, line]),
    ],
    [
      'two Connection fields',
      (accept) => ['Upgrade: websocket', 'Connection: Upgrade', 'Connection: keep-alive', ACCEPT(accept)],
    ],
    [
      'them in the other order',
      (accept) => ['Upgrade: websocket', 'Connection: keep-alive', 'connection: upgrade', ACCEPT(accept)],
    ],
    ['a folded field', (accept) => ['Upgrade:', ' websocket', 'Connection: Upgrade', ACCEPT(accept)]],
    ['a line that is no field', (accept) => ['Upgrade: websocket', 'nonsense', 'Connection: Upgrade', ACCEPT(accept)]],
  ])('may have %s', async (_, lines) => {
    const target = await handshake(lines)
    const result = await checkKind(prober, 'websocket', `ws://127.0.0.1:${target.port}`, { options: { expect: 'ok' } })
    expect(result).toMatchObject({ outcome: 'up', error: null })
    await target.close()
  })

  test.each<[string, (accept: string) => string[]]>([
    ['no upgrade in Connection', (accept) => ['Upgrade: websocket', 'Connection: keep-alive', ACCEPT(accept)]],
    ['two handshakes', (accept) => ['Upgrade: websocket', 'Connection: Upgrade', ACCEPT(accept), ACCEPT('other')]],
    ['a broken length', (accept) => ['Upgrade: websocket', 'Connection: Upgrade', ACCEPT(accept), 'Content-Length : 1']],
  ])('with %s is a protocol error', async (_, lines) => {
    const target = await handshake(lines)
    const result = await checkKind(prober, 'websocket', `ws://127.0.0.1:${target.port}`, { options: { expect: 'ok' } })
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'protocol' } })
    await target.close()
  })
})

test.each([
  ['ws://live.test', {}, []],
  ['wss://live.test/a?b=c', { subprotocol: 'chat.v1' }, []],
  ['http://live.test', {}, ['url']],
  ['ws://live.test', { subprotocol: 'a, b' }, ['options.subprotocol']],
  ['ws://live.test', { send: 5 }, ['options.send']],
])('the URL %s with the options %j has faults at %j', (url, options, paths) => {
  expect(faultsOf('websocket', url, { options })).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
