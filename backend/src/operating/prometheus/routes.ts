import { createHash, timingSafeEqual } from 'node:crypto'
import { notFound, unauthorized } from '../../platform/errors.ts'
import type { App } from '../../platform/http/index.ts'
import { createMetrics, type InstallationMetrics } from './metrics.ts'

export interface PrometheusDeps {
  /** The Bearer token of scrapers; undefined: `/metrics` is a 404. */
  token: string | undefined
  version: string
  read(): Promise<InstallationMetrics>
  /** Counts an attempt with a wrong token. Throws rate_limited. */
  limitAttempt(ip: string): Promise<void>
}

/** `GET /metrics` in the text format of Prometheus. It is not part of the OpenAPI description. */
export function prometheusRoutes(app: App, { token, version, read, limitAttempt }: PrometheusDeps): void {
  const metrics = token === undefined ? undefined : createMetrics(version, read)
  const expected = token === undefined ? undefined : digestOf(token)
  if (metrics)
    app.addHook('onResponse', (_request, reply, done) => {
      metrics.countResponse(reply.statusCode)
      done()
    })

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!metrics || !expected) throw notFound()
    const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (given === undefined || !timingSafeEqual(digestOf(given), expected)) {
      await limitAttempt(request.ip)
      throw unauthorized()
    }
    const text = await metrics.render()
    return reply.headers({ 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).send(text)
  })
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
