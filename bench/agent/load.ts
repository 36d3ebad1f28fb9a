/**
 * A program: uses half a core, and ten times a second opens and closes a connection, as the services of a host do. Prints `ready` and
 * runs until it is ended.
 */
import { connect, createServer, type AddressInfo } from 'node:net'

const BUSY_MS = 50
const server = createServer((socket) => socket.end())
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  setInterval(() => {
    connect(port, '127.0.0.1').resume()
    const endMs = performance.now() + BUSY_MS
    const kept: number[][] = []
    while (performance.now() < endMs) kept.push(Array.from({ length: 1_000 }, (_, index) => index))
  }, 2 * BUSY_MS)
  console.log('ready load')
})
