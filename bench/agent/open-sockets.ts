/**
 * A program: holds argv[2] connections to itself, so twice as many sockets, prints `ready` and waits to be ended. A process of
 * its own, because what it costs the kernel to make them is none of the agent's.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

const wanted = Number(process.argv[2])
const held: Socket[] = []
const server = createServer((socket) => {
  held.push(socket)
  if (held.length === wanted) console.log('ready sockets')
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  const own: Socket[] = []
  // One after the other: the queue of a listener is short.
  let left = wanted
  const next = () => {
    if (left-- <= 0) return
    own.push(connect(port, '127.0.0.1', next))
  }
  next()
})
