/**
 * The targets of checks: a process of its own, reached by every address of 127.0.0.0/8. `GET /m/<n>` is answered at once,
 * `GET /hang/<n>` never. The health of the gRPC service `m-<n>` is SERVING, and Redis has the key `m-<n>`. A name server has one address
 * for every name. `check-targets.ts [KEY_FILE CERT_FILE]` notes when each request arrived. HTTP by hand: the cores belong to what is
 * measured. Prints `ready {"http":…}`, the ports by scheme; answers a message with the arrivals since the last one; ends
 * with its parent.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

/** Of one request: the number in its path, and when it arrived, ms since the epoch. */
export type Arrival = readonly [n: number, atMs: number]

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhere\n')
const [keyFile, certFile] = process.argv.slice(2)
let arrivals: Arrival[] = []

function serve(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.once('data', (bytes: Buffer) => {
    const [, kind, n] = /^GET \/(m|hang)\/(\d+)/.exec(bytes.toString('latin1', 0, 64)) ?? []
    arrivals.push([Number(n), performance.timeOrigin + performance.now()])
    if (kind === 'm') socket.end(ANSWER)
  })
}

/** Its one message: 5 bytes, and the field `status`. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1])

function arrive(bytes: Buffer): void {
  const n = /m-(\d+)/.exec(bytes.toString('latin1'))?.[1] ?? 0
  arrivals.push([Number(n), performance.timeOrigin + performance.now()])
}

function serveGrpc(stream: ServerHttp2Stream): void {
  stream.on('error', () => undefined)
  stream.once('data', (bytes: Buffer) => {
    arrive(bytes)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(SERVING)
  })
}

function serveRedis(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    arrive(bytes)
    socket.write('$1\r\n1\r\n')
  })
}

const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 }, () => resolve((server.address() as AddressInfo).port))
  })

const http = await listen(createServer({ noDelay: true }, serve))
const https =
  keyFile !== undefined && certFile !== undefined
    ? await listen(createTlsServer({ key: readFileSync(keyFile), cert: readFileSync(certFile), minVersion: 'TLSv1.3' }, serve))
    : 0
const grpcServer = createHttp2()
grpcServer.on('stream', serveGrpc)
grpcServer.on('sessionError', () => undefined)
const grpc = await listen(grpcServer)
const redis = await listen(createServer({ noDelay: true }, serveRedis))
/** A name server that has one address for every name. */
const nameServer = createSocket('udp4')
const RECORD = Buffer.from('c00c000100010000003c0004c0000201', 'hex')
nameServer.on('message', (query, from) => {
  const end = query.indexOf(0, 12) + 5
  const answer = Buffer.concat([query.subarray(0, end), RECORD])
  answer.writeUInt16BE(0x8180, 2)
  answer.writeUInt16BE(1, 6)
  answer.writeUInt16BE(0, 10)
  nameServer.send(answer, from.port, from.address)
})
nameServer.bind(0, '127.0.0.1')
await once(nameServer, 'listening')
const dns = nameServer.address().port

process.on('message', () => {
  process.send?.(arrivals)
  arrivals = []
})
process.on('disconnect', () => process.exit())
console.log(`ready ${JSON.stringify({ http, https, grpc, redis, dns })}`)
