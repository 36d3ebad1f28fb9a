import { DAY_MS, Health, Ref, toTimestamp } from '@vedette/shared'
import { type Db, isMigrated } from '../../platform/db/index.ts'
import { unavailable } from '../../platform/errors.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** Probes give up after a few seconds; a database that is silent for this long cannot serve requests. */
const READY_LIMIT_MS = 2_000

/** RFC 9116 recommends less than a year; each request makes it again. */
const SECURITY_TEXT_MS = 90 * DAY_MS

interface HealthDeps {
  db: Db
  clock: Clock
  /** A URL for RFC 9116; without it there is no `security.txt`. */
  securityContact: string | undefined
}

export function healthRoutes(app: App, { db, clock, securityContact }: HealthDeps): void {
  if (securityContact !== undefined) securityText(app, clock, securityContact)
  // A migrated database stays migrated; each check then is one small query.
  let wasMigrated = false
  const checkDatabase = async (): Promise<boolean> => {
    wasMigrated ||= await isMigrated(db)
    if (wasMigrated) await db.selectFrom('setting').select('name').limit(1).execute()
    return wasMigrated
  }
  // Shared by concurrent requests: on a silent database each check occupies a connection until the statement limit.
  let running: Promise<boolean> | undefined
  const isReady = async (): Promise<boolean> => {
    running ??= checkDatabase().finally(() => (running = undefined))
    const done = new AbortController()
    const isLate = clock.sleep(READY_LIMIT_MS, done.signal).then(() => false)
    return Promise.race([running, isLate]).finally(() => done.abort())
  }

  livenessRoute(app)
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Readiness',
        description: 'The database answers within 2 s and its schema is up to date.',
        tags: ['health'],
        response: { 200: Ref(Health) },
      },
      config: { refuses: { 429: true, 500: true, 503: true } },
    },
    async () => {
      if (!(await isReady())) throw unavailable()
      return { status: 'ready' } as const
    },
  )
}

export function livenessRoute(app: App): void {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getLiveness',
        summary: 'Liveness',
        description: 'The process serves requests. The database is not checked.',
        tags: ['health'],
        response: { 200: Ref(Health) },
      },
    },
    async () => ({ status: 'ok' }) as const,
  )
}

function securityText(app: App, clock: Clock, contact: string): void {
  app.get('/.well-known/security.txt', { schema: { hide: true } }, async (_request, reply) => {
    const expires = Math.floor((clock.now() + SECURITY_TEXT_MS) / DAY_MS) * DAY_MS
    return reply
      .type('text/plain; charset=utf-8')
      .send(`Contact: ${contact}\nExpires: ${toTimestamp(expires)}\nPreferred-Languages: en\n`)
  })
}
