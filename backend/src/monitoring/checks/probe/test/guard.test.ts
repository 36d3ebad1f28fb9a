import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  PRIVATE_RANGES,
  type AddressPolicy,
  createAddressGuard,
  createGuardedConnect,
  createProber,
  type GuardedConnect,
  GuardedConnectError,
  type Prober,
} from '../index.ts'
import type { DnsServer } from './dns-server.ts'
import {
  FORBIDDEN_IPV4,
  grouped,
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
import { define, readRequest, startTarget, type Target } from './targets.ts'

/** An address that no policy opens as a whole, the range that names it, and one around that range. */
const GUARDED: [address: string, own: string, around: string][] = [
  ['169.254.169.254', '169.254.0.0/16', '168.0.0.0/6'],
  ['169.254.170.2', '169.254.170.2/32', '169.0.0.0/8'],
  ['168.63.129.16', '168.63.129.16/32', '168.63.129.0/24'],
  ['100.100.100.200', '100.100.100.200/32', '100.64.0.0/10'],
  ['192.0.0.192', '192.0.0.192/32', '192.0.0.0/24'],
  ['fe80::1', 'fe80::/10', 'fe00::/9'],
  ['fe80::a9fe:a9fe', 'fe80::/64', 'fc00::/6'],
  ['fd00:ec2::254', 'fd00:ec2::254/128', 'fd00::/8'],
  ['fd00:ec2::23', 'fd00:ec2::/32', 'fd00::/16'],
  ['fd20:ce::254', 'fd20:ce::254/128', 'fd20:ce::/32'],
  ['fd00:c1::a9fe:a9fe', 'fd00:c1::a9fe:a9fe/128', 'fd00:c1::/32'],
  ['fd00:42::42', 'fd00:42::42/128', 'fd00:42::/32'],
]

let target: Target
let dns: DnsServer
let prober: Prober
let guardedConnect: GuardedConnect
let forbidden: string[] = []
let allowed = 0
/** Numbers in the paths of requests, wherever they came in. */
const reached = new Set<string>()

/** `/302/<location in base64>`; everything else is a page. */
function answer(socket: Socket, request: string): void {
  reached.add(/^\w+ \/reached\/(\d+)/.exec(request)?.[1] ?? '')
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
  dns = await startLeadingServer()
  const options = { allowPrivateTargets: [OPEN_RANGE], dnsServers: [dns.address], hostsFile: HOSTS_FILE }
  prober = createProber(options)
  guardedConnect = createGuardedConnect(options)
})

afterAll(async () => {
  prober.close()
  await Promise.all([target.close(), dns.close()])
})

test('an allowed address is reached directly and through redirects', async () => {
  allowed = 0
  for (const url of [urlOf(OPEN_HOST), redirecting(302, urlOf(OPEN_HOST))])
    expect(await prober.check(define(url))).toMatchObject({ outcome: 'up', address: OPEN, status_code: 200 })
  expect(allowed).toBe(3)
})

const REDIRECTS = [301, 302, 303, 307, 308]

/** All that is wrong about results that should each be a refusal: empty. */
async function notBlocked(checks: readonly { name: string; url: string }[]): Promise<unknown[]> {
  const results = await Promise.all(checks.map(async ({ name, url }) => ({ name, result: await prober.check(define(url)) })))
  return results.filter(({ result }) => result.outcome !== 'down' || result.error?.code !== 'blocked')
}

describe('a private address', () => {
  const hosts = [...LITERALS, ...NAMES, ...Object.keys(LEADING_INSIDE)]
  type Way = [name: string, way: (host: string) => string]
  const direct: Way[] = [
    ['directly', urlOf],
    ['directly in TLS', (host) => `https://${host}:${target.port}/`],
  ]
  const redirected: Way[] = [
    ...REDIRECTS.map((status): Way => [`by a ${status}`, (host) => redirecting(status, urlOf(host))]),
    ['by a second redirect', (host) => redirecting(302, redirecting(307, urlOf(host)))],
    [
      'by a fifth redirect',
      (host) => [307, 303, 302, 301].reduce((to, status) => redirecting(status, to), redirecting(308, urlOf(host))),
    ],
    ['by a redirect to TLS', (host) => redirecting(302, `https://${host}:${target.port}/`)],
    ['by a redirect without a scheme', (host) => redirecting(302, `//${host}:${target.port}/`)],
    ['by a redirect with credentials', (host) => redirecting(302, `http://${OPEN_HOST}@${host}:${target.port}/`)],
  ]

  async function expectBlocked(_name: string, way: (host: string) => string) {
    forbidden = []
    expect(await notBlocked(hosts.map((host) => ({ name: host, url: way(host) })))).toEqual([])
    expect(forbidden).toEqual([])
  }
  test.each(direct)('is not reached %s [CHECK-19, CHECK-20, CHECK-22]', expectBlocked)
  test.each(redirected)('is not reached %s [CHECK-21, CHECK-22]', expectBlocked)

  const said = Object.keys(SAID)
  test.each(said)('is not reached by a name whose DNS answer is %s', async (how) => {
    forbidden = []
    const names = FORBIDDEN_IPV4.map((inside) => nameOf(how, inside))
    const checks = names.flatMap((name) => [urlOf(name), redirecting(302, urlOf(name))].map((url) => ({ name, url })))
    expect(checks).toHaveLength(34)
    expect(await notBlocked(checks)).toEqual([])
    expect(forbidden).toEqual([])
  })

  test.each(REDIRECTS)('is not reached by a name that resolves to it after a redirect with %d [CHECK-21]', async (status) => {
    forbidden = []
    allowed = 0
    const checks = FORBIDDEN_IPV4.map((inside) => {
      const name = nameOf(`rebinding-${status}`, inside)
      const location = Buffer.from(urlOf(name)).toString('base64url')
      return { name, url: `http://${name}:${target.port}/${status}/${location}` }
    })
    expect(await notBlocked(checks)).toEqual([])
    expect(allowed).toBe(FORBIDDEN_IPV4.length)
    expect(forbidden).toEqual([])
  })

  test('is not reached by a name that was public in the previous check', async () => {
    forbidden = []
    const checks = FORBIDDEN_IPV4.map((inside) => nameOf('rebinding', inside)).map((name) => ({ name, url: urlOf(name) }))
    const first = await Promise.all(checks.map(({ url }) => prober.check(define(url))))
    expect(new Set(first.map(({ outcome, address }) => `${outcome} ${address}`))).toEqual(new Set([`up ${OPEN}`]))
    expect(await notBlocked(checks)).toEqual([])
    expect(forbidden).toEqual([])
  })

  test('has at least 400 variants in these tests', () => {
    const byDns = said.length * FORBIDDEN_IPV4.length * 2 + (REDIRECTS.length + 1) * FORBIDDEN_IPV4.length
    expect(new Set(hosts).size).toBe(hosts.length)
    expect({ spellings: LITERALS.length + NAMES.length, ways: direct.length + redirected.length, byDns }).toEqual({
      spellings: OPEN === '::1' ? 75 : 78,
      ways: 12,
      byDns: 510,
    })
  })

  test('is reached by every variant that leads to this machine if there is no guard', async () => {
    const unguarded = createProber({ allowPrivateTargets: 'all', dnsServers: [dns.address], hostsFile: HOSTS_FILE })
    const inside = hosts.filter((host) => /127\.|7f|2130706433|0177|localhost|\.test$/i.test(host))
    reached.clear()
    const urlOfNumber = (host: string, n: number) => `http://${host}:${target.port}/reached/${n}`
    await Promise.all(inside.map((host, n) => unguarded.check(define(urlOfNumber(host, n), { timeout: 3 }))))
    const found = inside.filter((_, n) => reached.has(String(n)))
    unguarded.close()
    expect(found).toEqual(expect.arrayContaining(['127.1', '2130706433', '0x7f.0.0.1', '0177.1', 'localhost', 'bad.test']))
    expect(found.length).toBeGreaterThanOrEqual(20)
  })

  test('is not reached by a connection for another sender', async () => {
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
    'is not reached by a redirect to %s',
    async (location) => {
      expect((await prober.check(define(redirecting(302, location)))).error?.code).toBe('blocked')
    },
  )
})

describe('the address policy', () => {
  test('mail ports are refused whatever is open, and no others [CHECK-23]', async () => {
    const everywhere = createProber({ allowPrivateTargets: 'all' })
    for (const port of [25, 465, 587]) {
      const { outcome, error } = await everywhere.check(define(`http://127.0.0.1:${port}/`))
      expect([outcome, error?.code]).toEqual(['down', 'blocked'])
      expect(error?.message).toContain(String(port))
    }
    const { error } = await everywhere.check(define('http://127.0.0.1:2525/'))
    expect(error?.code).not.toBe('blocked')
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
    ['all' as const, '::1', true],
    ['all' as const, '10.1.2.3', true],
    ['all' as const, '100.64.0.1', true],
    ['all' as const, 'fd12::1', true],
    ['all' as const, '64:ff9b::7f00:1', true],
    ['all' as const, 'not an address', false],
    [PRIVATE_RANGES, '10.1.2.3', true],
    [PRIVATE_RANGES, '172.31.255.255', true],
    [PRIVATE_RANGES, '192.168.0.1', true],
    [PRIVATE_RANGES, 'fc00::1', true],
    [PRIVATE_RANGES, '127.0.0.1', false],
    [PRIVATE_RANGES, '::1', false],
    [PRIVATE_RANGES, '0.0.0.0', false],
    [PRIVATE_RANGES, '172.32.0.1', true],
    [PRIVATE_RANGES, '100.64.0.1', false],
  ])('that allows %j permits the address %s: %s [CHECK-19, CHECK-20, CHECK-24]', (allowPrivateTargets, address, isOpen) => {
    expect(createAddressGuard({ allowPrivateTargets }).addressFault(address) === undefined).toBe(isOpen)
  })

  describe.each(GUARDED)('%s, an address of link-local or cloud metadata', (address, own, around) => {
    const forms = address.includes(':')
      ? [address]
      : [
          address,
          `::ffff:${address}`,
          `::ffff:${grouped(address)}`,
          `64:ff9b::${grouped(address)}`,
          `64:ff9b:1::${grouped(address)}`,
          `2002:${grouped(address)}::1`,
          `::${grouped(address)}`,
          `::ffff:0:${grouped(address)}`,
          `2001:0:${grouped(address)}::`,
          `2001:470::5efe:${grouped(address)}`,
        ]
    const isOpenBy = (allowPrivateTargets: AddressPolicy['allowPrivateTargets'], form: string) =>
      createAddressGuard({ allowPrivateTargets }).addressFault(form) === undefined

    test('is refused in every form by `all`, by the box of the set-up, and by a range around it [CHECK-27]', () => {
      const policies = ['all' as const, PRIVATE_RANGES, [around], ['0.0.0.0/0', '::/0']]
      const open = policies.flatMap((policy) => forms.filter((form) => isOpenBy(policy, form)))
      expect(open).toEqual([])
    })

    test('is opened by a range that names it', () => {
      for (const range of [own, address]) expect(isOpenBy([range], address)).toBe(true)
    })
  })

  test('names of metadata services are refused by any policy', () => {
    for (const allowPrivateTargets of ['all' as const, PRIVATE_RANGES, ['169.254.0.0/16']])
      for (const name of ['metadata.google.internal', 'METADATA.', 'instance-data.ec2.internal'])
        expect(createAddressGuard({ allowPrivateTargets }).nameFault(name)).toContain('metadata')
  })

  test('an invalid range is refused', () => {
    for (const range of ['10.0.0.0/33', 'everything', '10.0.0', '10.0.0/8', '0x7f.1', '10.0.0.0/-1', '10.0.0.0/8/8', ''])
      expect(() => createAddressGuard({ allowPrivateTargets: [range] })).toThrow(/range|CIDR/)
  })

  test('a message contains no address of our own name server', async () => {
    const { error, address } = await prober.check(define(urlOf('good-and-private.test')))
    expect(error?.message).not.toContain('10.1.2.3')
    expect(address).toBeNull()
  })
})
