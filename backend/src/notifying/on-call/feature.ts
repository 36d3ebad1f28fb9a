import { MINUTE_MS } from '@vedette/shared'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import { type RefreshDeps, refreshCalendars } from './ical/refresh.ts'
import { icalEncrypter } from './ical/secret.ts'
import { scheduleCalendarRoutes } from './shift-feed-routes.ts'
import { scheduleRoutes, shiftRoutes } from './routes.ts'

type Context = Omit<RefreshDeps, 'encrypter'> & { secrets: InstallationSecrets }

export const onCallFeature = defineFeature({
  routes: [withEncrypter(icalEncrypter, scheduleRoutes), shiftRoutes, scheduleCalendarRoutes],
  jobs: ({ secrets, ...context }: Context) => {
    const deps = { ...context, encrypter: icalEncrypter(secrets) }
    return {
      /** Reads the calendars that schedules follow, each once a day. */
      refreshCalendars: {
        name: 'calendars of schedules',
        everyMs: MINUTE_MS,
        lease: { name: 'calendars of schedules', holdMs: 4 * MINUTE_MS },
        run: () => refreshCalendars(deps),
      },
    }
  },
})
