import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createAddressGuard,
  createGuardedConnect,
  createProber,
  type GuardedConnect,
  GuardedConnectError,
  type Prober,
} from '../index.ts'
import { type DnsServer, type DnsReply, startDnsServer } from './dns-server.ts'
import { define, readRequest, startTarget, type Target } from './targets.ts'

/**
 * One listener for all addresses of this machine: what comes to the one open address is allowed, everything else is a hole in the
 * guard, however it was spelled. macOS has one IPv4 loopback address, so there the open one is IPv6.
 */
const OPEN = process.platform === 'linux' ? '127.0.0.2' : '::1'
const OPEN_RANGE = `${OPEN}/${OPEN === '::1' ? 128 : 32}`
const OPEN_HOST = OPEN === '::1' ? '[::1]' : OPEN

const words = (text: string) => text.trim().split(/\s+/)

const LITERALS = words(`
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7F.1 0x7f.0.0.1 0177.0.0.1 0177.1 017700000001 0x7f.0x0.0x0.0x1 127.0.0.1.
  0 0.0.0.0 0x0 00 127.0.0.3 127.127.127.127 127.255.255.254
  [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1] [::FFFF:7F00:0001] [::ffff:0.0.0.0] [::127.0.0.1] [::7f00:1]
  [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:1::1] [2002:a00:1::1]
  [2001:0:7f00:1::] [2001:0:808:808::80ff:fffe] [2001:470::5efe:7f00:1] [2001:470::200:5efe:127.0.0.1]
  [fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1] [fec0::1] [100::1] [2001:db8::1] [5f00::1]
  １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 127．0．0．1 127%2e0.0.1 %31%32%37.0.0.1
  10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 100.64.0.1 100.100.100.200 192.0.0.192 198.18.0.1
  168.63.129.16 224.0.0.1 255.255.255.255 240.0.0.1
  ${OPEN === '::1' ? '' : '[::1] [0:0:0:0:0:0:0:1] [0000::0001]'}
`)
const NAMES = words(`
  localhost LOCALHOST LocalHost. x.localhost loc%61lhost ｌｏｃａｌｈｏｓｔ metadata.google.internal METADATA
  instance-data.ec2.internal. in-hosts-file.test
`)

/** What DNS may say to lead inside. `rebinding` is good when it is asked first, and bad from then on. */
const LEADING_INSIDE: Record<string, (family: 4 | 6, isFirst: boolean) => DnsReply> = {
  'bad.test': (family) => ({ addresses: family === 4 ? ['127.0.0.1'] : [] }),
  'good-and-bad.test': (family) => addresses(family, OPEN, '127.0.0.1'),
  'bad-and-good.test': (family) => addresses(family, '127.0.0.1', OPEN),
  'good-and-private.test': (family) => addresses(family, OPEN, '10.1.2.3'),
  'alias.test': (family) => ({ ...addresses(family, '127.0.0.1'), cname: 'localhost' }),
  'mapped.test': (family) => addresses(family, '::ffff:127.0.0.1'),
  'good-and-mapped.test': (family) => addresses(family, OPEN, '::ffff:127.0.0.1'),
  'nat64.test': (family) => addresses(family, '64:ff9b::7f00:1'),
  '6to4.test': (family) => addresses(family, '2002:7f00:1::1'),
  'teredo.test': (family) => addresses(family, '2001:0:7f00:1::1'),
  'compatible.test': (family) => addresses(family, '::7f00:1'),
  'unspecified.test': (family) => addresses(family, '0.0.0.0', '::'),
  'metadata.test': (family) => addresses(family, '169.254.169.254'),
}

function addresses(family: 4 | 6, ...all: string[]): { addresses: string[] } {
  return { addresses: all.filter((address) => address.includes(':') === (family === 6)) }
}

const HOSTS_FILE = new URL('./hosts', import.meta.url).pathname

let target: Target
let dns: DnsServer
let prober: Prober
let guardedConnect: GuardedConnect
let forbidden: string[] = []
let allowed = 0

/** `/302/<location in base64>`; everything else is a page. */
function answer(socket: Socket, request: string): void {
  const [, status, encoded] = /^\w+ \/(\d{3})\/([\w-]+)/.exec(request) ?? []
  const location = encoded === undefined ? '' : Buffer.from(encoded, 'base64url').toString()
  socket.end(`HTTP/1.1 ${status ?? 200} X\r\n${status ? `Location: ${location}\r\n` : ''}Content-Length: 2\r\n\r\nok`)
}

const redirecting = (status: number, to: string) =>
  `http://${OPEN_HOST}:${target.port}/${status}/${Buffer.from(to).toString('base64url')}`
const urlOf = (host: string) => `http://${host}:${target.port}/inside`

beforeAll(async () => {
  target = await startTarget((socket) => {
    const local = socket.localAddress?.replace(/^::ffff:/, '') ?? ''
    if (local === OPEN) allowed++
    else forbidden.push(local)
    readRequest(socket, (request) => answer(socket, request))
  }, '::')
  const asked = new Map<string, number>()
  dns = await startDnsServer((name, family) => {
    const times = asked.get(`${name}/${family}`) ?? 0
    asked.set(`${name}/${family}`, times + 1)
    if (name.startsWith('rebinding')) return addresses(family, times === 0 ? OPEN : '127.0.0.1')
    return LEADING_INSIDE[name]?.(family, times === 0) ?? 'NXDOMAIN'
  })
  const options = { allowPrivateTargets: [OPEN_RANGE], dnsServers: [dns.address], hostsFile: HOSTS_FILE }
  prober = createProber(options)
  guardedConnect = createGuardedConnect(options)
})

afterAll(async () => {
  prober.close()
  await Promise.all([target.close(), dns.close()])
})

test('the open address is reached, directly and by redirects: the listener sees what comes', async () => {
  allowed = 0
  for (const url of [urlOf(OPEN_HOST), redirecting(302, urlOf(OPEN_HOST))])
    expect(await prober.check(define(url))).toMatchObject({ outcome: 'up', address: OPEN, status_code: 200 })
  expect(allowed).toBe(3)
})

describe('nothing leads inside', () => {
  const hosts = [...LITERALS, ...NAMES, ...Object.keys(LEADING_INSIDE)]
  const ways: [name: string, way: (host: string) => string][] = [
    ['directly', urlOf],
    ...[301, 302, 303, 307, 308].map((status): [string, (host: string) => string] => [
      `by a ${status}`,
      (host) => redirecting(status, urlOf(host)),
    ]),
    ['by a second redirect', (host) => redirecting(302, redirecting(307, urlOf(host)))],
    ['by a redirect with credentials', (host) => redirecting(302, `http://${OPEN_HOST}@${host}:${target.port}/`)],
  ]

  test.each(ways)('%s [CHECK-19, CHECK-20, CHECK-21, CHECK-22, CHECK-05]', async (_name, way) => {
    forbidden = []
    const results = await Promise.all(hosts.map(async (host) => ({ host, result: await prober.check(define(way(host))) })))
    const passed = results.filter(({ result }) => result.outcome !== 'down' || result.error?.code !== 'blocked')
    expect(passed).toEqual([])
    expect(forbidden).toEqual([])
  })

  test('there are enough variants', () => {
    expect(hosts.length).toBeGreaterThanOrEqual(80)
    expect(hosts.length * ways.length).toBeGreaterThanOrEqual(400)
  })

  test('by a name that is answered otherwise the second time [CHECK-21]', async () => {
    forbidden = []
    allowed = 0
    for (const status of [301, 302, 303, 307, 308]) {
      const name = `rebinding-${status}.test`
      const there = urlOf(name)
      const url = `http://${name}:${target.port}/${status}/${Buffer.from(there).toString('base64url')}`
      expect((await prober.check(define(url))).error?.code).toBe('blocked')
    }
    expect(allowed).toBe(5)
    expect(forbidden).toEqual([])
  })

  test('by a connection for another sender', async () => {
    forbidden = []
    const toHost = (host: string) => new URL(urlOf(host)).hostname.replace(/^\[|\]$/g, '')
    const codes = await Promise.all(
      hosts.map(async (host) => {
        try {
          const socket = await guardedConnect({ host: toHost(host), port: target.port }, { timeoutMs: 5_000 })
          socket.destroy()
          return host
        } catch (error) {
          return error instanceof GuardedConnectError ? error.code : error
        }
      }),
    )
    expect(new Set(codes)).toEqual(new Set(['blocked']))
    expect(forbidden).toEqual([])
    const socket = await guardedConnect({ host: OPEN, port: target.port }, { timeoutMs: 5_000 })
    expect(socket.remoteAddress).toBe(OPEN)
    socket.destroy()
  })

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'gopher://127.0.0.1:25/', 'javascript:1', 'data:,x', 'unix:/run/x'])(
    'by a redirect to %s',
    async (location) => {
      expect((await prober.check(define(redirecting(302, location)))).error?.code).toBe('blocked')
    },
  )
})

describe('the policy', () => {
  test('mail, news and chat ports are refused whatever is open [CHECK-23]', async () => {
    const everywhere = createProber({ allowPrivateTargets: 'all' })
    for (const port of [24, 25, 119, 465, 563, 587, 2525, 6667]) {
      const { outcome, error } = await everywhere.check(define(`http://127.0.0.1:${port}/`))
      expect([outcome, error?.code]).toEqual(['down', 'blocked'])
      expect(error?.message).toContain(String(port))
    }
    everywhere.close()
  })

  test.each([
    [['10.0.0.0/8'], '10.1.2.3', true],
    [['10.0.0.0/8'], '11.0.0.1', true],
    [['10.0.0.0/8'], '192.168.0.1', false],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['10.0.0.0/8'], '64:ff9b::a01:203', false],
    [['10.0.0.0/8', '64:ff9b::/96'], '64:ff9b::a01:203', true],
    [['64:ff9b::/96'], '64:ff9b::a01:203', false],
    [['64:ff9b::/96'], '64:ff9b::808:808', true],
    [['fd00::/8'], 'fd12::1', true],
    [['fd00::/8'], 'fe80::1', false],
    [['127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '127.0.0.2', false],
    [[], '8.8.8.8', true],
    [[], '2606:4700::1111', true],
    [[], '4000::1', false],
    [[], 'not an address', false],
    ['all' as const, '127.0.0.1', true],
  ])('%j and %s: %s [CHECK-19, CHECK-20, CHECK-24]', (allowPrivateTargets, address, isOpen) => {
    expect(createAddressGuard({ allowPrivateTargets }).addressFault(address) === undefined).toBe(isOpen)
  })

  test('a range that cannot be read is no policy', () => {
    for (const range of ['10.0.0.0/33', 'everything', '10.0.0', '10.0.0/8', '0x7f.1', '10.0.0.0/-1', '10.0.0.0/8/8', ''])
      expect(() => createAddressGuard({ allowPrivateTargets: [range] })).toThrow(/range|CIDR/)
  })

  test('a message does not tell what only our name server knows', async () => {
    const { error, address } = await prober.check(define(urlOf('good-and-private.test')))
    expect(error?.message).not.toContain('10.1.2.3')
    expect(address).toBeNull()
  })
})
