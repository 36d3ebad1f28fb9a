import { type Static, Type } from 'typebox'
import { AlertTargetBody } from './alert-rules.ts'
import { ALERT_TARGET_TYPES } from './alert-types.ts'
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

/** What a window can be about: `source` are alerts of an alert source. */
export const WINDOW_TARGET_TYPES = [...ALERT_TARGET_TYPES, 'source'] as const

export const WindowTarget = Type.Object(
  {
    type: Type.Enum([...WINDOW_TARGET_TYPES], { description: '`source`: alerts of an alert source, by `silence`' }),
    id: Nullable(Type.String({ description: 'one monitor or server, or the alert source' })),
    tag: Nullable(Type.String({ description: 'all with this tag' })),
  },
  { $id: 'WindowTarget', description: 'Without `id` and `tag`: all targets of the type in the organization' },
)

export const Silence = Type.Object(
  {
    matchers: Type.Array(
      Type.Object({
        name: Type.String({ description: 'of a label', examples: ['alertname'] }),
        value: Type.String({ examples: ['DiskFull'] }),
        is_regex: Type.Boolean({ description: 'the value lists words, as `a|b`', examples: [false] }),
      }),
      { description: 'the labels that an alert must have' },
    ),
    created_by: Type.String({ examples: ['ada'] }),
    comment: Type.String({ examples: ['The disk is replaced'] }),
  },
  {
    $id: 'Silence',
    description: 'Which alerts of a source: a client of the API of Alertmanager made it, and only such a client changes it',
  },
)
export type Silence = Static<typeof Silence>

export const MaintenanceWindow = Type.Object(
  {
    id: IdOf('maintenanceWindow'),
    name: Type.String({ examples: ['Sunday updates'] }),
    target: Ref(WindowTarget),
    silence: Type.Union([Ref(Silence), Type.Null()]),
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
