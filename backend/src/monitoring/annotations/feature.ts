import type { Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { annotationRoutes } from './routes.ts'
import { deleteOldAnnotations } from './service.ts'

export const annotationFeature = defineFeature({
  routes: [annotationRoutes],
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteOldAnnotations(db, clock.now()),
})
