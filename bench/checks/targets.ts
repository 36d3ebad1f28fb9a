/**
 * The targets of checks: a process of its own, reached by every address of 127.0.0.0/8. What is asked for `m-<n>` is answered at once,
 * `hang-<n>` never: a path over HTTP, by a WebSocket and over a bare connection, a server name of TLS, a service of gRPC that is SERVING,
 * a key of Redis, and a name that has one address. `targets.ts [KEY_FILE CERT_FILE]` notes when each request arrived. By hand where that
 * is short: the cores belong to what is measured. Prints `ready {"http":…}`, the ports; answers a message with the arrivals since the
 * last one; ends with its parent.
 */
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { OTHER_SERVERS } from './other-targets.ts'

/** Of one request: the number in its path, and when it arrived, ms since the epoch. */
export type Arrival = readonly [n: number, atMs: number]

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhere\n')
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
/** Those of 10,000 monitors. */
const DATAGRAM_HOSTS = 100
const [keyFile, certFile] = process.argv.slice(2)
let arrivals: Arrival[] = []

/** Whether to answer what contains `m-<n>` or `hang-<n>`. */
function arrive(text: string): boolean {
  // A resolver may write a name in any case.
  const [, kind, n] = /\b(m|hang)-(\d+)/.exec(text.toLowerCase()) ?? ['', 'm', 0]
  arrivals.push([Number(n), performance.timeOrigin + performance.now()])
  return kind === 'm'
}

function serve(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.once('data', (bytes: Buffer) => {
    const request = bytes.toString('latin1')
    if (!arrive(request)) return
    const key = /^Sec-WebSocket-Key: (.*)\r$/m.exec(request)?.[1]
    if (key === undefined) socket.end(ANSWER)
    else serveWebSocket(socket, key)
  })
}

/** Echoes the payload of the first ping, which is short. */
function serveWebSocket(socket: Socket, key: string): void {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.write(`${SWITCH}Sec-WebSocket-Accept: ${accept}\r\n\r\n`)
  socket.once('data', (ping: Buffer) => {
    const length = (ping[1] as number) & 0x7f
    const [mask, payload] = [ping.subarray(2, 6), ping.subarray(6, 6 + length)]
    socket.end(Buffer.from([0x8a, length, ...payload.map((byte, index) => byte ^ (mask[index % 4] as number))]))
  })
}

/** Its one message: 5 bytes, and the field `status`. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1])

function serveGrpc(stream: ServerHttp2Stream): void {
  stream.on('error', () => undefined)
  stream.once('data', (bytes: Buffer) => {
    if (!arrive(bytes.toString('latin1'))) return
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(SERVING)
  })
}

function serveRedis(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    if (arrive(bytes.toString('latin1'))) socket.write('$1\r\n1\r\n')
  })
}

function secure(keyFile: string, certFile: string): Server {
  const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)]
  // Called only for names, which the targets of https do not have.
  const SNICallback = (name: string, proceed: (error: null) => void) => void (arrive(name) && proceed(null))
  return createTlsServer({ key, cert, minVersion: 'TLSv1.3', SNICallback }, serve)
}

const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 }, () => resolve((server.address() as AddressInfo).port))
  })

const http = await listen(createServer({ noDelay: true }, serve))
const https = keyFile !== undefined && certFile !== undefined ? await listen(secure(keyFile, certFile)) : 0
const grpcServer = createHttp2()
grpcServer.on('stream', serveGrpc)
grpcServer.on('sessionError', () => undefined)
const grpc = await listen(grpcServer)
const redis = await listen(createServer({ noDelay: true }, serveRedis))

const RECORD = Buffer.from('c00c000100010000003c0004c0000201', 'hex')

/** Undefined for no answer. */
type Answering = (request: Buffer) => Buffer | undefined

/** Answers from the address that a request came to. */
async function serveDatagrams(answerOf: Answering, host: string, port: number): Promise<number> {
  const server = createSocket('udp4')
  server.on('message', (request, from) => {
    const answer = answerOf(request)
    if (answer) server.send(answer, from.port, from.address)
  })
  server.bind(port, host)
  await once(server, 'listening')
  return server.address().port
}

/** At each address that a host of monitors has. */
async function serveEverywhere(answerOf: Answering): Promise<number> {
  let port = 0
  for (let n = 1; n <= DATAGRAM_HOSTS; n += 1) port = await serveDatagrams(answerOf, `127.1.0.${n}`, port)
  return port
}

function nameAnswer(query: Buffer): Buffer | undefined {
  // The labels of a name are in front of their lengths.
  if (!arrive(query.toString('latin1', 12))) return undefined
  const end = query.indexOf(0, 12) + 5
  const answer = Buffer.concat([query.subarray(0, end), RECORD])
  answer.writeUInt16BE(0x8180, 2)
  answer.writeUInt16BE(1, 6)
  answer.writeUInt16BE(0, 10)
  return answer
}

const ports: Record<string, number> = { http, https, grpc, redis, dns: await serveEverywhere(nameAnswer) }
for (const [name, serveOne] of Object.entries(OTHER_SERVERS.connections))
  ports[name] = await listen(createServer({ noDelay: true }, serveOne))
for (const [name, answerOf] of Object.entries(OTHER_SERVERS.datagrams)) ports[name] = await serveEverywhere(answerOf)

process.on('message', () => {
  process.send?.(arrivals)
  arrivals = []
})
process.on('disconnect', () => process.exit())
console.log(`ready ${JSON.stringify(ports)}`)
