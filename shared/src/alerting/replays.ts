import { type Static, Type } from 'typebox'
import { NullablePersonName } from '../access/auth.ts'
import { QuietTime } from '../access/account.ts'
import { PatchAlertRuleBody } from './alert-rules.ts'
import { PatchEscalationPolicyBody } from '../notifying/escalation-policies.ts'
import { exampleId, IdOf } from '../wire/ids.ts'
import { IncidentTarget } from './incidents.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { PatchScheduleBody } from '../notifying/schedules.ts'
import { EmailText, InstantText, LaterTimestamp, Nullable, Ref, Timestamp, VisibleText } from '../wire/wire.ts'

export const MAX_REPLAY_DAYS = 90
/** Of each kind in a set. */
export const MAX_REPLAY_CHANGES = 100
/** Listed in an answer; the totals count all. */
export const MAX_REPLAY_NOTIFICATIONS = 500
export const REPLAY_ACKNOWLEDGE_SECONDS = { minimum: 1, maximum: 604_800 } as const

const Id = Type.Optional(Type.String({ maxLength: 200, description: 'of the one that is changed; without it: a new one' }))

export const ReplayAlertRuleBody = Type.Object(
  { id: Id, ...PatchAlertRuleBody.properties },
  { $id: 'ReplayAlertRuleBody', description: 'A changed or new alert rule', additionalProperties: false },
)
export const ReplayEscalationPolicyBody = Type.Object(
  { id: Id, ...PatchEscalationPolicyBody.properties },
  { $id: 'ReplayEscalationPolicyBody', description: 'A changed or new escalation policy', additionalProperties: false },
)
export const ReplayScheduleBody = Type.Object(
  { id: Id, ...PatchScheduleBody.properties },
  { $id: 'ReplayScheduleBody', description: 'A changed or new on-call schedule', additionalProperties: false },
)
export const ReplayQuietTimeBody = Type.Object(
  { user_id: Type.String({ maxLength: 200 }), quiet_time: Type.Union([Ref(QuietTime), Type.Null()]) },
  { $id: 'ReplayQuietTimeBody', description: 'Another quiet time of a member; null: none', additionalProperties: false },
)

export const ReplaySetBody = Type.Object(
  {
    name: Type.Optional(VisibleText(MAX_NAME_LENGTH)),
    alert_rules: Type.Optional(Type.Array(Ref(ReplayAlertRuleBody), { maxItems: MAX_REPLAY_CHANGES })),
    escalation_policies: Type.Optional(Type.Array(Ref(ReplayEscalationPolicyBody), { maxItems: MAX_REPLAY_CHANGES })),
    schedules: Type.Optional(Type.Array(Ref(ReplayScheduleBody), { maxItems: MAX_REPLAY_CHANGES })),
    quiet_times: Type.Optional(Type.Array(Ref(ReplayQuietTimeBody), { maxItems: MAX_REPLAY_CHANGES })),
    without: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: MAX_REPLAY_CHANGES,
        uniqueItems: true,
        description: 'ids of alert rules, escalation policies and maintenance windows that are left out',
      }),
    ),
  },
  { $id: 'ReplaySetBody', description: 'What differs from what is configured; empty: nothing', additionalProperties: false },
)
export type ReplaySetBody = Static<typeof ReplaySetBody>

export const ReplayBody = Type.Object(
  {
    from: InstantText('start, inclusive, ISO 8601', '2026-11-01T00:00:00.000Z'),
    to: InstantText(`end, exclusive, at most ${MAX_REPLAY_DAYS} days later and not in the future`, '2026-11-21T00:00:00.000Z'),
    acknowledge_after_seconds: Type.Optional(
      Nullable(
        Type.Integer({
          ...REPLAY_ACKNOWLEDGE_SECONDS,
          description:
            'when an incident that has not really been open is acknowledged, after its first notification; null, the default: never',
        }),
      ),
    ),
    sets: Type.Array(Ref(ReplaySetBody), {
      minItems: 1,
      maxItems: 2,
      examples: [[{}, { name: 'after ten minutes', alert_rules: [{ id: exampleId('alertRule'), for_seconds: 600 }] }]],
    }),
  },
  {
    $id: 'ReplayBody',
    description: 'A period, and one or two sets of rules that it is replayed with',
    additionalProperties: false,
  },
)
export type ReplayBody = Static<typeof ReplayBody>

export const REPLAY_REASONS = ['rule', 'policy', 'owners', 'reminder', 'acknowledged', 'flapping', 'stable', 'resolved'] as const
const Count = (description: string, example = 0) => Type.Integer({ minimum: 0, description, examples: [example] })

export const ReplayNotification = Type.Object(
  {
    at: Timestamp,
    reason: Type.Enum([...REPLAY_REASONS], {
      description: 'what it is sent for; `owners`: nobody of the step is on duty or can be reached',
      examples: ['policy'],
    }),
    alert_rule_id: Nullable(IdOf('alertRule')),
    alert_rule_name: Type.String({ examples: ['Monitor down'] }),
    target: Ref(IncidentTarget),
    opened_at: Timestamp,
    resolved_at: Nullable(LaterTimestamp),
    step: Nullable(
      Type.Integer({ minimum: 1, description: 'of the escalation policy, counted over its repeats', examples: [1] }),
    ),
    user_id: Nullable(IdOf('user')),
    email: Nullable(EmailText),
    name: NullablePersonName,
    channel_id: Nullable(IdOf('channel', 'a channel of the organization; null: a contact method or browser of a person'), null),
    via: Type.String({ description: 'the type of the channel or contact method, or `browser`', examples: ['ntfy'] }),
    held_until: Nullable(Timestamp, null),
    at_night: Type.Boolean({
      description:
        'a person gets it between 22:00 and 07:00, by the time zone of their quiet time, else of the escalation policy, else UTC',
    }),
  },
  { $id: 'ReplayNotification', description: 'A notification that would have been sent; with `held_until` at that time' },
)
export type ReplayNotification = Static<typeof ReplayNotification>

export const ReplayPerson = Type.Object(
  {
    user_id: IdOf('user'),
    email: EmailText,
    name: NullablePersonName,
    notifications: Type.Integer({ examples: [1] }),
    at_night: Type.Integer(),
    held: Type.Integer(),
    longest_held_seconds: Type.Integer(),
  },
  { $id: 'ReplayPerson', description: 'What one person would have received' },
)
export type ReplayPerson = Static<typeof ReplayPerson>

export const ReplayChannel = Type.Object(
  { channel_id: IdOf('channel'), name: Type.String(), type: Type.String(), notifications: Type.Integer() },
  { $id: 'ReplayChannel', description: 'What one channel of the organization would have received' },
)
export type ReplayChannel = Static<typeof ReplayChannel>

export const ReplayLimit = Type.Object(
  {
    alert_rule_id: Nullable(IdOf('alertRule')),
    alert_rule_name: Type.String(),
    reason: Type.String(),
  },
  { $id: 'ReplayLimit', description: 'A rule that could not be replayed, and why' },
)
export type ReplayLimit = Static<typeof ReplayLimit>

export const ReplaySetResult = Type.Object(
  {
    name: Nullable(Type.String()),
    incidents: Count('that open within the period', 1),
    suppressed_by_dependency: Count('of these, opened while something that their target depends on is down'),
    suppressed_by_maintenance: Count('of these, opened in a maintenance window'),
    never_notified: Count('of these, nobody was notified before they ended'),
    notifications: Count('one for each event of an incident and recipient', 1),
    at_night: Count('of these, to a person at night'),
    held: Count('of these, waited for the end of a quiet time'),
    longest_held_seconds: Count('the longest such wait'),
    to_owners: Count('of these, to owners since nobody was on duty or could be reached'),
    people: Type.Array(Ref(ReplayPerson), { description: 'the most notified first' }),
    channels: Type.Array(Ref(ReplayChannel), { description: 'the most notified first', examples: [[]] }),
    not_replayed: Type.Array(Ref(ReplayLimit), { examples: [[]] }),
    list: Type.Array(Ref(ReplayNotification), { maxItems: MAX_REPLAY_NOTIFICATIONS, description: 'the first ones' }),
    has_more: Type.Boolean(),
  },
  { $id: 'ReplaySetResult', description: 'What one set would have done' },
)
export type ReplaySetResult = Static<typeof ReplaySetResult>

export const ReplayDifference = Type.Object(
  {
    notifications: Count('that only this set sends', 1),
    list: Type.Array(Ref(ReplayNotification), { maxItems: MAX_REPLAY_NOTIFICATIONS, description: 'the first ones' }),
    has_more: Type.Boolean(),
  },
  { $id: 'ReplayDifference', description: 'What only one of two sets would have sent' },
)
export type ReplayDifference = Static<typeof ReplayDifference>

export const Replay = Type.Object(
  {
    from: Timestamp,
    to: LaterTimestamp,
    sets: Type.Array(Ref(ReplaySetResult), { minItems: 1, maxItems: 2 }),
    only_in: Type.Array(Ref(ReplayDifference), {
      maxItems: 2,
      description: 'with two sets one for each of them, in their order',
    }),
  },
  { $id: 'Replay', description: 'Who would have been notified in a period' },
)
export type Replay = Static<typeof Replay>
