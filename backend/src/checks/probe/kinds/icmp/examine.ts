import { openPingSocket } from './ping-socket.ts'
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

/** Tries each family on the loopback address. */
export const examinePing = (): Promise<PingWay[]> => Promise.all([examine('IPv4', 4, '127.0.0.1'), examine('IPv6', 6, '::1')])

async function examine(name: PingWay['family'], family: 4 | 6, address: string): Promise<PingWay> {
  const socket = openPingSocket(family)
  if (socket) {
    socket.close()
    return { family: name, way: 'socket', detail: 'one socket for all checks', remedy: null }
  }
  const fault = await new Promise<string | undefined>((resolve) => {
    const order = { address, family, packets: 1, packetBytes: 56, timeoutMs: 2_000 }
    createSystemPinger().start(order, {
      reply: () => {},
      end: () => resolve(undefined),
      fault: ({ message }) => resolve(message),
    })
  })
  return fault === undefined
    ? { family: name, way: 'program', detail: "a process of the system's ping for each check, 16 at once", remedy: REMEDY }
    : { family: name, way: 'none', detail: fault, remedy: `${REMEDY}, or install ping (iputils-ping)` }
}
