import type { Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { enrollmentTokenRoutes } from './routes.ts'
import { deleteOldTokens } from './service.ts'

export const enrollmentTokenFeature = defineFeature({
  routes: [enrollmentTokenRoutes],
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteOldTokens(db, clock.now()),
})
