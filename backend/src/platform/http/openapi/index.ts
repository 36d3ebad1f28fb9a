import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { App } from '../app.ts'
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
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs', // The library's policy would turn every request to HTTPS, also where the backend speaks HTTP.
    staticCSP: true,
    transformStaticCSP: (header) => header.replace(/;? *upgrade-insecure-requests/, ''),
    uiConfig: { deepLinking: true },
    // The library's bar shows another product's name and offers to load other descriptions.
    theme: { title: 'Vedette API', css: [{ filename: 'vedette.css', content: '.swagger-ui .topbar { display: none }' }] },
  })
}
