import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import fastifyStatic from '@fastify/static'
import type { App } from '../platform/http/index.ts'

const FILES = fileURLToPath(new URL('../../../dashboard/public/', import.meta.url))

/** The page and its files, same origin, with headers that let nothing else in. */
export async function dashboardRoutes(app: App): Promise<void> {
  await app.register(async (pages) => {
    // First: the library writes past the framework, whose headers (here the policy of what is no page) go before such.
    pages.addHook('onRequest', (_request, reply, done) => {
      reply.removeHeader('Content-Security-Policy')
      done()
    })
    await pages.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'"],
          imgSrc: ["'self'", 'data:'],
          connectSrc: ["'self'"],
          manifestSrc: ["'self'"],
          baseUri: ["'none'"],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
        },
      },
      // The set-up code stands in the first URL: no other site may learn it.
      referrerPolicy: { policy: 'no-referrer' },
      frameguard: { action: 'deny' },
      // The server says it of every answer, where it speaks HTTPS.
      hsts: false,
    })
    await pages.register(fastifyStatic, { root: FILES, prefix: '/', index: 'index.html', wildcard: false, cacheControl: false })
  })
}
