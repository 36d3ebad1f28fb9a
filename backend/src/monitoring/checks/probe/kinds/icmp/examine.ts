import type { InheritedSockets } from '../kind.ts'
import { descriptorOf, openInheritedSocket, openPingSocket } from './ping-socket.ts'
import { createSystemPinger } from './system-pinger.ts'

/** How this machine can send ICMP echo requests over one family. */
export interface PingWay {
  family: 'IPv4' | 'IPv6'
  way: 'socket' | 'program' | 'none'
  detail: string
  /** What opens the better way; null where it is open. */
  remedy: string | null
}

const REMEDY =
  'Open ping sockets: sysctl -w net.ipv4.ping_group_range="0 2147483647" (it counts for IPv6 too; put it into /etc/sysctl.d to keep it)'

/** Tries each family on the loopback address. Closes inherited sockets. */
export const examinePing = (inherited: InheritedSockets): Promise<PingWay[]> =>
  Promise.all([examine('IPv4', 4, '127.0.0.1', inherited), examine('IPv6', 6, '::1', inherited)])

async function examine(name: PingWay['family'], family: 4 | 6, address: string, inherited: InheritedSockets): Promise<PingWay> {
  const own = openPingSocket(family)
  const socket = own ?? openInheritedSocket(family, inherited)
  const descriptor = descriptorOf(family, inherited)
  if (socket) {
    socket.close()
    const detail = own ? 'one socket for all checks' : `descriptor ${descriptor}, for all checks`
    return { family: name, way: 'socket', detail, remedy: null }
  }
  const unusable = descriptor === undefined ? '' : `Descriptor ${descriptor} is no bound ping socket over ${name}. `
  const remedy = `${unusable}${REMEDY}`
  const fault = await new Promise<string | undefined>((resolve) => {
    const order = { address, family, packets: 1, packetBytes: 56, timeoutMs: 2_000 }
    createSystemPinger().start(order, {
      reply: () => {},
      end: () => resolve(undefined),
      fault: ({ message }) => resolve(message),
    })
  })
  return fault === undefined
    ? { family: name, way: 'program', detail: "a process of the system's ping for each check, 16 at once", remedy }
    : { family: name, way: 'none', detail: fault, remedy: `${remedy}, or install ping (iputils-ping)` }
}
