import { CreateScheduleBody, type ScheduleLayerBody, type ScheduleOverrideBody, toTimestamp } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../access/auth/index.ts'
import { parseInstant } from '../../platform/time/instant.ts'
import type { ScheduleDeps } from './service.ts'
import { readSchedules } from './store.ts'
import { toSchedule } from './wire.ts'

/** As it is shown; a text that is no instant stays, and is refused. Pure. */
const instant = (text: string): string => {
  const ms = parseInstant(text)
  return ms === undefined ? text : toTimestamp(ms)
}

export const scheduleConfiguration: Configuration<ScheduleDeps> = {
  kind: 'schedule',
  table: 'schedule',
  read: async ({ db }, tenant, ids) =>
    (await readSchedules(db, tenant.number, ids)).map((row) =>
      toConfigured(row, pickFields(CreateScheduleBody, toSchedule(row))),
    ),
  complete: ({ layers = [], overrides = [], ...spec }) => ({
    time_zone: 'UTC',
    handover_mail: true,
    ...spec,
    layers: (layers as ScheduleLayerBody[]).map(({ starts_at, ...layer }) => ({
      repeat: null,
      restrictions: [],
      ...layer,
      starts_at: instant(starts_at),
    })),
    overrides: (overrides as ScheduleOverrideBody[]).map(({ user_id, starts_at, ends_at }) => ({
      user_id,
      starts_at: instant(starts_at),
      ends_at: instant(ends_at),
    })),
  }),
}
