import { isIP } from 'node:net'
import { MAIL_PORTS } from '@vedette/shared/checks/limits'
import ipaddr from 'ipaddr.js'
import { embeddedIpv4 } from './embedded-ipv4.ts'

export interface AddressPolicy {
  /**
   * Ranges that are allowed although they are not public, or `all`. Refused ports stay refused, and link-local addresses and those of
   * cloud metadata unless a range names them.
   */
  allowPrivateTargets: 'all' | readonly string[]
}

/** Networks of one's own: RFC 1918 and RFC 4193. */
export const PRIVATE_RANGES: readonly string[] = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']

/**
 * Returns why a target is refused; undefined when it is allowed. Messages contain no address, which may be known to our own DNS
 * only.
 */
export interface AddressGuard {
  addressFault(address: string): string | undefined
  portFault(port: number): string | undefined
  nameFault(name: string): string | undefined
  /** Whether the networks of `PRIVATE_RANGES` are open. */
  readonly arePrivateTargetsOpen: boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

const METADATA = 'the target is a cloud metadata service'
const LINK_LOCAL = 'the target is not a public address (link-local)'
/**
 * Clouds give out the credentials of the machine there. Neither `all` nor a range around them opens
 * them, only a range within them.
 */
const GUARDED: readonly { range: Range; fault: string }[] = [
  { range: ipaddr.parseCIDR('169.254.0.0/16'), fault: LINK_LOCAL },
  { range: ipaddr.parseCIDR('fe80::/10'), fault: LINK_LOCAL },
  { range: ipaddr.parseCIDR('168.63.129.16/32'), fault: METADATA }, // Azure; a public address
  { range: ipaddr.parseCIDR('100.100.100.200/32'), fault: METADATA }, // Alibaba
  { range: ipaddr.parseCIDR('192.0.0.192/32'), fault: METADATA }, // Oracle
  { range: ipaddr.parseCIDR('fd00:ec2::/32'), fault: METADATA }, // AWS: ::254, and ::23 of EKS
  { range: ipaddr.parseCIDR('fd20:ce::254/128'), fault: METADATA }, // Google
  { range: ipaddr.parseCIDR('fd00:c1::a9fe:a9fe/128'), fault: METADATA }, // Oracle
  { range: ipaddr.parseCIDR('fd00:42::42/128'), fault: METADATA }, // Scaleway
]
/** The IPv6 internet; addresses outside of it are not public. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
])

/** Results never change, and each check needs some. */
const MAX_KEPT = 10_000

/** Throws for an invalid range: it could leave a hole in the policy. */
export function createAddressGuard({ allowPrivateTargets }: AddressPolicy): AddressGuard {
  const open = allowPrivateTargets === 'all' ? allowPrivateTargets : allowPrivateTargets.map(parseRange)
  const cache = new Map<string, string | undefined>()
  const addressFault = (text: string): string | undefined => {
    if (cache.has(text)) return cache.get(text)
    const fault = ipaddr.isValid(text) ? faultOf(ipaddr.parse(text), open) : 'the target is not an address'
    if (cache.size >= MAX_KEPT) cache.clear()
    cache.set(text, fault)
    return fault
  }
  return {
    addressFault,
    portFault: (port) => (MAIL_PORTS.has(port) ? `port ${port} belongs to mail and is refused` : undefined),
    arePrivateTargetsOpen: arePrivateOpen(open),
    nameFault: (name) => (METADATA_NAMES.has(withoutDot(name).toLowerCase()) ? METADATA : undefined),
  }
}

function parseRange(text: string): Range {
  const [base = '', bits, ...more] = text.split('/')
  // The library also accepts 10.0.0 and 0x7f.1; in a policy they are mistakes.
  if (isIP(base) === 0 || more.length > 0) throw new Error(`not an address range: ${text}`)
  // A single address is a range of one.
  return ipaddr.parseCIDR(`${base}/${bits ?? (isIP(base) === 4 ? 32 : 128)}`)
}

type Open = 'all' | readonly Range[]

/** The address and every address it is translated to must be public or allowed. */
function faultOf(address: Address, open: Open): string | undefined {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return faultOf(address.toIPv4Address(), open)
  const own = ownFault(address, open)
  if (own !== undefined || address instanceof ipaddr.IPv4) return own
  return embeddedIpv4(address)
    .map((inner) => faultOf(inner, open))
    .find((fault) => fault !== undefined)
}

function ownFault(address: Address, open: Open): string | undefined {
  const guarded = GUARDED.find(({ range }) => isWithin(address, [range]))
  if (guarded)
    return open !== 'all' &&
      isWithin(
        address,
        open.filter((range) => isPartOf(range, guarded.range)),
      )
      ? undefined
      : guarded.fault
  return open === 'all' || isWithin(address, open) ? undefined : rangeFault(address)
}

const arePrivateOpen = (open: Open): boolean =>
  open === 'all' || PRIVATE_RANGES.map(parseRange).every((range) => open.some((each) => isPartOf(range, each)))

const isPartOf = ([base, bits]: Range, whole: Range): boolean => bits >= whole[1] && isWithin(base, [whole])

function rangeFault(address: Address): string | undefined {
  const range = address.range()
  if (range !== 'unicast') return `the target is not a public address (${RANGE_NAMES[range] ?? 'reserved'})`
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return 'the target is not a public address (reserved)'
  return undefined
}

const RANGE_NAMES: Partial<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'broadcast',
  multicast: 'multicast',
  loopback: 'loopback',
  carrierGradeNat: 'carrier-grade NAT',
  private: 'private',
  uniqueLocal: 'private',
  rfc6052: 'NAT64',
  '6to4': '6to4',
  teredo: 'Teredo',
}

const isWithin = (address: Address, ranges: readonly Range[]): boolean =>
  ranges.some(([base, bits]) => base.kind() === address.kind() && matches(address, base, bits))

// The library's types distinguish the families only by class.
function matches(address: Address, base: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits)
  return base instanceof ipaddr.IPv6 && address.match(base, bits)
}

export const withoutDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name)
