import { truncateText } from '@vedette/shared'
import type { Fault } from '../phases/fault.ts'
import type { HttpRequest } from './request.ts'

export const MAX_REDIRECTS = 5

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The location of a redirect; undefined for other responses. */
export function locationOf(statusCode: number, headers: ReadonlyMap<string, string>): string | undefined {
  return REDIRECTS.has(statusCode) ? headers.get('location') : undefined
}

/**
 * The next request, as browsers send it: GET after a 303, and after a 301 or 302 to a POST; otherwise the same request. Headers
 * of the monitor, which may contain secrets, are not sent to another origin, and stay dropped when a redirect leads back. The body,
 * which may contain them too, cannot be left out of a request that is repeated: such a redirect is not followed.
 */
export function followRedirect(request: HttpRequest, statusCode: number, location: string): HttpRequest | Fault {
  const url = URL.parse(toUtf8(location), request.url.href)
  if (!url) return { code: 'protocol', message: 'the target redirects to something that is no URL' }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { code: 'blocked', message: `the target redirects to ${truncateText(url.protocol, 20)}, which is not http or https` }
  url.username = ''
  url.password = ''
  const becomesGet =
    (statusCode === 303 && request.method !== 'GET' && request.method !== 'HEAD') ||
    ((statusCode === 301 || statusCode === 302) && request.method === 'POST')
  const isSameOrigin = url.origin === request.url.origin
  const body = becomesGet ? undefined : request.body
  if (!isSameOrigin && body !== undefined)
    return { code: 'blocked', message: 'the target redirects to another origin, and the request has a body' }
  // Those of the content describe the body and are sent with it.
  const headers = Object.entries(request.headers).filter(([name]) => isSameOrigin && !(becomesGet && /^content-/i.test(name)))
  return {
    url,
    method: becomesGet ? 'GET' : request.method,
    headers: Object.fromEntries(headers),
    body,
  }
}

/** Header bytes are decoded as Latin-1; browsers decode this header as UTF-8 if it is valid. */
function toUtf8(text: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is the range from there on
  if (/^[\u0000-\u007f]*$/.test(text)) return text
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}
