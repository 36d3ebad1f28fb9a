import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import { pingKeyEncrypter } from './encrypter.ts'
import { PINGS } from './partitions.ts'
import { pingRoutes } from './ping-routes.ts'
import { heartbeatRoutes } from './routes.ts'
import { deleteOrganizationPings } from './store.ts'

export const heartbeatFeature = defineFeature({
  routes: [pingRoutes, withEncrypter(pingKeyEncrypter, heartbeatRoutes)],
  partitions: [PINGS],
  deleteOrganization: deleteOrganizationPings,
})
