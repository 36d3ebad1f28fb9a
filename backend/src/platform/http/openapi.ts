import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { App } from './app.ts'

/**
 * Publishes what the schemas that validate say: `/openapi.json` (OpenAPI 3.1) for programs, `/docs` for people. Register it
 * before the routes.
 */
export async function publishOpenApi(app: App, version: string): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Vedette',
        version,
        description:
          'Hosts with their metrics, for dashboards, integrations and agents. Sizes are bytes, times milliseconds or seconds as the name says, ratios percent from 0 to 100.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'the `token` of a login' },
          api_key: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: "an API key, or a server's token on /v1/agent",
          },
        },
      },
      security: [{ session: [] }, { api_key: [] }],
    },
    // An open route asks for no credentials.
    transform: ({ schema, url, route }) => ({
      schema: route.config?.access === 'open' ? { ...schema, security: [] } : schema,
      url,
    }),
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
