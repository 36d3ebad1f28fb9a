import type { Fault } from '../fault.ts'
import type { HttpRequest } from './request.ts'

export const MAX_REDIRECTS = 5

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Where an answer sends its visitor; undefined where it is no redirect, or says no place. */
export function locationOf(statusCode: number, headers: ReadonlyMap<string, string>): string | undefined {
  return REDIRECTS.has(statusCode) ? headers.get('location') : undefined
}

/**
 * The next request, as browsers make it: 303 asks with GET, so do 301 and 302 after a POST; the others repeat the request. To
 * another origin go no headers of the monitor, which may hold its secrets (the type of a repeated body is none), and they do
 * not come back with a redirect to the first one.
 */
export function followRedirect(request: HttpRequest, statusCode: number, location: string): HttpRequest | Fault {
  const url = URL.parse(toUtf8(location), request.url.href)
  if (!url) return { code: 'protocol', message: 'the target redirects to something that is no URL' }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { code: 'blocked', message: `the target redirects to ${url.protocol.slice(0, 20)}, which is not http or https` }
  url.username = ''
  url.password = ''
  const asksAnew =
    (statusCode === 303 && request.method !== 'GET' && request.method !== 'HEAD') ||
    ((statusCode === 301 || statusCode === 302) && request.method === 'POST')
  const isSameOrigin = url.origin === request.url.origin
  const body = asksAnew ? undefined : request.body
  const headers = Object.entries(request.headers).filter(([name]) => {
    if (!/^content-/i.test(name)) return isSameOrigin
    // They speak of the body, and go where it goes.
    return isSameOrigin ? !asksAnew : body !== undefined && /^content-type$/i.test(name)
  })
  return {
    url,
    method: asksAnew ? 'GET' : request.method,
    headers: Object.fromEntries(headers),
    body,
  }
}

/** Heads are read byte by byte; browsers read this one as UTF-8 when it is. */
function toUtf8(text: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is the range from there on
  if (/^[\u0000-\u007f]*$/.test(text)) return text
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}
