import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { embeddedIpv4 } from './embedded-ipv4.ts'

export interface AddressPolicy {
  /** Ranges that are open although they are not public, or `all`. Refused ports stay refused. */
  allowPrivateTargets: 'all' | readonly string[]
}

/** Says what is wrong with a target; undefined where nothing is. The texts name no address that only our own DNS may know. */
export interface AddressGuard {
  addressFault(address: string): string | undefined
  portFault(port: number): string | undefined
  nameFault(name: string): string | undefined
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

/**
 * Public to the registries, and still the hypervisor's own: Azure answers there to every machine. The other clouds' addresses of
 * that kind are in ranges that are refused anyway.
 */
const FURTHER_REFUSED: readonly Range[] = [ipaddr.parseCIDR('168.63.129.16/32')]
/** All of the IPv6 internet; whatever gets an address outside of it is no public target. */
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

/** Ports of mail, whose servers would act on lines in the body of a request. They are refused under any policy; no others are. */
const REFUSED_PORTS = new Set([25, 465, 587])

/** Verdicts are asked for at each check and never change. */
const MAX_KEPT = 10_000

/** Throws where a range cannot be read: a policy with a hole nobody meant is worse than no start. */
export function createAddressGuard({ allowPrivateTargets }: AddressPolicy): AddressGuard {
  const isOpen = allowPrivateTargets === 'all'
  const open = allowPrivateTargets === 'all' ? [] : allowPrivateTargets.map(parseRange)
  const kept = new Map<string, string | undefined>()
  const addressFault = (text: string): string | undefined => {
    if (isOpen) return undefined
    if (kept.has(text)) return kept.get(text)
    const fault = ipaddr.isValid(text) ? faultOf(ipaddr.parse(text), open) : 'the target is not an address'
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(text, fault)
    return fault
  }
  return {
    addressFault,
    portFault: (port) => (REFUSED_PORTS.has(port) ? `port ${port} belongs to mail and is refused` : undefined),
    nameFault: (name) =>
      !isOpen && METADATA_NAMES.has(withoutDot(name).toLowerCase()) ? 'the target is a cloud metadata service' : undefined,
  }
}

function parseRange(text: string): Range {
  const [base = '', bits, ...more] = text.split('/')
  // The library reads 10.0.0 and 0x7f.1 too; in a policy they are mistakes.
  if (isIP(base) === 0 || more.length > 0) throw new Error(`not an address range: ${text}`)
  // A single address is a range of one.
  return ipaddr.parseCIDR(`${base}/${bits ?? (isIP(base) === 4 ? 32 : 128)}`)
}

/** The address itself, and each one that it would be translated to on its way, must be public or open. */
function faultOf(address: Address, open: readonly Range[]): string | undefined {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return faultOf(address.toIPv4Address(), open)
  const own = isWithin(address, open) ? undefined : rangeFault(address)
  if (own !== undefined || address instanceof ipaddr.IPv4) return own
  return embeddedIpv4(address)
    .map((inner) => faultOf(inner, open))
    .find((fault) => fault !== undefined)
}

function rangeFault(address: Address): string | undefined {
  const range = address.range()
  if (range !== 'unicast') return `the target is not a public address (${RANGE_WORDS[range] ?? 'reserved'})`
  if (isWithin(address, FURTHER_REFUSED)) return 'the target is a cloud metadata service'
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return 'the target is not a public address (reserved)'
  return undefined
}

const RANGE_WORDS: Partial<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'broadcast',
  multicast: 'multicast',
  linkLocal: 'link-local',
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

// The library's types know the kind only by the class.
function matches(address: Address, base: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits)
  return base instanceof ipaddr.IPv6 && address.match(base, bits)
}

export const withoutDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name)
