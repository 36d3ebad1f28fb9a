import { type DnsServer, type DnsReply, startDnsServer } from './dns-server.ts'

/**
 * One listener for all addresses of this machine: what comes to the one open address is allowed, everything else is a hole in the
 * guard, however it was spelled. macOS has one IPv4 loopback address, so there the open one is IPv6.
 */
export const OPEN = process.platform === 'linux' ? '127.0.0.2' : '::1'
export const OPEN_RANGE = `${OPEN}/${OPEN === '::1' ? 128 : 32}`
export const OPEN_HOST = OPEN === '::1' ? '[::1]' : OPEN

const words = (text: string) => text.trim().split(/\s+/)

export const LITERALS = words(`
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
export const NAMES = words(`
  localhost LOCALHOST LocalHost. x.localhost loc%61lhost ｌｏｃａｌｈｏｓｔ metadata.google.internal METADATA
  instance-data.ec2.internal. in-hosts-file.test
`)

/** What DNS may say to lead inside. */
export const LEADING_INSIDE: Record<string, (family: 4 | 6) => DnsReply> = {
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

/** Addresses that nobody outside may reach; DNS says each of them in every way below. */
export const FORBIDDEN_IPV4 = words(`
  127.0.0.1 127.0.0.3 127.255.255.254 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 100.64.0.1
  100.100.100.200 192.0.0.192 198.18.0.1 168.63.129.16 224.0.0.1 240.0.0.1 255.255.255.255
`)

/** An IPv4 address as two groups of an IPv6 one. */
export const grouped = (ipv4: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** How a name server may say an address, by the first label of the name; the address is the second: `mapped.10-0-0-1.test`. */
export const SAID: Record<string, (family: 4 | 6, inside: string) => { addresses: string[]; cname?: string }> = {
  alone: (family, inside) => addresses(family, inside),
  last: (family, inside) => addresses(family, OPEN, inside),
  first: (family, inside) => addresses(family, inside, OPEN),
  alias: (family, inside) => ({ ...addresses(family, inside), cname: 'localhost' }),
  'alias-and-good': (family, inside) => ({ ...addresses(family, OPEN, inside), cname: 'localhost' }),
  mapped: (family, inside) => addresses(family, `::ffff:${inside}`),
  'mapped-and-good': (family, inside) => addresses(family, OPEN, `::ffff:${inside}`),
  nat64: (family, inside) => addresses(family, `64:ff9b::${grouped(inside)}`),
  'nat64-and-good': (family, inside) => addresses(family, OPEN, `64:ff9b::${grouped(inside)}`),
  '6to4': (family, inside) => addresses(family, `2002:${grouped(inside)}::1`),
  '6to4-and-good': (family, inside) => addresses(family, OPEN, `2002:${grouped(inside)}::1`),
  compatible: (family, inside) => addresses(family, `::${grouped(inside)}`),
}
export const nameOf = (how: string, inside: string) => `${how}.${inside.replaceAll('.', '-')}.test`

/** Public at the first query, the address of its second label from then on. */
function rebind(name: string, family: 4 | 6, isFirst: boolean): DnsReply {
  const inside = name.split('.')[1]?.replaceAll('-', '.') ?? ''
  return addresses(family, isFirst ? OPEN : inside)
}

function addresses(family: 4 | 6, ...all: string[]): { addresses: string[] } {
  return { addresses: all.filter((address) => address.includes(':') === (family === 6)) }
}

export const HOSTS_FILE = new URL('./hosts', import.meta.url).pathname

/** A name server that leads inside in each of these ways. */
export async function startLeadingServer(): Promise<DnsServer> {
  const calls = new Map<string, number>()
  return startDnsServer((name, family) => {
    const times = calls.get(`${name}/${family}`) ?? 0
    calls.set(`${name}/${family}`, times + 1)
    const [how = '', inside = ''] = name.split('.')
    if (how.startsWith('rebinding')) return rebind(name, family, times === 0)
    return LEADING_INSIDE[name]?.(family) ?? SAID[how]?.(family, inside.replaceAll('-', '.')) ?? 'NXDOMAIN'
  })
}
