import type { CheckKindSpec } from '../kinds/kind.ts'
import { MAIL_PORTS } from '../limits.ts'
import type { Carrier } from '../network-use.ts'
import { familyOf, parseHostPort, parseProxyUrl } from './parse.ts'

/** What the rules of network options see of a definition, whose options are valid by the table. */
export interface NetworkDefinition {
  type: string
  kind: CheckKindSpec
  /** Of this definition. */
  carrier: Carrier
  options: Readonly<Record<string, unknown>>
}

const textIn = (options: NetworkDefinition['options'], name: string, absent: string): string => {
  const value = options[name]
  return typeof value === 'string' ? value : absent
}

const familyIn = (options: NetworkDefinition['options']): string => textIn(options, 'ip_family', 'any')

export const proxyRefusal = (carrier: unknown): string | undefined =>
  carrier === 'datagrams' || carrier === 'echo' ? 'a proxy carries connections over TCP alone' : undefined

export function connectToFault(text: string, { carrier, kind: { isMail } }: NetworkDefinition): string | undefined {
  const to = parseHostPort(text)
  if (!to)
    return 'must be a host or an address, with or without a port, such as 192.0.2.5, [2001:db8::5]:8443 or origin.example.com'
  if (to.port === undefined) return undefined
  if (carrier === 'echo') return 'must not contain a port: ICMP has none'
  return isMail !== true && MAIL_PORTS.has(to.port)
    ? `must not have port ${to.port}: mail ports are open to checks of type smtp alone`
    : undefined
}

export function sourceFault(address: string, { options }: NetworkDefinition): string | undefined {
  const family = familyIn(options)
  const own = familyOf(address)
  if (own === undefined) return 'must be an IPv4 or IPv6 address without a zone, such as 192.0.2.10'
  if (family === 'both') return 'must be left out with ip_family both: one address is of one family'
  return family === 'any' || family === `ipv${own}` ? undefined : `must be an address of the family ${family}`
}

export const serversFault = (servers: readonly string[]): string | undefined =>
  servers.every(isServer)
    ? undefined
    : 'must contain addresses, with or without a port other than a mail port, such as 192.0.2.53 or [2001:db8::53]:5353'

function isServer(text: string): boolean {
  const parsed = parseHostPort(text)
  return parsed !== undefined && familyOf(parsed.host) !== undefined && !MAIL_PORTS.has(parsed.port ?? 53)
}

export function proxyFault(text: string, { type, carrier }: NetworkDefinition): string | undefined {
  const parsed = parseProxyUrl(text)
  if ('fault' in parsed) return parsed.fault
  return carrier === 'tcp'
    ? undefined
    : `is not possible for checks of type ${type} over UDP: ${proxyRefusal(carrier)}; choose another transport`
}

export function resolvesFault(resolves: boolean, { options }: NetworkDefinition): string | undefined {
  if (!resolves) return undefined
  if (options['proxy_url'] === undefined) return 'needs options.proxy_url'
  return familyIn(options) === 'any' ? undefined : 'must be left out with ip_family: the proxy chooses the address'
}

export function alpnFault(alpn: readonly string[], { options, kind: { network } }: NetworkDefinition): string | undefined {
  if (new Set(alpn).size < alpn.length) return 'must not contain a protocol twice'
  if (!alpn.every((protocol) => /^[\x21-\x7e]+$/.test(protocol))) return 'must contain protocols of visible ASCII characters'
  if (network?.isHttp !== true || alpn.length === 0) return undefined
  if (!alpn.every((protocol) => protocol === 'h2' || protocol === 'http/1.1'))
    return 'must contain h2 or http/1.1 alone: other protocols carry no request'
  const version = textIn(options, 'http_version', 'auto')
  const needed = version === 'auto' ? undefined : version === '2' ? 'h2' : 'http/1.1'
  return needed === undefined || (alpn.length === 1 && alpn[0] === needed)
    ? undefined
    : `must be ${needed} alone, or left out, with http_version ${version}`
}
