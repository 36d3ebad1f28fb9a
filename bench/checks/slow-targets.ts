/**
 * The target of `accuracy.ts`: a process of its own that prints `ready <port>`. It answers after 20 ms and records how long it really
 * took for each path; it reports them on a message.
 */
import { type AddressInfo, createServer } from 'node:net'
import { createEventLoopClock } from '../../backend/src/platform/time/event-loop-clock.ts'

const BODY = JSON.stringify({ status: 'ok', version: '1.2.3', uptime: 123_456, checks: { database: 'ok', queue: 'ok' } })
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`
const DELAY_MS = 20

const watch = createEventLoopClock()
const tookMs = new Map<string, number>()

// HTTP by hand: the cores belong to what is measured.
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {})
  socket.once('data', (bytes) => {
    const request = bytes.toString('latin1')
    // Since the request came, not since this process had time for it.
    const { atUs } = watch.eventSince(0)
    const path = request.slice(4, request.indexOf(' ', 4))
    setTimeout(() => {
      socket.end(ANSWER)
      tookMs.set(path, (watch.nowUs() - atUs) / 1_000)
    }, DELAY_MS)
  })
})

process.on('message', () => {
  process.send?.([...tookMs])
  tookMs.clear()
})
process.on('disconnect', () => process.exit())
server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, () =>
  console.log(`ready ${(server.address() as AddressInfo).port}`),
)
