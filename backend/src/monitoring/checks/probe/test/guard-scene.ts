import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { once } from 'node:events'
import type { CheckTypeId } from '@vedette/shared'
import { createProber, type Prober } from '../index.ts'
import { createDomainKind } from '../kinds/domain/index.ts'
import { type AnyKind, CHECK_KINDS } from '../kinds/index.ts'
import { createIcmpKind } from '../kinds/icmp/index.ts'
import { targetOfUrl } from '../kinds/url-target.ts'
import { HOSTS_FILE, OPEN, OPEN_RANGE, startLeadingServer } from './guard-table.ts'
import { startTarget } from './targets.ts'

export interface GuardCase {
  type: CheckTypeId
  url(host: string): string
  options?: Record<string, unknown>
  /** Its target answers nothing, so that a check which reaches it lasts until it is canceled. */
  isDatagrams?: true
}

/** What a prober reaches whose policy opens one address; every other address of this machine listens as well. */
export interface GuardScene {
  port: number
  prober: Prober
  /** `address:port` of the name server. */
  dns: string
  /** What arrived at the open address, and at any other. */
  arrived: { allowed: number; forbidden: string[] }
  close(): Promise<void>
}

export async function startGuardScene(): Promise<GuardScene> {
  const arrived: GuardScene['arrived'] = { allowed: 0, forbidden: [] }
  const arrive = (address: string) => {
    if (address === OPEN) arrived.allowed += 1
    else arrived.forbidden.push(address)
  }
  const target = await startTarget((socket) => {
    arrive(socket.localAddress?.replace(/^::ffff:/, '') ?? '')
    socket.end()
  }, '::')
  // The more specific one gets what comes to the open address.
  const datagrams = [await listenForDatagrams('::', target.port, arrive), await listenForDatagrams(OPEN, target.port, arrive)]
  const dns = await startLeadingServer()
  const icmp = createIcmpKind(() => ({
    start({ address }, { reply, end }) {
      arrive(address)
      reply(0, 1_000)
      end()
      return () => {}
    },
  }))
  const prober = createProber(
    { allowPrivateTargets: [OPEN_RANGE], dnsServers: [dns.address], hostsFile: HOSTS_FILE },
    { kinds: [...CHECK_KINDS.filter(({ type }) => type !== 'icmp' && type !== 'domain'), icmp, domainAt(target.port)] },
  )
  return {
    port: target.port,
    prober,
    dns: dns.address,
    arrived,
    async close() {
      prober.close()
      for (const socket of datagrams) socket.close()
      await Promise.all([target.close(), dns.close()])
    },
  }
}

async function listenForDatagrams(address: string, port: number, arrive: (address: string) => void): Promise<DatagramSocket> {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', reuseAddr: true })
  socket.on('message', () => arrive(address))
  socket.bind(port, address)
  await once(socket, 'listening')
  return socket
}

/** The host of RDAP and WHOIS by the number in a domain: a check never connects to the domain itself. */
const registries: string[] = []
const registryOf = (name: string): string => registries[Number(/\d+/.exec(name)?.[0])] ?? ''
const domainAt = (port: number): AnyKind => ({
  ...createDomainKind({ rdapServerOf: () => undefined, root: { host: '', port: 0 }, whoisPort: 0 }),
  start(definition: { url: string }, attempt, tools) {
    const host = registryOf(definition.url)
    const root = targetOfUrl(`whois://${host}`, port) ?? { host: '', port: 0 }
    createDomainKind({ rdapServerOf: () => `http://${host}:${port}/`, root, whoisPort: port }).start(
      definition as never,
      attempt,
      tools,
    )
  },
})

/** The kinds but `http` and `upstream`, whose requests are those of `steps`. `port` of the scene. */
export const guardCases = (port: () => number): GuardCase[] => [
  { type: 'tcp', url: (host) => `tcp://${host}:${port()}` },
  { type: 'icmp', url: (host) => `icmp://${host}` },
  { type: 'domain', url: (host) => `domain://d${registries.push(host) - 1}.test` },
  { type: 'tls', url: (host) => `tls://${host}:${port()}` },
  { type: 'steps', url: (host) => `http://${host}:${port()}/`, options: { steps: [{ name: 'one', url: '/' }] } },
  { type: 'tls', url: (host) => `tls://${host}:${port()}`, options: { starttls: 'imap' } },
  ...(['udp', 'tcp', 'tls'] as const).map(
    (transport): GuardCase => ({
      type: 'dns',
      url: (host) => `dns://${host}:${port()}/example.com`,
      options: { transport },
      ...(transport === 'udp' && { isDatagrams: true }),
    }),
  ),
  { type: 'websocket', url: (host) => `ws://${host}:${port()}/` },
  { type: 'grpc', url: (host) => `grpc://${host}:${port()}` },
  ...(['ntp', 'radius', 'sip', 'snmp', 'udp'] as const).map(
    (type): GuardCase => ({ type, url: (host) => `${type}://${host}:${port()}`, isDatagrams: true }),
  ),
  { type: 'snmp', url: (host) => `snmp://${host}:${port()}`, options: { version: '3' }, isDatagrams: true },
  { type: 'sip', url: (host) => `sip://${host}:${port()}`, options: { transport: 'tcp' } },
  { type: 'sip', url: (host) => `sips://${host}:${port()}`, options: { user: 'secure' } },
  { type: 'rtsp', url: (host) => `rtsp://${host}:${port()}/` },
  { type: 'ldap', url: (host) => `ldap://${host}:${port()}` },
  { type: 'ldap', url: (host) => `ldap://${host}:${port()}`, options: { starttls: true, attribute: 'starttls' } },
  ...(['ftp', 'imap', 'mongodb', 'mqtt', 'mysql', 'postgres', 'redis', 'smtp', 'ssh'] as const).map(
    (type): GuardCase => ({ type, url: (host) => `${type}://${host}:${port()}` }),
  ),
]
