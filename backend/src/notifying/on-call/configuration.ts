import { CreateScheduleBody, type ScheduleLayerBody, type ScheduleOverrideBody } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../access/auth/index.ts'
import { shownInstant } from '../../platform/time/instant.ts'
import type { ScheduleDeps } from './service.ts'
import { readSchedules } from './store.ts'
import { toSchedule } from './wire.ts'

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
    layers: (layers as ScheduleLayerBody[]).map(({ starts_at, ends_at, ...layer }) => ({
      repeat: null,
      restrictions: [],
      ...layer,
      starts_at: shownInstant(starts_at),
      ends_at: typeof ends_at === 'string' ? shownInstant(ends_at) : null,
    })),
    overrides: (overrides as ScheduleOverrideBody[]).map(({ user_id, starts_at, ends_at }) => ({
      user_id,
      starts_at: shownInstant(starts_at),
      ends_at: shownInstant(ends_at),
    })),
  }),
}
