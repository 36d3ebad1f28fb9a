/**
 * The targets of checks: a process of its own, reached by every address of 127.0.0.0/8. `GET /m/<n>` is answered at once,
 * `GET /hang/<n>` never. Notes when each request arrived. HTTP by hand: the cores belong to what is measured.
 * Prints `ready <port>`; answers a message with the arrivals since the last one; ends with its parent.
 */
import { type AddressInfo, createServer } from 'node:net'

/** Of one request: the number in its path, and when it arrived, ms since the epoch. */
export type Arrival = readonly [n: number, atMs: number]

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhere\n')
let arrivals: Arrival[] = []

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined)
  socket.once('data', (bytes: Buffer) => {
    const [, kind, n] = /^GET \/(m|hang)\/(\d+)/.exec(bytes.toString('latin1', 0, 64)) ?? []
    arrivals.push([Number(n), performance.timeOrigin + performance.now()])
    if (kind === 'm') socket.end(ANSWER)
  })
})
server.listen(0, '0.0.0.0', 4_096, () => console.log(`ready ${(server.address() as AddressInfo).port}`))
process.on('message', () => {
  process.send?.(arrivals)
  arrivals = []
})
process.on('disconnect', () => process.exit())
