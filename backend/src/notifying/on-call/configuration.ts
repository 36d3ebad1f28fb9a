import { CreateScheduleBody, MASK, type ScheduleLayerBody, type ScheduleOverrideBody } from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../access/auth/index.ts'
import { shownInstant } from '../../platform/time/instant.ts'
import { decryptUrl } from './ical/secret.ts'
import type { ScheduleChangeDeps } from './service.ts'
import { readSchedules } from './store.ts'
import { toSchedule } from './wire.ts'

const URL_FIELD = 'ical_url'

export const scheduleConfiguration: Configuration<ScheduleChangeDeps> = {
  kind: 'schedule',
  table: 'schedule',
  read: async ({ db, encrypter }, tenant, ids) =>
    (await readSchedules(db, tenant.number, ids)).map((row) => {
      const url = row.ical_url && decryptUrl(encrypter, row.id, row.ical_url)
      const spec = { ...pickFields(CreateScheduleBody, toSchedule(row)), ical_url: url ?? null }
      return toConfigured(row, spec, url === undefined ? [URL_FIELD] : [])
    }),
  keepOmitted: (spec, before) => ({ [URL_FIELD]: before[URL_FIELD] ?? null, ...spec }),
  mask: (spec) => ({ ...spec, ical_url: typeof spec['ical_url'] === 'string' ? MASK : null }),
  secretsIn: (spec) => (typeof spec['ical_url'] === 'string' ? [URL_FIELD] : []),
  complete: ({ layers = [], overrides = [], ...spec }) => ({
    time_zone: 'UTC',
    handover_mail: true,
    ical_url: null,
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
