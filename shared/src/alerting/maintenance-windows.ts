import { type Static, Type } from 'typebox'
import { AlertTarget, AlertTargetBody } from './alert-rules.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { ManagedField } from '../wire/managed.ts'
import { InstantText, Nullable, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from '../wire/wire.ts'

/** A longer suppression should be a disabled rule. */
export const MAX_WINDOW_DAYS = 31
export const MAX_REPEAT_LENGTH = 500

const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['Sunday updates'] })
const STARTS_AT = '2026-11-22T01:00:00.000Z'
const ENDS_AT = '2026-11-22T03:00:00.000Z'
const Fields = {
  repeat: Nullable(
    Type.String({
      minLength: 1,
      maxLength: MAX_REPEAT_LENGTH,
      description: 'an RRULE of RFC 5545 by days or longer, for example `FREQ=WEEKLY;BYDAY=SU`; null: once',
      examples: ['FREQ=WEEKLY;BYDAY=SU'],
    }),
  ),
  time_zone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'IANA name; repetitions keep their local time in it through daylight saving. Default `UTC`',
    examples: ['Europe/Berlin'],
  }),
}
const Times = {
  starts_at: InstantText('start of the first occurrence, ISO 8601', STARTS_AT),
  ends_at: InstantText(`end of the first occurrence, at most ${MAX_WINDOW_DAYS} days later; all are as long`, ENDS_AT),
}

export const CreateMaintenanceWindowBody = Type.Object(
  {
    name: Name,
    target: Ref(AlertTargetBody),
    ...Times,
    repeat: Type.Optional(Fields.repeat),
    time_zone: Type.Optional(Fields.time_zone),
  },
  {
    $id: 'CreateMaintenanceWindowBody',
    description: 'When notifications of which targets are suppressed',
    additionalProperties: false,
  },
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
    description: 'Changes only the fields that are given; `target` is replaced as a whole',
    examples: [{ repeat: null }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchMaintenanceWindowBody = Static<typeof PatchMaintenanceWindowBody>

export const MaintenanceWindow = Type.Object(
  {
    id: IdOf('maintenanceWindow'),
    name: Type.String({ examples: ['Sunday updates'] }),
    target: Ref(AlertTarget),
    starts_at: { ...Timestamp, examples: [STARTS_AT] },
    ends_at: { ...Timestamp, examples: [ENDS_AT] },
    ...Fields,
    under_way_until: Nullable({ ...Timestamp, description: 'when the current occurrence ends; null without one' }, null),
    next_starts_at: Nullable({
      ...Timestamp,
      description: 'when the next occurrence starts; null without one',
      examples: [STARTS_AT],
    }),
    managed: ManagedField,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'MaintenanceWindow', description: 'When notifications are suppressed' },
)
export type MaintenanceWindow = Static<typeof MaintenanceWindow>

export const MaintenanceWindowListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const MaintenanceWindowList = Type.Object(
  { maintenance_windows: Type.Array(Ref(MaintenanceWindow)), ...PageAnswer },
  { $id: 'MaintenanceWindowList', description: 'A page of maintenance windows, newest first' },
)
export type MaintenanceWindowList = Static<typeof MaintenanceWindowList>
