import { CreateMaintenanceWindowBody } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../../access/auth/index.ts'
import { shownInstant } from '../../../platform/time/instant.ts'
import { toWindow, type WindowDeps } from './service.ts'
import { readWindows } from './store.ts'

export const windowConfiguration: Configuration<WindowDeps> = {
  kind: 'maintenance_window',
  table: 'maintenance_window',
  read: async ({ db, clock }, tenant, ids) =>
    (await readWindows(db, tenant.number, ids))
      // Silences are of the client that made them.
      .filter(({ silence }) => silence === null)
      .map((row) => toConfigured(row, pickFields(CreateMaintenanceWindowBody, toWindow(row, clock.now())))),
  complete: ({ target, starts_at, ends_at, ...spec }) => ({
    repeat: null,
    time_zone: 'UTC',
    ...spec,
    ...(starts_at !== undefined && { starts_at: shownInstant(starts_at) }),
    ...(ends_at !== undefined && { ends_at: shownInstant(ends_at) }),
    ...(target !== undefined && { target: { id: null, tag: null, ...target } }),
  }),
}
