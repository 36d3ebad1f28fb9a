import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import fastifyStatic from '@fastify/static'
import type { App } from '../platform/http/index.ts'
import type { Log } from '../platform/logging/log.ts'

const FILES = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url))

/** Where the page's own router goes on: each is the same file. Whatever else is not there stays a 404. */
const PAGES = ['/servers', '/monitors', '/incidents', '/alerts', '/settings'].flatMap((path) => [path, `${path}/*`])
/** What mails link to. */
const LINKS = ['/invitations/accept', '/password-reset', '/verify-email']

const YEAR_SECONDS = 31_536_000

/** The page and its files, same origin, with headers that let nothing else in. */
export async function dashboardRoutes(app: App, { log }: { log: Log }): Promise<void> {
  // Without the files of the dashboard the API still works.
  if (!existsSync(FILES)) {
    log.warn({ folder: FILES }, 'the dashboard is not built and is not served: run npm run build')
    return
  }
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
    await pages.register(fastifyStatic, {
      root: FILES,
      prefix: '/',
      index: ['index.html'],
      wildcard: false,
      cacheControl: false,
      // The build stores a compressed copy next to each file.
      preCompressed: true,
      globIgnore: ['**/*.{gz,br}', '.sources'],
      setHeaders: (reply, path) => {
        // Names under assets contain a digest of the content; browsers revalidate all other files.
        reply.header('Cache-Control', /[/\\]assets[/\\]/.test(path) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache')
      },
    })
    for (const path of [...PAGES, ...LINKS])
      pages.get(path, { schema: { hide: true } }, async (_request, reply) => reply.sendFile('index.html'))
  })
}
