import { createHash, timingSafeEqual } from 'node:crypto'
import { notFound, unauthorized } from '../platform/errors.ts'
import type { App } from '../platform/http/index.ts'
import { createExposition, type Readings } from './metrics.ts'

export interface ExpositionDeps {
  /** Whoever sends it may read; undefined: nobody may. */
  token: string | undefined
  version: string
  read(): Promise<Readings>
  /** Counts an attempt with a wrong token. Throws rate_limited. */
  limitAttempt(ip: string): Promise<void>
}

/** `GET /metrics` for Prometheus, of this process and the installation. For scrapers: not in the description. */
export function expositionRoutes(app: App, { token, version, read, limitAttempt }: ExpositionDeps): void {
  const exposition = token === undefined ? undefined : createExposition(version, read)
  const expected = token === undefined ? undefined : digestOf(token)
  if (exposition)
    app.addHook('onResponse', (_request, reply, done) => {
      exposition.noteAnswer(reply.statusCode)
      done()
    })

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    // As if it were not there: whether somebody may look is nobody's to know.
    if (!exposition || !expected) throw notFound()
    const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (given === undefined || !timingSafeEqual(digestOf(given), expected)) {
      await limitAttempt(request.ip)
      throw unauthorized()
    }
    const text = await exposition.expose()
    return reply.headers({ 'Content-Type': exposition.contentType, 'Cache-Control': 'no-store' }).send(text)
  })
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
