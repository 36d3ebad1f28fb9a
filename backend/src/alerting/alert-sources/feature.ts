import { MINUTE_MS } from '@vedette/shared'
import { type Changes, createRereading, type Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { resolveEnded } from './expire.ts'
import { historyRoutes } from './history/routes.ts'
import { intakeRoutes } from './senders/routes.ts'
import { furtherSourceRoutes, sourceRoutes } from './routes.ts'
import { hasEnds } from './store.ts'

/** Whether something may end is read this often all the same: an announcement may be lost, and an alert may get its end later. */
const READ_EVERY_MS = 10 * MINUTE_MS

export interface Context {
  db: Db
  clock: Clock
  changes: Pick<Changes, 'on' | 'isHeard'>
  ending: AbortSignal
}

export const alertSourceFeature = defineFeature({
  routes: [sourceRoutes, furtherSourceRoutes, historyRoutes, intakeRoutes],
  jobs: ({ changes, ...context }: Context) => {
    const { db, clock } = context
    const reading = createRereading({ clock, changes }, 'open_incident', 0, READ_EVERY_MS)
    let mayEnd = true
    return {
      /** Resolves alerts that were not sent again. */
      resolveEndedAlerts: {
        name: 'alerts of senders that have ended',
        everyMs: 10_000,
        rests: { ms: READ_EVERY_MS, wokenBy: 'open_incident' },
        when: async () => {
          if (reading.dueMs() <= clock.now()) mayEnd = await reading.read(() => hasEnds(db))
          return mayEnd
        },
        run: () => resolveEnded(context),
      },
    }
  },
})
