import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { once } from 'node:events'
import type { CheckTypeId } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createProber, type Prober } from '../index.ts'
import { createDomainKind } from '../kinds/domain/index.ts'
import { type AnyKind, CHECK_KINDS } from '../kinds/index.ts'
import { createIcmpKind } from '../kinds/icmp/index.ts'
import { targetOfUrl } from '../kinds/url-target.ts'
import { defineCheck } from './define-check.ts'
import type { DnsServer } from './dns-server.ts'
import {
  FORBIDDEN_IPV4,
  HOSTS_FILE,
  LEADING_INSIDE,
  LITERALS,
  NAMES,
  nameOf,
  OPEN,
  OPEN_HOST,
  OPEN_RANGE,
  SAID,
  startLeadingServer,
} from './guard-table.ts'
import { startTarget, type Target } from './targets.ts'

/** The table of the address guard for each kind of check but `http` and `upstream`, whose requests are those of `http`: nothing may arrive at an address that is not open. */
interface Case {
  type: CheckTypeId
  url(host: string): string
  options?: Record<string, unknown>
  /** Its target answers nothing, so that a check which reaches it lasts until it is canceled. */
  isDatagrams?: true
}

const textsOf = (options: object) =>
  Object.values(options)
    .filter((value) => typeof value === 'string')
    .join('')

let target: Target
let dns: DnsServer
let prober: Prober
/** What arrived at an open address, and at any other. */
let allowed = 0
let forbidden: string[] = []
function arrive(address: string): void {
  if (address === OPEN) allowed += 1
  else forbidden.push(address)
}
const datagrams: DatagramSocket[] = []

const icmp = createIcmpKind(() => ({
  start({ address }, { reply, end }) {
    arrive(address)
    reply(0, 1_000)
    end()
    return () => {}
  },
}))

/** The host of RDAP and WHOIS by the number in a domain: a check never connects to the domain itself. */
const registries: string[] = []
const registryOf = (name: string): string => registries[Number(/\d+/.exec(name)?.[0])] ?? ''
const domain = (): AnyKind => ({
  ...createDomainKind({ rdapServerOf: () => undefined, root: { host: '', port: 0 }, whoisPort: 0 }),
  start(definition: { url: string }, attempt, tools) {
    const host = registryOf(definition.url)
    const root = targetOfUrl(`whois://${host}`, target.port) ?? { host: '', port: 0 }
    createDomainKind({ rdapServerOf: () => `http://${host}:${target.port}/`, root, whoisPort: target.port }).start(
      definition as never,
      attempt,
      tools,
    )
  },
})

async function listenForDatagrams(address: string): Promise<void> {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', reuseAddr: true })
  socket.on('message', () => arrive(address))
  socket.bind(target.port, address)
  await once(socket, 'listening')
  datagrams.push(socket)
}

beforeAll(async () => {
  target = await startTarget((socket) => {
    arrive(socket.localAddress?.replace(/^::ffff:/, '') ?? '')
    socket.end()
  }, '::')
  // The more specific one gets what comes to the open address.
  for (const address of ['::', OPEN]) await listenForDatagrams(address)
  dns = await startLeadingServer()
  prober = createProber(
    { allowPrivateTargets: [OPEN_RANGE], dnsServers: [dns.address], hostsFile: HOSTS_FILE },
    { kinds: [...CHECK_KINDS.filter(({ type }) => type !== 'icmp' && type !== 'domain'), icmp, domain()] },
  )
})
beforeEach(() => (forbidden = []))
afterAll(async () => {
  prober.close()
  for (const socket of datagrams) socket.close()
  await Promise.all([target.close(), dns.close()])
})

const CASES: Case[] = [
  { type: 'tcp', url: (host) => `tcp://${host}:${target.port}` },
  { type: 'icmp', url: (host) => `icmp://${host}` },
  { type: 'domain', url: (host) => `domain://d${registries.push(host) - 1}.test` },
  { type: 'tls', url: (host) => `tls://${host}:${target.port}` },
  { type: 'steps', url: (host) => `http://${host}:${target.port}/`, options: { steps: [{ name: 'one', url: '/' }] } },
  { type: 'tls', url: (host) => `tls://${host}:${target.port}`, options: { starttls: 'imap' } },
  ...(['udp', 'tcp', 'tls'] as const).map(
    (transport): Case => ({
      type: 'dns',
      url: (host) => `dns://${host}:${target.port}/example.com`,
      options: { transport },
      ...(transport === 'udp' && { isDatagrams: true }),
    }),
  ),
  { type: 'websocket', url: (host) => `ws://${host}:${target.port}/` },
  { type: 'grpc', url: (host) => `grpc://${host}:${target.port}` },
  ...(['ntp', 'radius', 'sip', 'snmp', 'udp'] as const).map(
    (type): Case => ({ type, url: (host) => `${type}://${host}:${target.port}`, isDatagrams: true }),
  ),
  { type: 'snmp', url: (host) => `snmp://${host}:${target.port}`, options: { version: '3' }, isDatagrams: true },
  { type: 'sip', url: (host) => `sip://${host}:${target.port}`, options: { transport: 'tcp' } },
  { type: 'sip', url: (host) => `sips://${host}:${target.port}`, options: { user: 'secure' } },
  { type: 'rtsp', url: (host) => `rtsp://${host}:${target.port}/` },
  { type: 'ldap', url: (host) => `ldap://${host}:${target.port}` },
  { type: 'ldap', url: (host) => `ldap://${host}:${target.port}`, options: { starttls: true, attribute: 'starttls' } },
  ...(['ftp', 'imap', 'mongodb', 'mqtt', 'mysql', 'postgres', 'redis', 'smtp', 'ssh'] as const).map(
    (type): Case => ({ type, url: (host) => `${type}://${host}:${target.port}` }),
  ),
]

test('mail ports are refused to each kind but smtp [CHECK-23]', async () => {
  const withPorts = CASES.filter(({ type, url }) => type !== 'smtp' && url(OPEN_HOST).includes(`:${target.port}`))
  expect(withPorts.length).toBeGreaterThan(5)
  for (const { type, url, options } of withPorts) {
    const urls = [25, 465, 587].map((port) => url(OPEN_HOST).replace(`:${target.port}`, `:${port}`))
    const results = await Promise.all(urls.map((each) => prober.check(defineCheck(type, each, options))))
    expect(results.map(({ error }) => error?.code)).toEqual(['blocked', 'blocked', 'blocked'])
  }
})

describe.each(CASES)('a private address and a check of type $type $options', ({ type, url, options = {}, isDatagrams }) => {
  const check = (host: string, signal?: AbortSignal) =>
    prober.check(defineCheck(type, url(host), options, { timeout: 1 }), signal ? { signal } : {})
  /** Each of them reaches an open address. */
  const reach = async (hosts: readonly string[]) => {
    const [before, cancel] = [allowed, new AbortController()]
    const results = hosts.map((host) => check(host, cancel.signal))
    await expect.poll(() => allowed).toBeGreaterThanOrEqual(before + hosts.length)
    if (isDatagrams) cancel.abort()
    return Promise.all(results)
  }
  const notBlocked = async (hosts: readonly string[]) => {
    const results = await Promise.all(hosts.map(async (host) => ({ host, result: await check(host) })))
    return results.filter(({ result }) => result.outcome !== 'down' || result.error?.code !== 'blocked')
  }

  test('an open address is reached', async () => {
    expect(await reach([OPEN_HOST])).toHaveLength(1)
  })

  test('is not reached in any spelling or name', async () => {
    const hosts = [...LITERALS, ...NAMES, ...Object.keys(LEADING_INSIDE)]
    expect(hosts.length).toBeGreaterThanOrEqual(85)
    expect(await notBlocked(hosts)).toEqual([])
    expect(forbidden).toEqual([])
  })

  test.each(Object.keys(SAID))('is not reached by a name whose DNS answer is %s', async (how) => {
    expect(await notBlocked(FORBIDDEN_IPV4.map((inside) => nameOf(how, inside)))).toEqual([])
    expect(forbidden).toEqual([])
  })

  test('is not reached by a name that was public in the previous check', async () => {
    const names = FORBIDDEN_IPV4.map((inside) => nameOf(`rebinding-${type}-${textsOf(options)}`, inside))
    const first = await reach(names)
    expect(new Set(first.map(({ address }) => address))).toEqual(new Set([OPEN]))
    expect(await notBlocked(names)).toEqual([])
    expect(forbidden).toEqual([])
  })
})
