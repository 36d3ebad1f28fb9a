import { totpEncrypter } from '../auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { deleteExpiredInvitations } from './invite.ts'
import { invitationRoutes } from './invitation-routes.ts'
import { memberRoutes } from './routes.ts'

export const memberFeature = defineFeature({
  routes: [memberRoutes, withEncrypter(totpEncrypter, invitationRoutes)],
  deleteExpired: ({ db, clock }: { db: Db; clock: Clock }) => deleteExpiredInvitations(db, clock.now()),
})
