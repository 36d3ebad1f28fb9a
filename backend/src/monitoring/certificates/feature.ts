import type { Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { certificateRoutes } from './routes.ts'
import { deleteUnseenCertificates } from './service.ts'

export const certificateFeature = defineFeature({
  routes: [certificateRoutes],
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteUnseenCertificates(db, clock.now()),
})
