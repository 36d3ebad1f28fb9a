import { BlockList, isIP } from 'node:net'

/** The usual proxy variables, by their upper-case names. */
export interface ProxyVariables {
  HTTP_PROXY?: string
  HTTPS_PROXY?: string
  NO_PROXY?: string
}

/** Reads an environment; lower-case names override upper-case ones, as in curl. Undefined without a proxy. */
export function readProxyVariables(variables: Record<string, string | undefined>): ProxyVariables | undefined {
  const value = (name: string) => variables[name.toLowerCase()] || variables[name] || undefined
  const [http, https, none] = [value('HTTP_PROXY'), value('HTTPS_PROXY'), value('NO_PROXY')]
  if (http === undefined && https === undefined) return undefined
  return {
    ...(http !== undefined && { HTTP_PROXY: http }),
    ...(https !== undefined && { HTTPS_PROXY: https }),
    ...(none !== undefined && { NO_PROXY: none }),
  }
}

/** A proxy on another host cannot reach it. */
const LOOPBACK = 'localhost,127.0.0.0/8,::1'

/**
 * Whether NO_PROXY excludes a host, read as curl and Go read it: entries separated by commas or blanks, each `*`, a name that covers its
 * subdomains too (a dot or `*.` before it changes nothing), an address, or a network as `10.0.0.0/8`; each with a port where it has one.
 * The loopback is always excluded.
 */
export function isDirect(noProxy: string | undefined, { hostname, port, protocol }: URL): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  const portOfHost = port || (protocol === 'https:' ? '443' : '80')
  return `${noProxy ?? ''},${LOOPBACK}`
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && covers(entry, host, portOfHost))
}

function covers(entry: string, host: string, portOfHost: string): boolean {
  if (entry === '*') return true
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? []
  const named = bracketed ?? plain
  if (named === undefined || (port !== undefined && port !== portOfHost)) return false
  const [address = '', prefix] = named.split('/')
  const family = isIP(address)
  if (family === 0) return isWithinDomain(host, named.replace(/^\*?\./, '').replace(/\.$/, ''))
  if (isIP(host) === 0) return false
  const bits = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix)
  if (!Number.isInteger(bits) || bits < 0 || bits > (family === 4 ? 32 : 128)) return false
  const network = new BlockList()
  network.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  return network.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6')
}

const isWithinDomain = (host: string, domain: string): boolean =>
  domain !== '' && (host === domain || host.endsWith(`.${domain}`))

/** The address of a proxy without user name and password. */
export function withoutPassword(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.protocol}//${url.host}` : 'an address that is no URL'
}
