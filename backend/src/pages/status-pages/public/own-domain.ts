import type { IncomingMessage } from 'node:http'

/** The host name of a request in lower case, without its port and the dot of an absolute name. */
export const hostOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string =>
  (headers.host ?? '').replace(/\.?(?::\d+)?$/, '').toLowerCase()

/**
 * Leads every path of a page's own domain to that page: nothing else of the installation answers there. Other hosts are left as they
 * are.
 */
export function rewriteOwnDomain(slugOf: (domain: string) => string | undefined) {
  return (request: Pick<IncomingMessage, 'headers' | 'url'>): string => {
    const url = request.url ?? '/'
    const slug = slugOf(hostOf(request))
    if (slug === undefined) return url
    // An absolute form names a host of its own; it reaches no page.
    if (!url.startsWith('/')) return '/status/'
    return `/status/${slug}${url.startsWith('/?') || url === '/' ? url.slice(1) : url}`
  }
}
