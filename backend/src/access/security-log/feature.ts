import type { Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { createSecurityExport } from './sink/export.ts'
import { securityLogRoutes } from './routes.ts'
import { createSink, type SinkOptions } from './sink/sink.ts'
import { deleteOldSecurityEvents } from './service.ts'

export interface Context {
  db: Db
  clock: Clock
  log: Log
  ending: AbortSignal
  settings: { securityLogUrl?: string | undefined }
  /** To URLs that the operator chose. */
  postToOperator: SinkOptions['post']
}

export const securityLogFeature = defineFeature({
  routes: [securityLogRoutes],
  jobs: ({ settings: { securityLogUrl: url }, postToOperator: post, ...context }: Context) => {
    const exportEvents = url === undefined ? undefined : createSecurityExport({ ...context, sink: createSink(url, { post }) })
    return {
      /** Sends the security log to VEDETTE_SECURITY_LOG_URL, if set. Events reach it this long after they happened. */
      exportSecurityLog: {
        name: 'security log',
        everyMs: 2_000,
        lease: { name: 'security log', holdMs: 8_000 },
        isOff: !exportEvents,
        run: async () => exportEvents?.(),
      },
    }
  },
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteOldSecurityEvents(db, clock.now()),
})
