/**
 * Targets of checks: a process of its own. `probe-targets.ts KEY_FILE CERT_FILE` prints `ready {"http":…,"https":…,"slow":…}`, the
 * ports. The slow one answers after 20 ms and records how long it really took for each path; it reports them on a message.
 */
import { readFileSync } from 'node:fs'
import { createServer as createSecureServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createEventLoopClock } from '../../backend/src/platform/time/event-loop-clock.ts'

const BODY = JSON.stringify({ status: 'ok', version: '1.2.3', uptime: 123_456, checks: { database: 'ok', queue: 'ok' } })
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`
const DELAY_MS = 20

const [keyFile = '', certFile = ''] = process.argv.slice(2)
const watch = createEventLoopClock()
const tookMs = new Map<string, number>()

/** Answers by hand: the cores belong to what is measured. */
function answering(answer: (socket: Socket, request: string) => void): Server {
  return createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => answer(socket, bytes.toString('latin1')))
  })
}

const http = answering((socket) => socket.end(ANSWER))
const slow = answering((socket, request) => {
  // Since the request came, not since this process had time for it.
  const { atUs } = watch.eventSince(0)
  const path = request.slice(4, request.indexOf(' ', 4))
  setTimeout(() => {
    socket.end(ANSWER)
    tookMs.set(path, (watch.nowUs() - atUs) / 1_000)
  }, DELAY_MS)
})
const https = createSecureServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (_request, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.setHeader('Connection', 'close')
  response.end(BODY)
})

const listen = (server: Server | HttpsServer) =>
  new Promise<number>((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, () => resolve((server.address() as AddressInfo).port))
  })

process.on('message', () => {
  process.send?.([...tookMs])
  tookMs.clear()
})
process.on('disconnect', () => process.exit())
const ports = { http: await listen(http), https: await listen(https), slow: await listen(slow) }
console.log(`ready ${JSON.stringify(ports)}`)
