import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const

/**
 * The network of an address, as `192.0.2.0/24` or `2001:db8::/48`; undefined for what is no address. `bits` is the length of the
 * prefix; with all bits it is the address itself, without a length. IPv4-mapped IPv6 is IPv4. Pure.
 */
export function networkOf(ip: string, bits: { ipv4: number; ipv6: number }): string | undefined {
  if (isIP(ip) === 0) return undefined
  const address = ipaddr.process(ip)
  const kind = address.kind()
  const length = bits[kind]
  const bytes = address.toByteArray().map((byte, index) => byte & (0xff << Math.max(0, Math.min(8, (index + 1) * 8 - length))))
  const network = ipaddr.fromByteArray(bytes).toString()
  return length === ADDRESS_BITS[kind] ? network : `${network}/${length}`
}
