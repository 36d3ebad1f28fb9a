import { MINUTE_MS } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { changeDueHours } from './change-hours.ts'
import { monitorEncrypter } from './encrypter.ts'
import { monitorHistoryRoutes } from './history-routes.ts'
import { removeOldDeleted } from './restore.ts'
import { monitorRoutes } from './routes.ts'
import { clearServer, hasDueHours, HOURS_TOPIC } from './store.ts'

/** Nobody looks at active hours while none of them begins or ends within this time. */
const HOURS_REST_MS = 15 * MINUTE_MS

export const monitorFeature = defineFeature({
  routes: [withEncrypter(monitorEncrypter, monitorRoutes), withEncrypter(monitorEncrypter, monitorHistoryRoutes)],
  jobs: ({ db, clock }: { db: Db; clock: Clock }) => ({
    /** Follows active hours that have begun or ended. */
    changeActiveHours: {
      name: 'active hours',
      everyMs: 1_000,
      run: () => changeDueHours({ db, clock }),
      when: () => hasDueHours(db, new Date(clock.now() + HOURS_REST_MS)),
      rests: { ms: HOURS_REST_MS, wokenBy: HOURS_TOPIC },
    },
  }),
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => removeOldDeleted(db, clock),
  deleteServer: (db, organization, serverId) => clearServer(db, organization, serverId),
})
