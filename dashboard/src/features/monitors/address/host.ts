/** Hosts as people type them: with blanks, a scheme, a path, a port or brackets. All of this is pure and takes linear time. */

export interface HostAndPort {
  host: string
  /** Empty without one. */
  port: string
}

/** The text without a scheme in front, and what follows the host; a user name and a password are left out too. */
export function readHost(text: string): HostAndPort {
  const trimmed = text.trim()
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(trimmed)?.[0] ?? ''
  const rest = trimmed.slice(scheme.length).replace(/^\/\//, '')
  const authority = rest.slice(0, Math.max(rest.search(/[/?#\\]|$/), 0))
  return splitPort(authority.slice(authority.lastIndexOf('@') + 1).trim())
}

/** Host and port of `host:port`; more than one colon without brackets is an IPv6 address. */
export function splitPort(text: string): HostAndPort {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text)
  if (bracketed) return { host: bracketed[1] ?? '', port: bracketed[2] ?? '' }
  const colon = text.indexOf(':')
  if (colon === -1 || colon !== text.lastIndexOf(':')) return { host: text, port: '' }
  return { host: text.slice(0, colon), port: text.slice(colon + 1) }
}

/** As it stands in a URL. */
export const inUrl = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)

export const withPort = ({ host, port }: HostAndPort): string => `${inUrl(host)}${port === '' ? '' : `:${port}`}`

export const isIpv4 = (text: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255)

export const isIpv6 = (text: string): boolean =>
  /^[0-9a-f:.]+$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]`)

export const isAddress = (text: string): boolean => isIpv4(text) || isIpv6(text)

/** A name, also an international one, or an address without brackets. The parser of URLs decides. */
export function isHost(text: string): boolean {
  if (text.length > 253 || text === '') return false
  if (text.includes(':')) return isIpv6(text)
  if (!/^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*\.?$/u.test(text)) return false
  return URL.canParse(`http://${text}`)
}

/** A name of several parts, the last of which is no number: `shop.example`. */
export const isDomain = (text: string): boolean => isHost(text) && !isAddress(text) && /[^.]\.[^.]*\p{L}[^.]*\.?$/u.test(text)

export const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
