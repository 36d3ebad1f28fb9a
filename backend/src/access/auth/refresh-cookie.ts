import type { Session } from '@vedette/shared'
import { forbidden } from '../../platform/errors.ts'
import type { OpenedSession } from './refresh.ts'

const NAME = 'vedette_refresh'
/** Scripts cannot read it, requests that other sites cause do not have it, and only the routes of authentication get it. */
const ATTRIBUTES = 'Path=/v1/auth; HttpOnly; SameSite=Strict'

interface CookieRequest {
  headers: Record<string, string | string[] | undefined>
  /** As the client sees it: from the proxies that are trusted. */
  protocol: string
  host: string
}

interface CookieReply {
  header(name: string, value: string): unknown
}

export const readRefreshCookie = (request: Pick<CookieRequest, 'headers'>): string | undefined => readCookie(request, NAME)

export function readCookie({ headers }: Pick<CookieRequest, 'headers'>, name: string): string | undefined {
  const pairs = String(headers['cookie'] ?? '').split(/; */)
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** The body of a response that opens or continues a session. The cookie of another session does not stay in the browser. */
export function sendSession(request: CookieRequest, reply: CookieReply, { session, cookie }: OpenedSession): Session {
  if (cookie) setCookie(request, reply, cookie.value, cookie.maxAgeSeconds)
  else clearRefreshCookie(request, reply)
  return session
}

/** Removes the cookie from a browser that has it. */
export function clearRefreshCookie(request: CookieRequest, reply: CookieReply): void {
  if (readRefreshCookie(request) !== undefined) setCookie(request, reply, '', 0)
}

function setCookie(request: CookieRequest, reply: CookieReply, value: string, maxAgeSeconds: number): void {
  // The origin of the page shows HTTPS also behind a proxy that is not trusted.
  const isHttps = request.protocol === 'https' || String(request.headers['origin'] ?? '').startsWith('https://')
  reply.header('set-cookie', `${NAME}=${value}; Max-Age=${maxAgeSeconds}; ${ATTRIBUTES}${isHttps ? '; Secure' : ''}`)
}

/**
 * Refuses what a page of another origin caused, also one of the same site, whose requests have the cookie: forms and links cannot
 * send the header, scripts only with a permission that no origin gets. Throws forbidden.
 */
export function requireOwnPage({ headers, host }: CookieRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site']
  const origin = headers['origin']
  // Older browsers, and all of them without HTTPS, send the origin alone; other programs send neither. Behind a proxy the host may
  // be another than that of the page.
  const isOwn = origin === undefined || [host, hostOf(publicUrl)].includes(hostOf(String(origin)))
  const isForeign = site === undefined ? !isOwn : site !== 'same-origin'
  if (isForeign || headers['x-requested-with'] !== 'vedette')
    throw forbidden('A refresh needs the header X-Requested-With: vedette, and no page of another origin may send it.')
}

/** As the Host header has it: without a default port; undefined for `null`. */
const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)
