import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import fastifyStatic from '@fastify/static'
import { HOME_FOLDER } from '../../platform/home-folder.ts'
import type { App } from '../../platform/http/index.ts'
import type { Log } from '../../platform/logging/log.ts'

const FILES = fileURLToPath(new URL('dashboard/dist/', HOME_FOLDER))

/** Where the page's own router goes on: each is the same file. Whatever else is not there stays a 404. */
const PAGES = [
  '/servers',
  '/monitors',
  '/certificates',
  '/explore',
  '/incidents',
  '/alerts',
  '/replay',
  '/status-pages',
  '/slos',
  '/wall',
  '/reports',
  '/changes',
  '/settings',
].flatMap((path) => [path, `${path}/*`])
/** What mails link to. */
const LINKS = ['/invitations/accept', '/password-reset', '/verify-email']

const POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'manifest-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
}
const POLICY_TEXT = Object.entries(POLICY)
  .map(([name, sources]) => `${name} ${sources.join(' ')}`)
  .join(';')

const YEAR_SECONDS = 31_536_000

/** The page and its files, same origin, with headers that let nothing else in. */
export async function dashboardRoutes(app: App, { log }: { log: Log }): Promise<void> {
  // Without the files of the dashboard the API still works.
  if (!existsSync(FILES)) {
    log.warn({ folder: FILES }, 'the dashboard is not built and is not served: run npm run build')
    return
  }
  // A person who opens an unknown address gets the page, which says so; programs get the error envelope.
  const page = readFileSync(join(FILES, 'index.html'))
  app.addHook('preHandler', (request, reply, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isPerson = request.headers.accept?.includes('text/html') === true && !request.url.startsWith('/v1/')
    if (!request.is404 || !isRead || !isPerson) return done()
    const guards = { 'Content-Security-Policy': POLICY_TEXT, 'Referrer-Policy': 'no-referrer', 'X-Frame-Options': 'DENY' }
    void reply.code(404).type('text/html').headers(guards).send(page)
  })
  await app.register(async (pages) => {
    // First: the library writes past the framework, whose headers (here the policy of what is no page) go before such.
    pages.addHook('onRequest', (_request, reply, done) => {
      reply.removeHeader('Content-Security-Policy')
      done()
    })
    await pages.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: POLICY,
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
