import { Health, Ref } from '@vedette/shared'
import { type Db, isMigrated } from '../platform/db/index.ts'
import { unavailable } from '../platform/errors.ts'
import type { App } from '../platform/http/index.ts'

export function healthRoutes(app: App, { db }: { db: Db }): void {
  // Once migrated, a running program stays so: the check of every call is a query that answers.
  let wasMigrated = false

  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getLiveness',
        summary: 'Whether the process serves',
        description: 'Asks nothing of the database.',
        tags: ['health'],
        response: { 200: Ref(Health) },
      },
    },
    async () => ({ status: 'ok' }) as const,
  )

  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Whether requests can be answered',
        description: 'The database answers, and its schema is up to date.',
        tags: ['health'],
        response: { 200: Ref(Health) },
      },
      config: { refuses: { 500: true, 503: true } },
    },
    async () => {
      wasMigrated ||= await isMigrated(db)
      if (!wasMigrated) throw unavailable()
      await db.selectFrom('setting').select('name').limit(1).execute()
      return { status: 'ready' } as const
    },
  )
}
