import { type Static, Type } from 'typebox'
import { NullablePersonName } from '../access/auth.ts'
import { exampleId, IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { MAX_REPEAT_LENGTH } from '../alerting/maintenance-windows.ts'
import {
  ICAL_DAYS,
  MAX_ICAL_SHIFTS,
  MAX_ICAL_URL_LENGTH,
  MAX_LAYER_AGE_YEARS,
  MAX_LAYER_RESTRICTIONS,
  MAX_LAYER_USERS,
  MAX_SCHEDULE_LAYERS,
  MAX_SCHEDULE_OVERRIDES,
  MAX_SHIFT_DAYS,
  MAX_TURN_USERS,
} from './on-call-choices.ts'
import { LayerRestriction } from './weekly-hours.ts'
import { ManagedField } from '../wire/managed.ts'
import {
  EmailText,
  InstantText,
  LaterTimestamp,
  Nullable,
  PageAnswer,
  PageQuery,
  Ref,
  Secret,
  Timestamp,
  TimeZoneName,
  VisibleText,
} from '../wire/wire.ts'

const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['Shop'] })
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA name; handovers and hours keep their local time in it through daylight saving. Default `UTC`',
})

const Repeat = Nullable(
  Type.String({
    minLength: 1,
    maxLength: MAX_REPEAT_LENGTH,
    description:
      'when the next turn begins: an RRULE of RFC 5545 by days or longer, for example `FREQ=WEEKLY;BYDAY=MO`, or by hours, which are ' +
      'counted from `starts_at`: `FREQ=HOURLY;INTERVAL=12`; null: never',
    examples: ['FREQ=WEEKLY;BYDAY=MO'],
  }),
)
const LAYER_END = 'nobody is on duty by this layer from then on; null: it does not end'
const Restrictions = Type.Array(Ref(LayerRestriction), {
  maxItems: MAX_LAYER_RESTRICTIONS,
  description: 'the layer has somebody on duty only within these hours; empty: always',
})

export const ScheduleLayerBody = Type.Object(
  {
    user_ids: Type.Array(
      Type.Union([
        Type.String({ maxLength: 200 }),
        Type.Array(Type.String({ maxLength: 200 }), {
          maxItems: MAX_TURN_USERS,
          uniqueItems: true,
          description: 'members who are on duty together; empty: nobody has this turn',
        }),
      ]),
      {
        minItems: 1,
        maxItems: MAX_LAYER_USERS,
        description: 'turns in their order: a member, or a list of members; one may stand in it several times',
        examples: [[exampleId('user')]],
      },
    ),
    starts_at: InstantText(
      `when the first turn begins, ISO 8601, at most ${MAX_LAYER_AGE_YEARS} years ago; the local time of the handovers`,
    ),
    ends_at: Type.Optional(Nullable(InstantText(`ISO 8601, after \`starts_at\`; ${LAYER_END}`))),
    repeat: Type.Optional(Repeat),
    restrictions: Type.Optional(Restrictions),
  },
  { $id: 'ScheduleLayerBody', description: 'People who take turns', additionalProperties: false },
)
export type ScheduleLayerBody = Static<typeof ScheduleLayerBody>

export const ScheduleOverrideBody = Type.Object(
  { user_id: Type.String({ maxLength: 200 }), starts_at: InstantText('ISO 8601'), ends_at: InstantText('ISO 8601') },
  { $id: 'ScheduleOverrideBody', description: 'Somebody who is on duty in place of others', additionalProperties: false },
)
export type ScheduleOverrideBody = Static<typeof ScheduleOverrideBody>

const HANDOVER_MAIL = 'whether people get an e-mail when their duty begins or ends'

const IcalUrl = (description: string) =>
  Nullable(
    Secret({ minLength: 1, maxLength: MAX_ICAL_URL_LENGTH, description, examples: ['https://calendar.example.com/on-call.ics'] }),
  )

const Definition = {
  time_zone: Type.Optional(TimeZone),
  layers: Type.Optional(
    Type.Array(Ref(ScheduleLayerBody), {
      maxItems: MAX_SCHEDULE_LAYERS,
      description: 'where two have somebody on duty, the later one in the list counts',
    }),
  ),
  overrides: Type.Optional(
    Type.Array(Ref(ScheduleOverrideBody), {
      maxItems: MAX_SCHEDULE_OVERRIDES,
      description: 'count before all layers; of two at the same time the later one in the list counts',
    }),
  ),
  handover_mail: Type.Optional(Type.Boolean({ description: `${HANDOVER_MAIL}. Default true` })),
  ical_url: Type.Optional(
    IcalUrl(
      'a calendar (iCalendar, http, https or webcal) whose events say who is on duty, read once a day: those who are invited, or who the ' +
        'title names, by e-mail. Its shifts count before the layers and after the overrides. A secret; `•••` leaves it as it is, null ends it',
    ),
  ),
}

export const CreateScheduleBody = Type.Object(
  { name: Name, ...Definition },
  {
    $id: 'CreateScheduleBody',
    description: 'Who is on duty when',
    additionalProperties: false,
    examples: [
      {
        name: 'Shop',
        time_zone: 'Europe/Berlin',
        layers: [{ user_ids: [exampleId('user')], starts_at: '2026-11-23T08:00:00.000Z', repeat: 'FREQ=WEEKLY;BYDAY=MO' }],
      },
    ],
  },
)
export type CreateScheduleBody = Static<typeof CreateScheduleBody>

export const PatchScheduleBody = Type.Object(
  { name: Type.Optional(Name), ...Definition },
  {
    $id: 'PatchScheduleBody',
    description: 'Changes only the fields that are given; `layers` and `overrides` are replaced as a whole',
    examples: [{ overrides: [] }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchScheduleBody = Static<typeof PatchScheduleBody>

export const ScheduleLayer = Type.Object(
  {
    user_ids: Type.Array(
      Type.Union([
        IdOf('user'),
        Type.Array(IdOf('user'), { description: 'members who are on duty together; empty: nobody has this turn' }),
      ]),
      { examples: [[exampleId('user')]] },
    ),
    starts_at: Timestamp,
    ends_at: Nullable({ ...LaterTimestamp, description: LAYER_END }, null),
    repeat: Repeat,
    restrictions: Restrictions,
  },
  { $id: 'ScheduleLayer', description: 'People who take turns' },
)
export type ScheduleLayer = Static<typeof ScheduleLayer>

export const ScheduleOverride = Type.Object(
  { user_id: IdOf('user'), starts_at: Timestamp, ends_at: LaterTimestamp },
  { $id: 'ScheduleOverride', description: 'Somebody who is on duty in place of others' },
)
export type ScheduleOverride = Static<typeof ScheduleOverride>

export const ScheduleIcal = Type.Object(
  {
    read_at: Nullable({ ...Timestamp, description: 'when it was last read; null: not yet' }),
    error: Nullable(
      Type.String({
        description: 'why it could not be read; the shifts of before stay. Null: it could',
        examples: ['status 404'],
      }),
      null,
    ),
    failing_since: Nullable(Timestamp, null),
    faults: Type.Array(Type.String({ examples: ['it names "zoe", who is no member here'] }), {
      description: 'what of it does not count',
      examples: [[]],
    }),
    shifts: Type.Array(Ref(ScheduleOverride), {
      description: `those of at least the next ${ICAL_DAYS} days, at most ${MAX_ICAL_SHIFTS}, and of the last 31 days`,
    }),
  },
  { $id: 'ScheduleIcal', description: 'What the calendar that a schedule follows says' },
)
export type ScheduleIcal = Static<typeof ScheduleIcal>

export const Schedule = Type.Object(
  {
    id: IdOf('schedule'),
    name: Type.String({ examples: ['Shop'] }),
    time_zone: TimeZoneName,
    layers: Type.Array(Ref(ScheduleLayer)),
    overrides: Type.Array(Ref(ScheduleOverride)),
    handover_mail: Type.Boolean({ description: HANDOVER_MAIL, examples: [true] }),
    ical_url: IcalUrl('the calendar that it follows, hidden; null: none'),
    ical: Type.Union([Ref(ScheduleIcal), Type.Null()], { description: 'null: it follows no calendar' }),
    has_calendar: Type.Boolean({ description: 'its shifts have an address for calendars' }),
    managed: ManagedField,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Schedule', description: 'Who is on duty when' },
)
export type Schedule = Static<typeof Schedule>

export const ScheduleCalendar = Type.Object(
  {
    schedule_id: IdOf('schedule'),
    calendar_url: Secret({
      description: 'of the shifts in iCalendar format; shown only once',
      examples: ['https://vedette.example.com/calendars/vdt_cal_…'],
    }),
  },
  { $id: 'ScheduleCalendar', description: 'The address to which calendars subscribe' },
)
export type ScheduleCalendar = Static<typeof ScheduleCalendar>

export const ScheduleListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const ScheduleList = Type.Object(
  { schedules: Type.Array(Ref(Schedule)), ...PageAnswer },
  { $id: 'ScheduleList', description: 'A page of schedules, newest first' },
)
export type ScheduleList = Static<typeof ScheduleList>

export const Shift = Type.Object(
  {
    user_id: IdOf('user'),
    email: EmailText,
    name: NullablePersonName,
    from: Timestamp,
    to: LaterTimestamp,
    layer: Nullable(
      Type.Integer({
        minimum: 0,
        description: 'index in `layers`; null: an override, or the calendar that it follows',
        examples: [0],
      }),
    ),
  },
  { $id: 'Shift', description: 'A time in which one person is on duty. Those of people who are on duty together overlap' },
)
export type Shift = Static<typeof Shift>

export const ScheduleOnCallQuery = Type.Object(
  { at: Type.Optional(InstantText('ISO 8601. Default: now')) },
  { additionalProperties: false },
)
export const OnCall = Type.Object(
  {
    at: Timestamp,
    current: Type.Array(Ref(Shift), { description: 'who is on duty, one shift a person; empty: nobody' }),
    next: Type.Array(Ref(Shift), {
      description: `the shifts that begin next and together: of other people, or after a gap, within ${MAX_SHIFT_DAYS} days`,
      examples: [[]],
    }),
  },
  { $id: 'OnCall', description: `Who is on duty at an instant, and who next. Shifts end at most ${MAX_SHIFT_DAYS} days later` },
)
export type OnCall = Static<typeof OnCall>

export const ScheduleShiftsQuery = Type.Object(
  {
    from: Type.Optional(InstantText('start, inclusive, ISO 8601. Default: now')),
    to: Type.Optional(InstantText(`end, exclusive, at most ${MAX_SHIFT_DAYS} days later. Default: 28 days after the start`)),
  },
  { additionalProperties: false },
)
export const ShiftGap = Type.Object(
  { from: Timestamp, to: Timestamp },
  { $id: 'ShiftGap', description: 'a time without anybody on duty' },
)
const SHIFTS = { shifts: Type.Array(Ref(Shift)), gaps: Type.Array(Ref(ShiftGap), { examples: [[]] }) }
export const ScheduleShifts = Type.Object(
  { from: Timestamp, to: LaterTimestamp, ...SHIFTS },
  { $id: 'ScheduleShifts', description: 'The shifts of a range, cut at its ends, and the gaps between them' },
)
export type ScheduleShifts = Static<typeof ScheduleShifts>

export const ShiftListQuery = Type.Object({ ...PageQuery, ...ScheduleShiftsQuery.properties }, { additionalProperties: false })
export const ShiftList = Type.Object(
  {
    schedules: Type.Array(Type.Object({ schedule_id: IdOf('schedule'), ...SHIFTS })),
    from: Timestamp,
    to: LaterTimestamp,
    ...PageAnswer,
  },
  { $id: 'ShiftList', description: 'The shifts and gaps of a page of schedules, the newest schedule first' },
)
export type ShiftList = Static<typeof ShiftList>
