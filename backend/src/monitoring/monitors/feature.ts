import type { Db } from '../../platform/db/index.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { changeDueHours } from './change-hours.ts'
import { monitorEncrypter } from './encrypter.ts'
import { monitorHistoryRoutes } from './history-routes.ts'
import { removeOldDeleted } from './restore.ts'
import { monitorRoutes } from './routes.ts'
import { clearServer } from './store.ts'

export const monitorFeature = defineFeature({
  routes: [withEncrypter(monitorEncrypter, monitorRoutes), withEncrypter(monitorEncrypter, monitorHistoryRoutes)],
  jobs: ({ db, clock }: { db: Db; clock: Clock }) => ({
    /** Follows active hours that have begun or ended. */
    changeActiveHours: { name: 'active hours', everyMs: 1_000, firstMs: 0, run: () => changeDueHours({ db, clock }) },
  }),
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => removeOldDeleted(db, clock),
  deleteServer: (db, organization, serverId) => clearServer(db, organization, serverId),
})
