import { MINUTE_MS } from '@vedette/shared'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { type Changes, createRereading } from '../../platform/db/index.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import { type RefreshDeps, refreshCalendars } from './ical/refresh.ts'
import { icalEncrypter } from './ical/secret.ts'
import { findNextDue } from './ical/store.ts'
import { scheduleCalendarRoutes } from './shift-feed-routes.ts'
import { scheduleRoutes, shiftRoutes } from './routes.ts'

/** When one is due is read this often all the same: an announcement may be lost, and one that is restored is not announced. */
const READ_EVERY_MS = 30 * MINUTE_MS
const REST_MS = 10 * MINUTE_MS

type Context = Omit<RefreshDeps, 'encrypter'> & {
  secrets: InstallationSecrets
  changes: Pick<Changes, 'on' | 'isHeard'>
}

export const onCallFeature = defineFeature({
  routes: [withEncrypter(icalEncrypter, scheduleRoutes), shiftRoutes, scheduleCalendarRoutes],
  jobs: ({ secrets, changes, ...context }: Context) => {
    const { db, clock } = context
    const deps = { ...context, encrypter: icalEncrypter(secrets) }
    const reading = createRereading({ clock, changes }, 'schedule', 0, READ_EVERY_MS)
    let dueMs: number | undefined = -Infinity
    return {
      /** Reads the calendars that schedules follow, each once a day. */
      refreshCalendars: {
        name: 'calendars of schedules',
        everyMs: MINUTE_MS,
        lease: { name: 'calendars of schedules', holdMs: 4 * MINUTE_MS },
        rests: { ms: REST_MS, wokenBy: 'schedule' },
        when: async () => {
          if (reading.dueMs() <= clock.now()) dueMs = await reading.read(() => findNextDue(db))
          return dueMs !== undefined && dueMs <= clock.now()
        },
        run: async () => {
          await refreshCalendars(deps)
          dueMs = await findNextDue(db)
        },
      },
    }
  },
})
