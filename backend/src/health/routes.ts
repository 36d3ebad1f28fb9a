import { Type } from 'typebox'
import { type Db, isMigrated } from '../platform/db/index.ts'
import { unavailable } from '../platform/errors.ts'
import type { App } from '../platform/http/index.ts'

const Health = Type.Object({ status: Type.String() })

export function healthRoutes(app: App, { db }: { db: Db }): void {
  // Once migrated, a running program stays so: the check of every call is a query that answers.
  let wasMigrated = false

  app.get('/healthz', { schema: { hide: true, response: { 200: Health } } }, async () => ({ status: 'ok' }))

  app.get('/readyz', { schema: { hide: true, response: { 200: Health } } }, async () => {
    wasMigrated ||= await isMigrated(db)
    if (!wasMigrated) throw unavailable()
    await db.selectFrom('setting').select('name').limit(1).execute()
    return { status: 'ready' }
  })
}
