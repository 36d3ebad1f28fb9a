import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What one site or provider usually assigns to a place. */
const PREFIX_BITS = { ipv4: 24, ipv6: 48 } as const

/** The network of an address, as `192.0.2.0/24` or `2001:db8::/48`; undefined for what is no address. Pure. */
export function networkOf(ip: string): string | undefined {
  if (isIP(ip) === 0) return undefined
  const address = ipaddr.process(ip)
  const bits = PREFIX_BITS[address.kind()]
  const bytes = address.toByteArray().map((byte, index) => (index * 8 < bits ? byte : 0))
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`
}
