import type { ErrorDetail } from '../../../wire/errors.ts'
import { MASK } from '../../../wire/mask.ts'
import type { CheckKindSpec } from '../kinds/kind.ts'
import { MAIL_PORTS } from '../limits.ts'
import type { NetworkOptionName, NetworkOptions } from './options.ts'
import { CONTROL, familyOf, parseHostPort, parseProxyUrl } from './parse.ts'
import type { Carrier } from '../network-use.ts'
import { proxyRefusal } from './refusals.ts'

interface NetworkDefinition {
  type: string
  url: string
  options: Readonly<Record<string, unknown>>
  credentials: Readonly<Record<string, string>>
}

/** Faults of network options that the table cannot express. The options are valid by the table. Pure. */
export function networkFaults(kind: CheckKindSpec, { type, url, options: given, credentials }: NetworkDefinition): ErrorDetail[] {
  if (!kind.network) return []
  const options = given as NetworkOptions
  const { carrier } = kind.network
  const carriedBy: Carrier = typeof carrier === 'function' ? carrier({ url, options: given }) : carrier
  const faults: [NetworkOptionName, string | undefined][] = [
    ['connect_to', options.connect_to === undefined ? undefined : connectToFault(options.connect_to, carriedBy, kind)],
    ['source_address', sourceFault(options)],
    ['dns_servers', serversFault(options.dns_servers ?? [])],
    ['proxy_url', proxyFault(options.proxy_url, type, carriedBy)],
    ['proxy_resolves', resolvesFault(options)],
    ['alpn', alpnFault(options, kind)],
  ]
  return [
    ...faults.flatMap(([name, message]) => (message === undefined ? [] : [{ path: `options.${name}`, message }])),
    ...passwordFaults(options, credentials),
  ]
}

function connectToFault(text: string, carrier: Carrier, { isMail }: CheckKindSpec): string | undefined {
  const to = parseHostPort(text)
  if (!to)
    return 'must be a host or an address, with or without a port, such as 192.0.2.5, [2001:db8::5]:8443 or origin.example.com'
  if (to.port === undefined) return undefined
  if (carrier === 'echo') return 'must not contain a port: ICMP has none'
  return isMail !== true && MAIL_PORTS.has(to.port)
    ? `must not have port ${to.port}: mail ports are open to checks of type smtp alone`
    : undefined
}

function sourceFault({ source_address: address, ip_family: family = 'any' }: NetworkOptions): string | undefined {
  if (address === undefined) return undefined
  const own = familyOf(address)
  if (own === undefined) return 'must be an IPv4 or IPv6 address without a zone, such as 192.0.2.10'
  if (family === 'both') return 'must be left out with ip_family both: one address is of one family'
  return family === 'any' || family === `ipv${own}` ? undefined : `must be an address of the family ${family}`
}

const serversFault = (servers: readonly string[]): string | undefined =>
  servers.every(isServer)
    ? undefined
    : 'must contain addresses, with or without a port other than a mail port, such as 192.0.2.53 or [2001:db8::53]:5353'

function isServer(text: string): boolean {
  const parsed = parseHostPort(text)
  return parsed !== undefined && familyOf(parsed.host) !== undefined && !MAIL_PORTS.has(parsed.port ?? 53)
}

function proxyFault(text: string | undefined, type: string, carrier: Carrier): string | undefined {
  if (text === undefined) return undefined
  const parsed = parseProxyUrl(text)
  if ('fault' in parsed) return parsed.fault
  return carrier === 'tcp'
    ? undefined
    : `is not possible for checks of type ${type} over UDP: ${proxyRefusal(carrier)}; choose another transport`
}

function resolvesFault({
  proxy_resolves: resolves,
  proxy_url: url,
  ip_family: family = 'any',
}: NetworkOptions): string | undefined {
  if (resolves !== true) return undefined
  if (url === undefined) return 'needs options.proxy_url'
  return family === 'any' ? undefined : 'must be left out with ip_family: the proxy chooses the address'
}

function alpnFault(
  { alpn = [], http_version: version = 'auto' }: NetworkOptions,
  { network }: CheckKindSpec,
): string | undefined {
  if (new Set(alpn).size < alpn.length) return 'must not contain a protocol twice'
  if (!alpn.every((protocol) => /^[\x21-\x7e]+$/.test(protocol))) return 'must contain protocols of visible ASCII characters'
  if (network?.isHttp !== true || alpn.length === 0) return undefined
  if (!alpn.every((protocol) => protocol === 'h2' || protocol === 'http/1.1'))
    return 'must contain h2 or http/1.1 alone: other protocols carry no request'
  const needed = { auto: undefined, '1.1': 'http/1.1', '2': 'h2' }[version]
  return needed === undefined || (alpn.length === 1 && alpn[0] === needed)
    ? undefined
    : `must be ${needed} alone, or left out, with http_version ${version}`
}

function passwordFaults(options: NetworkOptions, { proxy_password: password }: Readonly<Record<string, string>>): ErrorDetail[] {
  if (password === undefined) return []
  const path = 'credentials.proxy_password'
  if (options.proxy_url === undefined) return [{ path, message: 'must be left out without options.proxy_url' }]
  const proxy = parseProxyUrl(options.proxy_url)
  if ('fault' in proxy) return []
  if (proxy.username === '')
    return [{ path: 'options.proxy_url', message: 'must contain the user name that credentials.proxy_password belongs to' }]
  const isFit =
    password === MASK || (new TextEncoder().encode(password).length <= 255 && password !== '' && !CONTROL.test(password))
  return isFit ? [] : [{ path, message: 'must have 1 to 255 bytes without control characters' }]
}
