import { CreateMaintenanceWindowBody, toTimestamp } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../../access/auth/index.ts'
import { parseInstant } from '../../../platform/time/instant.ts'
import { toWindow, type WindowDeps } from './service.ts'
import { readWindows } from './store.ts'

/** As it is shown; a text that is no instant stays, and is refused. Pure. */
const instant = (text: unknown): unknown => {
  const ms = typeof text === 'string' ? parseInstant(text) : undefined
  return ms === undefined ? text : toTimestamp(ms)
}

export const windowConfiguration: Configuration<WindowDeps> = {
  kind: 'maintenance_window',
  table: 'maintenance_window',
  read: async ({ db, clock }, tenant, ids) =>
    (await readWindows(db, tenant.number, ids)).map((row) =>
      toConfigured(row, pickFields(CreateMaintenanceWindowBody, toWindow(row, clock.now()))),
    ),
  complete: ({ target, starts_at, ends_at, ...spec }) => ({
    repeat: null,
    time_zone: 'UTC',
    ...spec,
    ...(starts_at !== undefined && { starts_at: instant(starts_at) }),
    ...(ends_at !== undefined && { ends_at: instant(ends_at) }),
    ...(target !== undefined && { target: { id: null, tag: null, ...target } }),
  }),
}
