import { hash } from 'node:crypto'
import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { App } from '../app.ts'
import { namesTag } from '../etag.ts'
import { completeDocument, type Traits } from './complete.ts'
import type { Document, OpenApiTexts } from './document.ts'
import { type DescribedRoute, isDescribed } from './route.ts'

export type { Traits } from './complete.ts'
export type { Refusal, OpenApiTexts } from './document.ts'
export { type DescribedRoute, isDescribed } from './route.ts'

/**
 * Publishes what the schemas that validate say, with the words that they cannot say themselves: `/openapi.json` (OpenAPI 3.1)
 * for programs, `/docs` for people. Register it before the routes. Where a route has no words or no example, there is no
 * document: `app.swagger()` throws.
 */
export async function publishOpenApi(
  app: App,
  version: string,
  texts: OpenApiTexts,
  traitsOf: (route: DescribedRoute) => Traits,
): Promise<void> {
  const { info, tags, securitySchemes } = texts
  const routes = new Map<string, DescribedRoute>()
  app.addHook('onRoute', (route) => {
    if (!isDescribed(route)) return
    const { method, url, config = {} } = route
    const path = url.replaceAll(/:(\w+)/g, '{$1}')
    for (const one of [method].flat()) routes.set(`${one} ${path}`, { method: one, url, config })
  })
  const routeOf = (method: string, path: string) => routes.get(`${method} ${path}`) as DescribedRoute
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...info, version },
      servers: [{ url: '/' }],
      tags: [...tags],
      components: { securitySchemes: securitySchemes as never },
    },
    transformObject: (made) => {
      const document = (made as { openapiObject: unknown }).openapiObject as Document
      return completeDocument(document, texts, routeOf, traitsOf)
    },
    refResolver: {
      // Components are called by the names of the schemas, not def-0, def-1, …
      buildLocalReference: (json, _base, _fragment, index) => (typeof json['$id'] === 'string' ? json['$id'] : `schema-${index}`),
    },
  })
  let published: { text: string; etag: string } | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    if (!published) {
      const text = JSON.stringify(app.swagger())
      published = { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` }
    }
    const { text, etag } = published
    reply.header('etag', etag).header('cache-control', 'no-cache')
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    transformStaticCSP: strictPolicy,
    uiConfig: { deepLinking: true },
    // The library's bar shows another product's name and offers to load other descriptions.
    theme: { title: 'Vedette API', css: [{ filename: 'vedette.css', content: '.swagger-ui .topbar { display: none }' }] },
  })
}

/**
 * The policy of the dashboard, with the digests of the library's own script and style. The library's would turn every request to
 * HTTPS, also where the backend speaks HTTP, and load images and fonts from elsewhere.
 */
function strictPolicy(header: string): string {
  const own = (directive: string) =>
    [`${directive} 'self'`, ...(new RegExp(`${directive} ([^;]*)`).exec(header)?.[1]?.match(/'sha256-[^']+'/g) ?? [])].join(' ')
  const rest = "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  return `default-src 'none'; ${own('script-src')}; ${own('style-src')}; ${rest}`
}
