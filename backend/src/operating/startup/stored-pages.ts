import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { livenessRoute } from '../health/index.ts'
import { SCHEMAS } from '../openapi/index.ts'
import { createSecrets, readSecret } from '../../platform/crypto/installation-secrets.ts'
import { unavailable } from '../../platform/errors.ts'
import { type App, createServer, createUnlimited, routeOf } from '../../platform/http/index.ts'
import { silentLog } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { publicUrl, RATE_LIMITS, type Settings } from '../settings/index.ts'
import { createPageKeys, publicPageRoutes, readStoredPages, rewriteOwnDomain } from '../../pages/status-pages/index.ts'
import { listen } from './listen.ts'

/** Serves the stored copies of status pages, and nothing else, until the database answers. */
export interface StoredPagesServer {
  url: string
  /** The application listens in its place; no connection is refused meanwhile. Resolves with the port. */
  handOver(app: App): Promise<number>
  stop(): Promise<void>
}

/** Undefined where an earlier process left no copies, or no secret by which visitors of protected pages are known. */
export async function serveStoredPages(
  settings: Settings,
  clock: Clock,
  tls: { cert: Buffer; key: Buffer } | undefined,
): Promise<StoredPagesServer | undefined> {
  // The application listens on each address of this name; only one socket can be handed over.
  if (settings.host === 'localhost') return undefined
  const copies = readStoredPages(join(settings.dataDir, 'status-pages'), clock.now())
  const keys = settings.secretKeys ?? readSecret(settings.dataDir)
  if (!copies || keys === undefined) return undefined
  const app = createServer({
    // One line at the start says what each refused request would.
    log: silentLog,
    clock,
    limiter: createUnlimited(RATE_LIMITS, clock),
    trustedProxies: settings.trustProxy,
    corsOrigins: settings.corsOrigins,
    tls,
    rewriteUrl: rewriteOwnDomain(copies.slugOf),
    schemas: SCHEMAS,
  })
  app.addHook('onRequest', (request, reply, done) => {
    // The next request of the client reaches the application that listens by then.
    reply.header('connection', 'close')
    done(routeOf(request).url === undefined ? unavailable() : undefined)
  })
  let port = settings.port
  await publicPageRoutes(app, {
    copies,
    keys: createPageKeys(createSecrets([keys].flat())),
    publicUrl: () => publicUrl(settings, port),
  })
  for (const url of ['/status/:slug/subscribe', '/status/:slug/subscriptions/*']) app.get(url, { schema: { hide: true } }, refuse)
  livenessRoute(app)
  port = await listen(app, settings)
  return {
    url: publicUrl(settings, port),
    handOver: async (successor) => {
      await successor.ready()
      successor.server.listen(app.server)
      await once(successor.server, 'listening')
      // Connections that were accepted before. The server is not closed: the socket that it would close is the successor's.
      app.server.removeAllListeners('request')
      app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        response.setHeader('connection', 'close')
        successor.routing(request, response)
      })
      return port
    },
    stop: () => app.close(),
  }
}

const refuse = (): never => {
  throw unavailable()
}
