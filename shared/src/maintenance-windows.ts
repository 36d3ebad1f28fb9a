import { type Static, Type } from 'typebox'
import { AlertTarget, AlertTargetBody } from './alert-rules.ts'
import { IdOf } from './ids.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

/** No window is longer: what nobody wants to hear of for so long is no alarm. */
export const MAX_WINDOW_DAYS = 31
export const MAX_REPEAT_LENGTH = 500

const Name = Type.String({ minLength: 1, maxLength: 200 })
const Instant = (description: string) => Type.String({ minLength: 1, maxLength: 64, description })
const Fields = {
  repeat: Nullable(
    Type.String({
      minLength: 1,
      maxLength: MAX_REPEAT_LENGTH,
      description: 'an RRULE of RFC 5545 by days or more, as `FREQ=WEEKLY;BYDAY=SU`; null: once',
    }),
  ),
  time_zone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'IANA name; by its clock a window repeats, through changes of the clock. Default `UTC`',
  }),
}
const Times = {
  starts_at: Instant('when the first begins, ISO 8601'),
  ends_at: Instant(`when the first ends, at most ${MAX_WINDOW_DAYS} days later; all are as long as that`),
}

export const CreateMaintenanceWindowBody = Type.Object(
  {
    name: Name,
    target: Ref(AlertTargetBody),
    ...Times,
    repeat: Type.Optional(Fields.repeat),
    time_zone: Type.Optional(Fields.time_zone),
  },
  { $id: 'CreateMaintenanceWindowBody', description: 'When to tell nobody of what', additionalProperties: false },
)
export type CreateMaintenanceWindowBody = Static<typeof CreateMaintenanceWindowBody>

export const PatchMaintenanceWindowBody = Type.Object(
  {
    name: Type.Optional(Name),
    target: Type.Optional(Ref(AlertTargetBody)),
    starts_at: Type.Optional(Times.starts_at),
    ends_at: Type.Optional(Times.ends_at),
    repeat: Type.Optional(Fields.repeat),
    time_zone: Type.Optional(Fields.time_zone),
  },
  {
    $id: 'PatchMaintenanceWindowBody',
    description: 'Only what is named changes; `target` as a whole',
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchMaintenanceWindowBody = Static<typeof PatchMaintenanceWindowBody>

export const MaintenanceWindow = Type.Object(
  {
    id: IdOf('maintenanceWindow'),
    name: Type.String(),
    target: Ref(AlertTarget),
    starts_at: Timestamp,
    ends_at: Timestamp,
    ...Fields,
    under_way_until: Nullable({ ...Timestamp, description: 'when the one that is under way ends; null while none is' }),
    next_starts_at: Nullable({ ...Timestamp, description: 'when the next begins; null where none follows' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'MaintenanceWindow', description: 'When what opens is not told' },
)
export type MaintenanceWindow = Static<typeof MaintenanceWindow>

export const MaintenanceWindowListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const MaintenanceWindowList = Type.Object(
  { maintenance_windows: Type.Array(Ref(MaintenanceWindow)), ...PageAnswer },
  { $id: 'MaintenanceWindowList', description: 'A page of maintenance windows, newest first' },
)
export type MaintenanceWindowList = Static<typeof MaintenanceWindowList>
