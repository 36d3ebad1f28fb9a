import { isIP } from 'node:net'
import { hostOf } from './request.ts'

/** Cookies of one check (RFC 6265): each is sent to the origin that set it alone, even where a browser would send it to more. */
export interface CookieJar {
  /** Takes the fields `Set-Cookie` of a response. Returns what they set or delete. */
  store(setCookies: readonly string[], url: URL): { name: string; value: string }[]
  /** The field `Cookie` of a request to which the monitor itself gives `own`; undefined without cookies. */
  fieldFor(url: URL, own: string | undefined): string | undefined
}

interface Cookie {
  origin: string
  name: string
  value: string
  path: string
}

/** As browsers have it for a domain, and for name and value together. */
const MAX_COOKIES = 180
const MAX_COOKIE_LENGTH = 4_096

/** `nowMs`: since the epoch; decides what has expired. */
export function createCookieJar(nowMs: number): CookieJar {
  let cookies: readonly Cookie[] = []
  return {
    store(setCookies, url) {
      const parsed = setCookies.map((field) => parseSetCookie(field, url, nowMs)).filter((cookie) => cookie !== undefined)
      for (const { isOver, ...cookie } of parsed) cookies = withCookie(cookies, cookie, isOver)
      return parsed
    },
    fieldFor(url, own) {
      const ownPairs = pairsIn(own)
      const ownNames = new Set(ownPairs.map(nameOfPair))
      const matching = cookies
        .filter(({ origin, path, name }) => origin === url.origin && isWithin(url.pathname, path) && !ownNames.has(name))
        .toSorted((left, right) => right.path.length - left.path.length)
        .map(({ name, value }) => (name === '' ? value : `${name}=${value}`))
      const pairs = [...ownPairs, ...matching]
      return pairs.length === 0 ? undefined : pairs.join('; ')
    },
  }
}

/** The field `Cookie` without the cookies of these names; undefined if none is left. Pure. */
export function withoutCookies(field: string | undefined, names: readonly string[]): string | undefined {
  const left = pairsIn(field).filter((pair) => !names.includes(nameOfPair(pair)))
  return left.length === 0 ? undefined : left.join('; ')
}

const pairsIn = (field = ''): string[] =>
  field
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')

const nameOfPair = (pair: string): string => (pair.includes('=') ? pair.slice(0, pair.indexOf('=')).trim() : '')

/** One that is set again keeps its place. */
function withCookie(cookies: readonly Cookie[], cookie: Cookie, isOver: boolean): readonly Cookie[] {
  const isSame = ({ origin, name, path }: Cookie) => origin === cookie.origin && name === cookie.name && path === cookie.path
  if (isOver) return cookies.filter((each) => !isSame(each))
  if (cookies.some(isSame)) return cookies.map((each) => (isSame(each) ? cookie : each))
  return [...cookies, cookie].slice(-MAX_COOKIES)
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/

/** Undefined for a field that browsers ignore. */
function parseSetCookie(field: string, url: URL, nowMs: number): (Cookie & { isOver: boolean }) | undefined {
  const [pair = '', ...rest] = field.split(';')
  const name = nameOfPair(pair)
  const value = pair.slice(pair.indexOf('=') + 1).trim()
  const length = name.length + value.length
  if (length === 0 || length > MAX_COOKIE_LENGTH || CONTROLS.test(pair)) return undefined
  // Of an attribute that is repeated the last one applies.
  const attributes = new Map(rest.map((text): [string, string] => attributeIn(text)))
  const domain = attributes.get('domain') ?? ''
  const path = attributes.get('path') ?? ''
  const isSecure = attributes.has('secure')
  if (isSecure && url.protocol !== 'https:') return undefined
  if (domain !== '' && !isOfDomain(hostOf(url), domain.replace(/^\./, '').toLowerCase())) return undefined
  if (/^__Secure-/i.test(name) && !isSecure) return undefined
  if (/^__Host-/i.test(name) && !(isSecure && domain === '' && path === '/')) return undefined
  return {
    origin: url.origin,
    name,
    value,
    path: path.startsWith('/') ? path : defaultPathOf(url.pathname),
    isOver: hasExpired(attributes, nowMs),
  }
}

function attributeIn(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  return at === -1 ? [text.trim().toLowerCase(), ''] : [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()]
}

/** Max-Age goes before Expires; what cannot be read does not count. */
function hasExpired(attributes: ReadonlyMap<string, string>, nowMs: number): boolean {
  const maxAge = attributes.get('max-age') ?? ''
  if (/^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0
  return Date.parse(attributes.get('expires') ?? '') <= nowMs
}

const isOfDomain = (host: string, domain: string): boolean =>
  host === domain || (isIP(host) === 0 && domain.includes('.') && host.endsWith(`.${domain}`))

/** The path up to its last slash. */
const defaultPathOf = (pathname: string): string => pathname.slice(0, pathname.lastIndexOf('/')) || '/'

const isWithin = (pathname: string, path: string): boolean =>
  pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'))
