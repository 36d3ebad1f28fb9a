import type { Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { reclassificationRoutes } from './routes.ts'
import { deleteOldReclassifications } from './service.ts'

export const reclassificationFeature = defineFeature({
  routes: [reclassificationRoutes],
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteOldReclassifications(db, clock.now()),
})
