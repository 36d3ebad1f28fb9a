import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { embeddedIpv4 } from './embedded-ipv4.ts'

export interface AddressPolicy {
  /** Ranges that are allowed although they are not public, or `all`. Refused ports stay refused. */
  allowPrivateTargets: 'all' | readonly string[]
}

/**
 * Returns why a target is refused; undefined when it is allowed. Messages contain no address, which may be known to our own DNS
 * only.
 */
export interface AddressGuard {
  addressFault(address: string): string | undefined
  portFault(port: number): string | undefined
  nameFault(name: string): string | undefined
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

/**
 * A public address that belongs to the hypervisor: Azure's metadata service. Those of the other clouds are in ranges that are
 * refused anyway.
 */
const FURTHER_REFUSED: readonly Range[] = [ipaddr.parseCIDR('168.63.129.16/32')]
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

/** Mail servers would execute lines of a request body. These ports are refused under any policy; all others are allowed. */
const REFUSED_PORTS = new Set([25, 465, 587])

/** Results never change, and each check needs some. */
const MAX_KEPT = 10_000

/** Throws for an invalid range: it could leave a hole in the policy. */
export function createAddressGuard({ allowPrivateTargets }: AddressPolicy): AddressGuard {
  const isOpen = allowPrivateTargets === 'all'
  const open = allowPrivateTargets === 'all' ? [] : allowPrivateTargets.map(parseRange)
  const cache = new Map<string, string | undefined>()
  const addressFault = (text: string): string | undefined => {
    if (isOpen) return undefined
    if (cache.has(text)) return cache.get(text)
    const fault = ipaddr.isValid(text) ? faultOf(ipaddr.parse(text), open) : 'the target is not an address'
    if (cache.size >= MAX_KEPT) cache.clear()
    cache.set(text, fault)
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
  // The library also accepts 10.0.0 and 0x7f.1; in a policy they are mistakes.
  if (isIP(base) === 0 || more.length > 0) throw new Error(`not an address range: ${text}`)
  // A single address is a range of one.
  return ipaddr.parseCIDR(`${base}/${bits ?? (isIP(base) === 4 ? 32 : 128)}`)
}

/** The address and every address it is translated to must be public or allowed. */
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
  if (range !== 'unicast') return `the target is not a public address (${RANGE_NAMES[range] ?? 'reserved'})`
  if (isWithin(address, FURTHER_REFUSED)) return 'the target is a cloud metadata service'
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return 'the target is not a public address (reserved)'
  return undefined
}

const RANGE_NAMES: Partial<Record<string, string>> = {
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

// The library's types distinguish the families only by class.
function matches(address: Address, base: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits)
  return base instanceof ipaddr.IPv6 && address.match(base, bits)
}

export const withoutDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name)
