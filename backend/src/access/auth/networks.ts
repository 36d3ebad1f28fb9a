import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The network of `203.0.113.7`, `10.0.0.0/8` or `2001:db8::/32`; undefined for any other text. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  const most = family === 4 ? 32 : 128
  if (family === 0 || address.includes('%') || rest.length > 0) return undefined
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most)) return undefined
  return [ipaddr.parse(address), bits === undefined ? most : Number(bits)]
}

/** Whether an address may use a key with these networks; with none every address may. IPv4 that is mapped into IPv6 counts as IPv4. */
export function isAllowedFrom(cidrs: readonly string[], ip: string): boolean {
  if (cidrs.length === 0) return true
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return cidrs.some((cidr) => {
    const network = parseNetwork(cidr)
    return network !== undefined && network[0].kind() === address.kind() && address.match(network[0], network[1])
  })
}
