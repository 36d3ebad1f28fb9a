import { channelEncrypter } from '../notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { chatAccountRoutes, chatActionRoutes } from './routes.ts'
import { deleteExpiredCodes } from './store.ts'

export const chatActionFeature = defineFeature({
  routes: [withEncrypter(channelEncrypter, chatActionRoutes), chatAccountRoutes],
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteExpiredCodes(db, clock.now()),
})
