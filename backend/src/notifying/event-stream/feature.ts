import type { RouteDeps } from '../../access/auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import type { App } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Feed } from './feed.ts'
import { LIVE_EVENTS } from './partitions.ts'
import { eventRoutes } from './routes.ts'
import { deleteOrganizationEvents } from './store.ts'
import { createStreams } from './stream.ts'

export const eventFeature = defineFeature({
  routes: [
    (app: App, { feed, clock, ...context }: { db: Db; clock: Clock; feed: Feed } & RouteDeps) => {
      const streams = createStreams({ feed, clock })
      eventRoutes(app, { ...context, streams })
      app.addHook('preClose', async () => {
        streams.close()
        await feed.stop()
      })
    },
  ],
  partitions: [LIVE_EVENTS],
  deleteOrganization: deleteOrganizationEvents,
})
