import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import fastifyStatic from '@fastify/static'
import type { App } from '../platform/http/index.ts'

const FILES = fileURLToPath(new URL('../../../dashboard/public/', import.meta.url))

/** The page and its files, same origin, with headers that let nothing else in. */
export async function dashboardRoutes(app: App, { https }: { version: string; https: boolean }): Promise<void> {
  await app.register(async (pages) => {
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
      hsts: https,
    })
    await pages.register(fastifyStatic, { root: FILES, prefix: '/', index: 'index.html', wildcard: false, cacheControl: false })
  })
}
