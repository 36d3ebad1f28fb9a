import { MAIL_PORTS } from '../limits.ts'

export interface HostPort {
  /** A name in ASCII or an address; IPv6 without brackets. */
  host: string
  /** Undefined where the text has none. */
  port: number | undefined
}

/** `host`, `host:port`, an address, `address:port` or `[address]:port`; undefined for anything else. Pure. */
export function parseHostPort(text: string): HostPort | undefined {
  const isBare = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text)
  const url = /^[^/?#@\\\s%]+$/.test(text) ? URL.parse(`http://${isBare ? `[${text}]` : text}`) : null
  if (!url) return undefined
  // The parser leaves out port 80, which is written in a text that ends with it.
  const port = url.port === '' ? (isBare ? undefined : /:0*(80)$/.exec(text)?.[1]) : url.port
  if (port === '0' || (!isBare && text.endsWith(':'))) return undefined
  return { host: unbracketed(url.hostname), port: port === undefined ? undefined : Number(port) }
}

const unbracketed = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname)

/** The family of an address in its usual spelling, without a zone; undefined for anything else. Pure. */
export function familyOf(text: string): 4 | 6 | undefined {
  if (/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)) return 4
  return /^[0-9a-f:.]+$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]`) ? 6 : undefined
}

export interface ProxyUrl {
  protocol: 'http' | 'socks5'
  host: string
  port: number
  /** Empty without one. */
  username: string
}

const DEFAULT_PORTS = { http: 80, socks5: 1_080 } as const

/** The parts of a `proxy_url`, or what is wrong with it. Pure. */
export function parseProxyUrl(text: string): ProxyUrl | { fault: string } {
  const protocol = /^(http|socks5):\/\//i.exec(text)?.[1]?.toLowerCase() as ProxyUrl['protocol'] | undefined
  // Read as a URL of http, so that every spelling of an address is recognized as one.
  const url = protocol && URL.parse(text.replace(/^\w+:/, 'http:'))
  if (!protocol || !url)
    return {
      fault: 'must be a URL that begins with http:// or socks5:// and contains a host, such as socks5://proxy.example.com:1080',
    }
  if (url.password !== '') return { fault: 'must not contain a password: it belongs to credentials.proxy_password' }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return { fault: 'must have nothing after the port' }
  const port = url.port === '' ? (/:0*80\/?$/.test(text) ? 80 : DEFAULT_PORTS[protocol]) : Number(url.port)
  if (port === 0 || MAIL_PORTS.has(port)) return { fault: `must not have port ${port}` }
  const username = decoded(url.username)
  if (username === undefined || new TextEncoder().encode(username).length > 255 || CONTROL.test(username))
    return { fault: 'must have a user name of at most 255 bytes without control characters' }
  if (protocol === 'http' && username.includes(':')) return { fault: 'must have a user name without a colon' }
  return { protocol, host: unbracketed(url.hostname), port, username }
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
export const CONTROL = /[\0-\x1f\x7f]/

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
