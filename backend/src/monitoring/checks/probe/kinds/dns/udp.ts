import type { Socket } from 'node:dgram'
import { after, type Alarm } from '../../../../../platform/time/monotonic.ts'
import { connectFault, type Fault } from '../../phases/fault.ts'
import type { Timeline } from '../../phases/timeline.ts'
import type { ProbeTools } from '../kind.ts'

export interface Server {
  address: string
  port: number
}

/** A lost query is repeated, to the next server if there is one, after 1, 2, 4 s and so on; answers to earlier ones still count. */
const FIRST_PATIENCE_MS = 1_000
/** A server that floods must not keep the thread busy. */
const MAX_MESSAGES = 1_000

/**
 * Sends a query over UDP, which may differ by the number of tries before it, until the returned function is called. Each try has a
 * socket of its own and so a random port, and takes messages of its server only.
 */
export function queryByUdp(
  servers: readonly Server[],
  queryOf: (tries: number) => Buffer,
  timeline: Timeline,
  { connector, route }: Pick<ProbeTools, 'connector' | 'route'>,
  on: { message(bytes: Buffer, server: Server): void; fault(fault: Fault): void },
): () => void {
  const sockets = new Set<Socket>()
  let tries = 0
  let messages = 0
  let alarm: Alarm | undefined
  const stop = () => {
    alarm?.cancel()
    for (const socket of sockets) close(socket)
    sockets.clear()
  }
  const send = () => {
    const server = servers[tries % servers.length] as Server
    const socket = connector.openDatagrams(server.address)
    sockets.add(socket)
    socket.on('message', (bytes) => {
      messages += 1
      if (messages <= MAX_MESSAGES) return on.message(bytes, server)
      stop()
      on.fault({ code: 'protocol', message: 'the name server sends answers to other questions' })
    })
    socket.on('error', (error) => {
      sockets.delete(socket)
      close(socket)
      if (tries < servers.length) {
        alarm?.cancel()
        send()
      } else if (sockets.size === 0) {
        stop()
        timeline.endByEvent()
        on.fault(connectFault(error, server.address, route))
      }
    })
    const query = queryOf(tries)
    socket.connect(server.port, server.address, () => socket.send(query))
    alarm = after(FIRST_PATIENCE_MS * 2 ** tries, send, { isKeptAlive: true })
    tries += 1
  }
  timeline.begin('firstByte')
  send()
  return stop
}

/** An error that comes after is of no interest. */
function close(socket: Socket): void {
  socket.removeAllListeners()
  socket.on('error', () => {})
  socket.close()
}
