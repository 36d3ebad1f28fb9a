import { notFound } from '../../../platform/errors.ts'
import { type App, pathOf } from '../../../platform/http/index.ts'
import type { VisitedCopies } from '../copies/kept-page.ts'

/**
 * Whether a page has this domain, for proxies that get certificates on demand: 200, otherwise 404. It answers from memory and says what
 * every request to that domain shows.
 */
export function domainCheckRoute(app: App, copies: VisitedCopies): void {
  app.get('/status-domain-check', { schema: { hide: true } }, async (request, reply) => {
    const domain = new URLSearchParams(request.url.slice(pathOf(request.url).length)).get('domain') ?? ''
    if (copies.slugOf(domain.toLowerCase()) === undefined) throw notFound()
    return reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('proven\n')
  })
}
